import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { coinKey } from "../../../src/coins/coin-key.ts"
import { makeWriter } from "../../../src/engine/chainstate/writer.ts"
import { activeAt } from "../../../src/engine/header-index/active-chain.ts"
import { coinDump } from "../../../src/engine/queries/coin-dump.ts"
import { displayHash } from "../../../src/hex.ts"
import type { KeyValueStore } from "../../../src/storage/key-value/key-value-store.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { coinbaseAt } from "../mempool/loose-transactions.ts"
import { PLANTED_AT, plantChain, plantedRoot } from "../planted-blocks.ts"
import { testEngine } from "../test-engine.ts"

/** What two blocks change: each the coin of its coinbase, and the witness commitment, which is unspendable. */
const MOST = 4

const CHAIN = plantChain(plantedRoot(), 5)

/** An engine on the chain, which counts the snapshots that are open. */
const started = Effect.gen(function*() {
  const directory = yield* temporaryDirectory
  const counted = { open: 0, made: 0 }
  const counting = (store: KeyValueStore): KeyValueStore => ({
    ...store,
    snapshot: Effect.map(store.snapshot, (snapshot) => {
      counted.open++
      counted.made++
      return { ...snapshot, close: Effect.andThen(snapshot.close, Effect.sync(() => void counted.open--)) }
    })
  })
  const engine = yield* testEngine({ directory, mockTime: PLANTED_AT, store: counting })
  for (const { bytes } of CHAIN) yield* engine.call("submitBlock", { bytes: bytes.slice() })
  counted.made = 0
  const file = join(directory, "utxo.dat")
  const { dumpCoins } = coinDump(engine.chain, makeWriter(engine.chain), MOST)
  return { ...engine, counted, file, dump: (height?: number) => dumpCoins({ file, height }) }
})

describe("the coins of an earlier block", () => {
  it.live("are written where few enough coins differ, and otherwise nothing is left of the file", () =>
    Effect.gen(function*() {
      const { counted, dump, file } = yield* started
      const { setHash: ofTip, ...tip } = yield* dump()
      assert.deepStrictEqual(tip, { coins: 5, block: CHAIN[4]!.node.hash, height: 5, transactions: 6 })
      const { setHash, ...written } = yield* dump(3)
      assert.deepStrictEqual(written, { coins: 3, block: CHAIN[2]!.node.hash, height: 3, transactions: 4 })
      assert.notDeepEqual(setHash, ofTip)
      assert.isTrue(existsSync(file))
      const refused = yield* Effect.flip(dump(2))
      assert.deepStrictEqual(refused, { _tag: "SnapshotNotWritten", cause: "the block is too far back" })
      assert.isFalse(existsSync(file))
      assert.deepStrictEqual(counted, { open: 0, made: 3 })
    }))
})

describe("a coin that cannot be read", () => {
  it.live("ends what looks for the block of its transaction, with its name", () =>
    Effect.gen(function*() {
      const { call, chain } = yield* started
      const { txid } = yield* coinbaseAt({ chain }, 3)
      assert.deepStrictEqual(yield* call("coinBlock", { txid }), activeAt(chain.tree, 3)!.hash)
      yield* chain.store.write((batch) => batch.put(coinKey({ txid, vout: 0 }), Uint8Array.of(0xff)))
      const failed = yield* Effect.flip(call("coinBlock", { txid }))
      assert.strictEqual(failed._tag, "Broken")
      assert.include(JSON.stringify(failed), `The stored coin ${displayHash(txid)}:0 is damaged`)
    }))
})
