import { assert, describe, it } from "@effect/vitest"
import { linesOfTraceEvent } from "../../src/bitcoind/log/lines-of-trace-events.ts"
import type { Punishment } from "../../src/runtime/trace.ts"

describe("the line about what follows from misbehavior", () => {
  it.each<readonly [punishment: Punishment, isOnion: boolean, level: string, text: string]>([
    ["discouraged", false, "debug", "Disconnecting and discouraging peer 1!"],
    ["disconnected", false, "debug", "Warning: disconnecting but not discouraging local peer 1!"],
    ["disconnected", true, "debug", "Warning: disconnecting but not discouraging inbound onion peer 1!"],
    ["kept as manual", false, "warning", "Not punishing manually connected peer 1!"],
    ["kept as noban", false, "warning", "Not punishing noban peer 1!"]
  ])("says that the peer is %s (through Tor: %s), in Bitcoin Core's words", (punishment, isOnion, level, text) => {
    const happening = {
      _tag: "Misbehaving",
      peer: 1,
      address: "192.0.2.1:7",
      what: { _tag: "CompactBlockInvalid" },
      punishment,
      isOnion
    } as const
    const [said, followed] = linesOfTraceEvent(happening, false)
    assert.strictEqual(said?.text, "Misbehaving: peer=1: invalid compact block")
    assert.deepStrictEqual([followed?.level, followed?.text], [level, text])
    assert.include(linesOfTraceEvent(happening, true)[0]!.text, "peeraddr=192.0.2.1:7")
  })
})
