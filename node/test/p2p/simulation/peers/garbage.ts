import { COMMANDS } from "@lockstep/protocol/wire/codecs.ts"
import type { Behaviour } from "./behaviour.ts"
import { sometimes } from "./sometimes.ts"

/** Says bytes that are no messages, once it is ready. */
export const noise: Behaviour = {
  act: sometimes(6, (self, link) => {
    // Whatever it is, it does not begin as a frame does.
    link.sayBytes(Uint8Array.of(0, ...self.random.bytes(30 + self.random.below(2_000))))
    self.offend(link, "bytes that are no frame", { answer: "disconnect" })
  })
}

/** Says bytes that are no messages instead of who it is. */
export const rude: Behaviour = {
  greets: false,
  begin: (self, link) => {
    link.sayBytes(Uint8Array.of(0, ...self.random.bytes(200)))
    self.offend(link, "bytes that are no frame, first of all", { answer: "disconnect" })
  }
}

/** Sends any bytes as any command: they may be a message, or not. */
export const babbling: Behaviour = {
  act: ({ random }, link) => {
    const words = COMMANDS.filter((command) => command !== "headers" && command !== "block" && command !== "cmpctblock")
    const command = random.below(8) === 0 ? "nonsense" : words[random.below(words.length)]!
    link.sayPayload(command, random.bytes(random.below(300)))
  }
}

/** Says its name again and again, and shakes hands that were shaken. */
export const forward: Behaviour = {
  act: sometimes(2, (_self, link) => {
    if (link.hello !== undefined) link.say(link.hello, { command: "verack" })
  })
}
