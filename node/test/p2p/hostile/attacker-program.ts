import type { AttackOptions } from "./attack-options.ts"
import { attack } from "./attacker.ts"

// A process of its own: given what to do by its first message, asked for figures by any other, over when its parent is.
let attacker: ReturnType<typeof attack> | undefined

process.on("message", (message: AttackOptions | "figures") => {
  if (message !== "figures") attacker = attack(message)
  process.send!(attacker!.figures())
})

process.on("disconnect", () => process.exit())
