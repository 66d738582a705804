import { assert, describe, it } from "@effect/vitest"
import { concatBytes } from "@lockstep/kernel/bytes"
import * as Effect from "effect/Effect"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { PLANTED_AT, plantChain, type Planned, plantedRoot } from "../planted-blocks.ts"
import { testEngine } from "../test-engine.ts"

/** How far a block may be ahead of the tip, and how far its chain may be behind it. */
const AHEAD = 288
const BEHIND = 144

const chain = plantChain(plantedRoot(), AHEAD + 2)
const [side1, side2, side3] = plantChain(plantedRoot(), 3, 64) as [Planned, Planned, Planned]

/** An engine whose network's chain has at least so much work; each block of regtest has 2. */
const place = Effect.fnUntraced(function*(minimumChainWork = 0n) {
  const refused: Array<string> = []
  const { call } = yield* testEngine({
    directory: yield* temporaryDirectory,
    mockTime: PLANTED_AT,
    options: { notifiesTips: true },
    news: (news: EngineNotification) => void (news._tag === "Refused" && refused.push(news.why.what)),
    parts: (parts) => ({ ...parts, network: { ...parts.network, minimumChainWork } })
  })
  /** Whether a block of a peer is stored. */
  const isStored = (block: Planned, requested: boolean) =>
    Effect.map(call("acceptBlock", { bytes: block.bytes.slice(), requested }), ({ isNew, rejection }) => {
      assert.isUndefined(rejection)
      return isNew
    })
  const learn = (blocks: ReadonlyArray<Planned>) =>
    call("acceptHeaders", { headers: concatBytes(blocks.map(({ bytes }) => bytes.subarray(0, 80))) })
  /** Waits for the tip: blocks that came out of order may be connected in turns, with commits in between. */
  const connectedTo = (height: number) =>
    call("chainTips", undefined).pipe(
      Effect.map((tips) => tips.some((tip) => tip.status === "active" && tip.height === height)),
      Effect.tap((isThere) => isThere ? Effect.void : Effect.sleep("10 millis")),
      Effect.repeat({ until: (isThere) => isThere })
    )
  return { connectedTo, isStored, learn, refused }
})

describe("a block of a peer that was not requested", () => {
  it.live("is stored up to 288 blocks ahead of the tip, once; a requested one wherever it is", () =>
    Effect.gen(function*() {
      const { isStored, learn } = yield* place()
      yield* learn(chain)
      assert.isTrue(yield* isStored(chain[AHEAD - 1]!, false))
      assert.isFalse(yield* isStored(chain[AHEAD - 1]!, false))
      assert.isFalse(yield* isStored(chain[AHEAD]!, false))
      assert.isTrue(yield* isStored(chain[AHEAD]!, true))
    }).pipe(Effect.scoped))

  it.live("is stored where its chain has as much work as the tip's, and not where it has less", () =>
    Effect.gen(function*() {
      const { connectedTo, isStored, refused } = yield* place()
      for (const block of chain.slice(0, 2)) yield* isStored(block, true)
      yield* connectedTo(2)
      assert.isFalse(yield* isStored(side1, false))
      assert.isTrue(yield* isStored(side2, false))
      assert.isTrue(yield* isStored(side1, true))
      assert.deepStrictEqual(refused, [])
    }).pipe(Effect.scoped))

  it.live("is dropped with its header where its chain is 145 blocks behind the tip's, unless the header is known", () =>
    Effect.gen(function*() {
      const { connectedTo, isStored, learn, refused } = yield* place()
      const main = chain.slice(0, BEHIND + 2)
      yield* learn(main)
      // The first comes last, so that all are connected and committed together.
      for (const block of main.toReversed()) yield* isStored(block, true)
      yield* connectedTo(main.length)
      assert.isFalse(yield* isStored(side1, true))
      assert.deepStrictEqual(refused, ["too little work"])
      yield* learn([side1])
      assert.isTrue(yield* isStored(side1, true))
      assert.isTrue(yield* isStored(side2, true), "that is 144 behind")
      assert.deepStrictEqual(refused, ["too little work"])
    }).pipe(Effect.scoped))

  it.live("is dropped where its chain has less work than the network's, and not stored unasked", () =>
    Effect.gen(function*() {
      const { isStored, learn, refused } = yield* place(8n)
      yield* learn([side1])
      assert.isFalse(yield* isStored(side2, true))
      assert.deepStrictEqual(refused, ["too little work"])
      yield* learn([side2])
      assert.isFalse(yield* isStored(side2, false))
      assert.isTrue(yield* isStored(side3, false))
      assert.isTrue(yield* isStored(side2, true))
      assert.deepStrictEqual(refused, ["too little work"])
    }).pipe(Effect.scoped))
})
