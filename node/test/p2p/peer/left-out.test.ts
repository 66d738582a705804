import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { connectTo, settle, usualVersion } from "./scripted-peer.ts"
import { stillChain } from "./still-chain.ts"
import { testHost } from "./test-host.ts"

describe("messages that a node leaves out", () => {
  it.effect("are traced: those of an unknown type, and a second verack", () =>
    Effect.gen(function*() {
      const { happenings, host, magic } = yield* testHost({ chain: stillChain(), parts: () => Effect.succeed([]) })
      const peer = connectTo(host, magic)
      const leftOut = () => happenings.flatMap((each) => each._tag === "LeftOut" ? [`${each.command} ${each.why}`] : [])
      peer.sayPayload("nonsense", new Uint8Array(1))
      yield* settle
      peer.say(usualVersion)
      peer.sayPayload("nonsense", new Uint8Array(1))
      yield* settle
      peer.say({ command: "verack" }, { command: "verack" })
      peer.sayPayload("nonsense", new Uint8Array(1))
      yield* settle
      assert.deepStrictEqual(leftOut(), [
        "nonsense before version",
        "nonsense before verack",
        "verack again",
        "nonsense unknown type"
      ])
      assert.isFalse(peer.is.closed)
    }))
})
