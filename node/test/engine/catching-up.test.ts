import { assert, describe, it } from "@effect/vitest"
import { transactionOf } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import type { RunningEngine } from "../../src/engine/host/engine.ts"
import type { EngineOptions } from "../../src/engine/options/engine-options.ts"
import { loadBlock } from "../../src/engine/validation/load-block.ts"
import { activeAt } from "../../src/engine/header-index/active-chain.ts"
import { inThreadPool } from "../../src/engine/script-pool/in-thread.ts"
import { chainState } from "../../src/engine/chainstate/push-state.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { testCrypto, testEngine } from "./test-engine.ts"

const START = 1_700_000_000
const TRUE = Uint8Array.of(0x51)

const request = (blocks: number, transactions: ReadonlyArray<Uint8Array> = []) => ({
  script: TRUE,
  blocks,
  maxTries: 1_000_000,
  transactions,
  submit: true
})

/** The height of the one block whose scripts are worth judging. */
const SPEND = 102

/** A chain on which one coin is spent, long enough that the spend is two weeks of work deep. */
const longChain = Effect.gen(function*() {
  const { call, chain } = yield* testEngine({ directory: yield* temporaryDirectory, mockTime: START })
  yield* call("generate", request(SPEND - 1))
  const first = yield* loadBlock(chain, activeAt(chain.tree, 1)!)
  const spend = transactionOf({
    version: 2,
    inputs: [{
      prevout: { txid: first.identity.transactionIds.subarray(0, 32), vout: 0 },
      script: new Uint8Array(),
      sequence: 0,
      witness: []
    }],
    outputs: [{ value: 4_999_990_000n, script: TRUE }],
    lockTime: 0
  })
  yield* call("generate", request(1, [spend.bytes]))
  yield* call("generate", request(2_100))
  const blocks: Array<Uint8Array> = []
  for (let height = 1; height <= chain.tree.tip.height; height++) {
    blocks.push((yield* loadBlock(chain, activeAt(chain.tree, height)!)).block.bytes)
  }
  return blocks
}).pipe(Effect.scoped)

/** Heights whose scripts are judged when the headers, up to one, come first and then the blocks up to the spend. */
const judgedHeights = Effect.fnUntraced(function*(
  blocks: ReadonlyArray<Uint8Array>,
  headers: number,
  assumedValid: EngineOptions["assumedValid"]
) {
  const judged: Array<number> = []
  const pool = inThreadPool(testCrypto)
  const engine: RunningEngine = yield* testEngine({
    directory: yield* temporaryDirectory,
    mockTime: START,
    options: { assumedValid },
    parts: (parts) => ({
      ...parts,
      pool: {
        ...pool,
        judge: (block, collected) => {
          judged.push(engine.chain.tree.tip.height + 1)
          return pool.judge(block, collected)
        }
      }
    })
  })
  for (const bytes of blocks.slice(0, headers)) yield* engine.call("submitHeader", { bytes: bytes.subarray(0, 80) })
  for (const bytes of blocks.slice(0, SPEND)) yield* engine.call("submitBlock", { bytes })
  assert.strictEqual(engine.chain.tree.tip.height, SPEND)
  return judged
}, Effect.scoped)

describe("an engine that catches up", () => {
  it.live(
    "takes scripts to hold below the assumed-valid block, and only when it is buried",
    () =>
      Effect.gen(function*() {
        const blocks = yield* longChain
        const height = (at: number): EngineOptions["assumedValid"] => ({ _tag: "Height", height: at })
        assert.deepStrictEqual(yield* judgedHeights(blocks, blocks.length, height(150)), [])
        assert.deepStrictEqual(yield* judgedHeights(blocks, blocks.length, { _tag: "Nothing" }), [SPEND])
        assert.deepStrictEqual(yield* judgedHeights(blocks, blocks.length, height(SPEND - 1)), [SPEND])
        // Two weeks are 2,016 blocks.
        assert.deepStrictEqual(yield* judgedHeights(blocks, SPEND + 2_016, height(150)), [SPEND])
        assert.deepStrictEqual(yield* judgedHeights(blocks, SPEND + 2_017, height(150)), [])
        assert.deepStrictEqual(yield* judgedHeights(blocks, 0, height(150)), [SPEND])
      })
  )

  it.live(
    "judges scripts that it took to hold when the block is connected again and nothing is assumed any more, and then once",
    () =>
      Effect.gen(function*() {
        const blocks = yield* longChain
        const judged: Array<number> = []
        const pool = inThreadPool(testCrypto)
        const engine: RunningEngine = yield* testEngine({
          directory: yield* temporaryDirectory,
          mockTime: START,
          options: { assumedValid: { _tag: "Height", height: 150 } },
          parts: (parts) => ({
            ...parts,
            pool: {
              ...pool,
              judge: (block, collected) => {
                judged.push(engine.chain.tree.tip.height + 1)
                return pool.judge(block, collected)
              }
            }
          })
        })
        for (const bytes of blocks) yield* engine.call("submitHeader", { bytes: bytes.subarray(0, 80) })
        for (const bytes of blocks.slice(0, SPEND)) yield* engine.call("submitBlock", { bytes })
        assert.deepStrictEqual(judged, [])
        const again = Effect.gen(function*() {
          const hash = engine.chain.tree.tip.hash.slice()
          yield* engine.call("invalidateBlock", { hash })
          assert.strictEqual(engine.chain.tree.tip.height, SPEND - 1)
          yield* engine.call("reconsiderBlock", { hash })
          assert.strictEqual(engine.chain.tree.tip.height, SPEND)
        })
        yield* again
        assert.deepStrictEqual(judged, [], "it is still assumed")
        Object.assign(engine.chain.options, { assumedValid: { _tag: "Nothing" } })
        yield* again
        assert.deepStrictEqual(judged, [SPEND])
        yield* again
        assert.deepStrictEqual(judged, [SPEND], "it was judged before")
      })
  )

  it.live("is in the initial download until its tip is recent, and never again", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* Effect.scoped(Effect.gen(function*() {
        const { call, chain } = yield* testEngine({ directory, mockTime: START })
        assert.isTrue(chainState(chain).initialBlockDownload)
        yield* call("generate", request(1))
        assert.isFalse(chainState(chain).initialBlockDownload)
        yield* call("setMockTime", { time: START + 30 * 24 * 3_600 })
        assert.isFalse(chainState(chain).initialBlockDownload)
      }))
      const dayLater = START + 24 * 3_600
      yield* Effect.scoped(Effect.gen(function*() {
        const { chain } = yield* testEngine({ directory, mockTime: dayLater })
        assert.isFalse(chainState(chain).initialBlockDownload)
      }))
      yield* Effect.scoped(Effect.gen(function*() {
        const { chain } = yield* testEngine({ directory, mockTime: dayLater + 1 })
        assert.isTrue(chainState(chain).initialBlockDownload)
      }))
    }))
})
