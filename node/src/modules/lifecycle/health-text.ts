import type { ModuleHealth } from "@lockstep/protocol/module-ipc/index.ts"

/** What a module said of itself, in words. */
export const healthText = (health: ModuleHealth): string => {
  const words = Object.entries(health).flatMap(([name, value]) => name === "_tag" ? [] : [String(value)])
  return [health._tag, ...words].join(": ")
}
