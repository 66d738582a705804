import type { Behaviour } from "./behaviour.ts"

/** An ordinary full node. */
export const honest: Behaviour = {}

/** An ordinary node whose connections do not last. */
export const flaky: Behaviour = { staysFor: 40_000 }

/** Opens connections and never says a word. */
export const mute: Behaviour = { greets: false }

/** Shakes hands and answers nothing at all. */
export const silent: Behaviour = { hear: (_self, _link, message) => message.command !== "verack" }

/** Shows headers, and never sends a block. */
export const stalling: Behaviour = { hear: (_self, _link, message) => message.command === "getdata" }

/** Has not the blocks whose headers it shows. */
export const forgetful: Behaviour = {
  hear: (_self, link, message) => {
    if (message.command !== "getdata") return false
    link.say({ command: "notfound", inventory: message.inventory })
    return true
  }
}
