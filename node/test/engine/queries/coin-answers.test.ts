import { assert, describe, it } from "@effect/vitest"
import type { Transaction } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { coinKey } from "../../../src/coins/coin-key.ts"
import type { RunningEngine } from "../../../src/engine/host/engine.ts"
import { activeAt } from "../../../src/engine/header-index/active-chain.ts"
import { forgetPlaces } from "../../../src/engine/header-index/block-place.ts"
import { hexOf } from "../../../src/hex.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { coinbaseAt, idOf, loose, mine, outputOf, PAY_TO_ANCHOR } from "../mempool/loose-transactions.ts"
import { PLANTED_AT } from "../planted-blocks.ts"
import { testEngine } from "../test-engine.ts"

const REWARD = 5_000_000_000n

/** An engine on a chain of 103 blocks, of which the last two spend: a coinbase, and what that transaction made. */
const spendingIn = Effect.fnUntraced(function*(directory: string) {
  const engine = yield* testEngine({ directory, mockTime: PLANTED_AT })
  yield* mine(engine, 101)
  const first = loose({ inputs: [yield* coinbaseAt(engine, 1)], values: [REWARD / 2n, REWARD / 2n - 1_000n] })
  yield* mine(engine, 1, [first])
  const second = loose({ inputs: [outputOf(first, 1)], values: [REWARD / 2n - 9_000n] })
  yield* mine(engine, 1, [second])
  return { directory, engine, first, second }
})

const spending = Effect.flatMap(temporaryDirectory, spendingIn)

const setHashOf = ({ call }: RunningEngine) =>
  Effect.map(
    call("setStatistics", { hashType: "hash_serialized_3", at: undefined, useIndex: false }),
    ({ block, setHash, txouts }) => ({ block: hexOf(block), hash: hexOf(setHash!), coins: Number(txouts) })
  )

describe("a coin", () => {
  it.live("is answered with where it was made and the tip, whether it is in memory or not; a spent one is none", () =>
    Effect.gen(function*() {
      const answersRightly = Effect.fnUntraced(
        function*(engine: RunningEngine, first: Transaction, second: Transaction) {
          const { call, chain } = engine
          const { hash } = chain.tree.tip
          const made = { bestBlock: hash.slice(), bestHeight: 103, script: PAY_TO_ANCHOR, isCoinbase: false }
          assert.deepEqual(yield* call("coin", outputOf(first)), { ...made, value: REWARD / 2n, height: 102 })
          assert.deepEqual(yield* call("coin", outputOf(second)), { ...made, value: REWARD / 2n - 9_000n, height: 103 })
          assert.deepEqual(yield* call("coin", yield* coinbaseAt(engine, 50)), {
            ...made,
            value: REWARD,
            height: 50,
            isCoinbase: true
          })
          assert.isUndefined(yield* call("coin", outputOf(first, 1)))
          assert.isUndefined(yield* call("coin", { txid: new Uint8Array(32), vout: 0 }))
        }
      )
      const directory = yield* temporaryDirectory
      const { first, second } = yield* Effect.scoped(Effect.gen(function*() {
        const made = yield* spendingIn(directory)
        yield* answersRightly(made.engine, made.first, made.second)
        yield* made.engine.call("close", undefined)
        return made
      }))
      yield* answersRightly(yield* testEngine({ directory, mockTime: PLANTED_AT }), first, second)
    }))

  it.live("leads to the block of its transaction, by whichever output is left", () =>
    Effect.gen(function*() {
      const { engine, first, second } = yield* spending
      const blockOf = (txid: Uint8Array) => engine.call("coinBlock", { txid })
      const at = (height: number) => activeAt(engine.chain.tree, height)!.hash
      assert.deepEqual(yield* blockOf(idOf(first)), at(102))
      assert.deepEqual(yield* blockOf(idOf(second)), at(103))
      const third = loose({ inputs: [outputOf(first), outputOf(second)], values: [1_000n, 2_000n, 3_000n] })
      yield* mine(engine, 1, [third])
      assert.isUndefined(yield* blockOf(idOf(first)), "all of it is spent")
      const fourth = loose({ inputs: [outputOf(third), outputOf(third, 1)], values: [2_500n] })
      yield* mine(engine, 1, [fourth])
      assert.deepEqual(yield* blockOf(idOf(third)), at(104), "its third output is left")
    }))
})

describe("the coins written into a file", () => {
  it.live("are those of the tip, or of an earlier block whatever was made and spent since", () =>
    Effect.gen(function*() {
      const { directory, engine, first, second } = yield* spending
      const before = yield* setHashOf(engine)
      const third = loose({ inputs: [outputOf(first), outputOf(second)], values: [1_000n, 2_000n] })
      const fourth = loose({ inputs: [outputOf(third, 1)], values: [1_500n] })
      yield* mine(engine, 1, [third, fourth])
      yield* mine(engine, 2, [])
      const after = yield* setHashOf(engine)
      const dump = (height: number | undefined) =>
        Effect.map(
          engine.call("dumpCoins", { file: join(directory, "utxo.dat"), height }),
          ({ block, coins, height: reached, setHash, transactions }) => ({
            observed: { block: hexOf(block), hash: hexOf(setHash), coins },
            reached,
            transactions
          })
        )
      assert.deepEqual(yield* dump(103), { observed: before, reached: 103, transactions: 106 })
      assert.deepEqual(yield* dump(undefined), { observed: after, reached: 106, transactions: 111 })
      assert.deepEqual(yield* dump(10_000), { observed: after, reached: 106, transactions: 111 })
    }))

  it.live("leave no file behind where a block on the way back cannot be read, and the reason is reported", () =>
    Effect.gen(function*() {
      const { directory, engine } = yield* spending
      const file = join(directory, "utxo.dat")
      const gone = activeAt(engine.chain.tree, 103)!
      engine.chain.recent.remove(gone.index)
      forgetPlaces(engine.chain.tree, gone)
      const failed = yield* Effect.flip(engine.call("dumpCoins", { file, height: 101 }))
      assert.deepInclude(failed, { _tag: "StorageFailed", reason: "missing" })
      assert.isFalse(existsSync(file))
      const elsewhere = join(directory, "no", "such", "place.dat")
      const refused = yield* Effect.flip(engine.call("dumpCoins", { file: elsewhere, height: undefined }))
      assert.strictEqual(refused._tag, "SnapshotNotWritten")
      assert.include("cause" in refused ? refused.cause : "", "ENOENT")
    }))

  it.live("leave no file behind where a coin cannot be read, and the reason is reported", () =>
    Effect.gen(function*() {
      const { directory, engine, second } = yield* spending
      const file = join(directory, "utxo.dat")
      // What is written first, so that the coin is in the store.
      yield* engine.call("dumpCoins", { file, height: undefined })
      yield* engine.chain.store.write((batch) => batch.put(coinKey(outputOf(second)), Uint8Array.of(0xff)))
      const failed = yield* Effect.flip(engine.call("dumpCoins", { file, height: undefined }))
      assert.deepInclude(failed, { _tag: "StorageFailed", reason: "corrupt" })
      assert.isFalse(existsSync(file))
    }))
})
