import { assert, describe, it } from "@effect/vitest"
import type { Block, Transaction } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import { activeAt } from "../../../src/engine/header-index/active-chain.ts"
import { loadBlock } from "../../../src/engine/validation/load-block.ts"
import { pool } from "../../../src/engine/mempool/mempool-extension.ts"
import { makeMempool } from "../../../src/engine/mempool/mempool.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { PLANTED_AT } from "../planted-blocks.ts"
import { type PoolEngine, testEngine } from "../test-engine.ts"
import { coinbaseAt, idOf, loose, mine, outputOf, rawOf } from "./loose-transactions.ts"

const REWARD = 5_000_000_000n
const FEE = 1_000n

/** An engine with 110 blocks to anybody, whose pool is in use. */
const started = Effect.gen(function*() {
  const engine = yield* testEngine({ directory: yield* temporaryDirectory, extensions: [pool], mockTime: PLANTED_AT })
  yield* mine(engine, 110)
  return engine
})

const poolIds = ({ call }: PoolEngine) =>
  Effect.map(call("followPool", undefined), (all) => all.map(({ txid }) => Buffer.from(txid).toString("hex")))

const idsOf = (...transactions: ReadonlyArray<Transaction>) =>
  transactions.map((tx) => Buffer.from(idOf(tx)).toString("hex"))

const spendOf = (tx: Transaction, n: bigint): Transaction =>
  loose({ inputs: [outputOf(tx)], values: [REWARD - n * FEE] })

const invalidate = ({ call, chain }: PoolEngine, height: number) =>
  call("invalidateBlock", { hash: activeAt(chain.tree, height)!.hash.slice() })

describe("transactions of disconnected blocks", () => {
  it.live("return oldest block first: each finds in the pool what it spends, across blocks and within one", () =>
    Effect.gen(function*() {
      const engine = yield* started
      const first = loose({ inputs: [yield* coinbaseAt(engine, 1)], values: [REWARD - FEE] })
      const second = spendOf(first, 2n)
      const third = spendOf(second, 3n)
      const fourth = spendOf(third, 4n)
      const fifth = spendOf(fourth, 5n)
      yield* mine(engine, 1, [first])
      yield* mine(engine, 1, [second, third])
      yield* mine(engine, 1)
      yield* mine(engine, 1, [fourth])
      const offered = yield* engine.call("acceptTransaction", { bytes: rawOf(fifth) })
      assert.strictEqual(offered._tag, "Accepted")
      yield* invalidate(engine, 111)
      assert.deepStrictEqual(yield* poolIds(engine), idsOf(first, second, third, fourth, fifth))
    }))

  it.live("return only when their scripts hold under the flags of the pool", () =>
    Effect.gen(function*() {
      const engine = yield* started
      // A NOP that is kept for upgrades: fine in a block, not in the pool.
      const upgradable = loose({
        inputs: [yield* coinbaseAt(engine, 1)],
        values: [REWARD - FEE],
        outputScript: Uint8Array.of(0x51, 0xb9, 0x61, 0x61, 0x61, 0x61)
      })
      const spend = spendOf(upgradable, 2n)
      const onSpend = spendOf(spend, 3n)
      const other = loose({ inputs: [yield* coinbaseAt(engine, 2)], values: [REWARD - FEE] })
      yield* mine(engine, 1, [upgradable])
      yield* mine(engine, 1, [spend, onSpend, other])
      yield* invalidate(engine, 112)
      assert.deepStrictEqual(yield* poolIds(engine), idsOf(other))
      yield* invalidate(engine, 111)
      assert.sameMembers([...(yield* poolIds(engine))], [...idsOf(upgradable, other)])
    }))

  it.live("return only when they pay what the pool asks, and never the coinbase", () =>
    Effect.gen(function*() {
      const engine = yield* started
      const free = loose({ inputs: [yield* coinbaseAt(engine, 1)], values: [REWARD] })
      const onFree = spendOf(free, 1n)
      const paid = loose({ inputs: [yield* coinbaseAt(engine, 2)], values: [REWARD - FEE] })
      yield* mine(engine, 1, [free, onFree, paid])
      yield* invalidate(engine, 111)
      assert.deepStrictEqual(yield* poolIds(engine), idsOf(paid))
    }))

  it.live("are bounded by 20 MB: those of the older blocks are kept", () =>
    Effect.gen(function*() {
      const engine = yield* started
      const own = makeMempool(engine.chain)
      const { block } = yield* loadBlock(engine.chain, activeAt(engine.chain.tree, 1)!)
      const older = loose({ inputs: [yield* coinbaseAt(engine, 1)], values: [REWARD - FEE] })
      const newer = loose({ inputs: [yield* coinbaseAt(engine, 2)], values: [REWARD - FEE] })
      /** The parts of a block that come back: `size` bytes that are no transaction, and one that is. */
      const blockWith = (tx: Transaction, size: number): Block => ({
        ...block,
        transactions: [block.transactions[0]!, { ...tx, bytes: new Uint8Array(size) }, tx]
      })
      own.disconnected(blockWith(newer, 1_000))
      own.disconnected(blockWith(older, 20_000_000 - older.bytes.length - newer.bytes.length - 1))
      yield* own.rejudge
      assert.deepStrictEqual([...own.entries.byTxid.values()].map(({ tx }) => idsOf(tx)[0]), idsOf(older))
    }))
})
