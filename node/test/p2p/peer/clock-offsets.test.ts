import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { clockOffsets } from "../../../src/p2p/peer/session/clock-offsets.ts"
import type { PeerKind } from "../../../src/p2p/peer/peer.ts"
import { connectTo, settle, usualVersion } from "./scripted-peer.ts"
import { stillChain } from "./still-chain.ts"
import { testHost } from "./test-host.ts"

const of = (...seconds: ReadonlyArray<number>) => {
  const offsets = clockOffsets()
  for (const each of seconds) offsets.add(each)
  return offsets
}

describe("clocks of other nodes", () => {
  it("say nothing while there are fewer than five", () => {
    assert.strictEqual(of(900, 900, 900, 900).median(), 0)
    assert.isFalse(of(900, 900, 900, 900).isFarOff())
    assert.strictEqual(of(900, 900, 900, 900, 900).median(), 900)
  })

  it("say the one in the middle, by number", () => {
    assert.strictEqual(of(100, -5, 9, 1_000, 20).median(), 20)
    assert.strictEqual(of(1, 2, 3, 4, 5, 6).median(), 4)
  })

  it("of the last fifty count", () => {
    const offsets = of(...Array.from({ length: 50 }, () => 700))
    for (let i = 0; i < 25; i++) offsets.add(0)
    assert.strictEqual(offsets.median(), 700)
    offsets.add(0)
    assert.strictEqual(offsets.median(), 0)
  })

  it("are far from ours beyond ten minutes, either way", () => {
    for (const [seconds, isFar] of [[600, false], [601, true], [-600, false], [-601, true]] as const) {
      assert.strictEqual(of(seconds, seconds, seconds, seconds, seconds).isFarOff(), isFar, String(seconds))
    }
  })
})

describe("an operator whose clock seems wrong", () => {
  it.effect("is warned once, and again when it was right in between; clocks of inbound peers do not count", () =>
    Effect.gen(function*() {
      const { host, lines, magic, session } = yield* testHost({ chain: stillChain() })
      const warnings = () => lines.flatMap(({ about, what }) => what.includes("clock") ? [about["seconds"]] : [])
      const meet = Effect.fnUntraced(function*(count: number, ahead: bigint, kind: PeerKind = "outbound-full-relay") {
        for (let i = 0; i < count; i++) {
          connectTo(host, magic, kind).say({ ...usualVersion, time: usualVersion.time + ahead })
        }
        yield* settle
        return warnings()
      })
      assert.deepStrictEqual(yield* meet(9, 1_000n, "inbound"), [])
      assert.deepStrictEqual(yield* meet(4, 1_000n), [])
      assert.deepStrictEqual(yield* meet(1, 1_000n), [1_000])
      assert.deepStrictEqual(yield* meet(1, 1_000n), [1_000])
      assert.deepStrictEqual(yield* meet(7, 0n), [1_000])
      assert.deepStrictEqual([session.clocks.median(), session.clocks.isFarOff()], [0, false])
      assert.deepStrictEqual(yield* meet(1, 1_000n), [1_000, 1_000])
    }))
})
