import type { ModuleHealth } from "@lockstep/protocol/module-ipc/index.ts"

/** Formats the health that a module reported. */
export const healthText = (health: ModuleHealth): string => {
  const words = Object.entries(health).flatMap(([name, value]) => name === "_tag" ? [] : [String(value)])
  return [health._tag, ...words].join(": ")
}
