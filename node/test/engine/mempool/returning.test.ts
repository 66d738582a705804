import { assert, describe, it } from "@effect/vitest"
import { type Transaction, transactionOf } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { activeAt } from "../../../src/engine/header-index/active-chain.ts"
import { pool } from "../../../src/engine/mempool/mempool-extension.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { PLANTED_AT } from "../planted-blocks.ts"
import { type PoolEngine, testEngine } from "../test-engine.ts"
import { coinbaseAt, idOf, loose, mine, outputOf, rawOf } from "./loose-transactions.ts"

const REWARD = 5_000_000_000n
const FEE = 1_000n

const payToWitnessScriptHash = (script: Uint8Array): Uint8Array =>
  Uint8Array.of(0, 32, ...createHash("sha256").update(script).digest())

/** An engine in use of its mempool, with 110 blocks whose coinbases anyone can spend. */
const started = Effect.gen(function*() {
  const engine = yield* testEngine({ directory: yield* temporaryDirectory, extensions: [pool], mockTime: PLANTED_AT })
  yield* mine(engine, 110)
  return engine
})

const poolIds = ({ call }: PoolEngine) =>
  Effect.map(call("followMempool", undefined), (all) => all.map(({ txid }) => Buffer.from(txid).toString("hex")))

const offer = ({ call }: PoolEngine, tx: Transaction) =>
  Effect.map(call("acceptTransaction", { bytes: rawOf(tx) }), ({ _tag }) => _tag)

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

  it.live("return whatever they pay, but not what the rules of relay refuse, nor what spends it; nor the coinbase", () =>
    Effect.gen(function*() {
      const engine = yield* started
      const free = loose({ inputs: [yield* coinbaseAt(engine, 1)], values: [REWARD] })
      const onFree = spendOf(free, 1n)
      const odd = loose({ inputs: [yield* coinbaseAt(engine, 2)], values: [REWARD - FEE], version: 4 })
      const onOdd = spendOf(odd, 2n)
      yield* mine(engine, 1, [free, odd])
      yield* offer(engine, onFree)
      yield* offer(engine, onOdd)
      assert.sameMembers([...(yield* poolIds(engine))], [...idsOf(onFree, onOdd)])
      yield* invalidate(engine, 111)
      assert.sameMembers([...(yield* poolIds(engine))], [...idsOf(free, onFree)])
    }))

  it.live("return if their scripts hold by the pool's flags, which are more than those of blocks", () =>
    Effect.gen(function*() {
      const engine = yield* started
      const [OP_1, OP_NOP10] = [0x51, 0xb9]
      const paidTo = (height: number, script: Uint8Array) =>
        Effect.map(
          coinbaseAt(engine, height),
          (coinbase) =>
            loose({ inputs: [coinbase], values: [REWARD - FEE], outputScript: payToWitnessScriptHash(script) })
        )
      const spent = (tx: Transaction, script: Uint8Array) =>
        transactionOf({
          version: 2,
          inputs: [{ prevout: outputOf(tx), script: new Uint8Array(), sequence: 0xffffffff, witness: [script] }],
          outputs: loose({ inputs: [outputOf(tx)], values: [REWARD - 2n * FEE] }).outputs,
          lockTime: 0
        })
      const [upgradable, plain] = [Uint8Array.of(OP_NOP10, OP_1), Uint8Array.of(OP_1)]
      const [odd, usual] = [yield* paidTo(1, upgradable), yield* paidTo(2, plain)]
      yield* mine(engine, 1, [odd, usual])
      const [onOdd, onUsual] = [spent(odd, upgradable), spent(usual, plain)]
      yield* mine(engine, 1, [onOdd, onUsual])
      yield* invalidate(engine, 112)
      assert.deepStrictEqual(yield* poolIds(engine), idsOf(onUsual))
    }))

  it.live("return of the ten newest blocks that an operator takes back, and older ones take along what spends them", () =>
    Effect.gen(function*() {
      const engine = yield* started
      const old = loose({ inputs: [yield* coinbaseAt(engine, 1)], values: [REWARD - FEE] })
      const onOld = spendOf(old, 2n)
      const young = loose({ inputs: [yield* coinbaseAt(engine, 2)], values: [REWARD - FEE] })
      yield* mine(engine, 1, [old])
      yield* mine(engine, 1, [young])
      yield* mine(engine, 9)
      yield* offer(engine, onOld)
      yield* invalidate(engine, 111)
      assert.strictEqual(engine.chain.tree.tip.height, 110)
      assert.deepStrictEqual(yield* poolIds(engine), idsOf(young))
    }))

  it.live("leave when the other branch makes them invalid: an unripe coinbase, a lock that holds again", () =>
    Effect.gen(function*() {
      const engine = yield* started
      yield* mine(engine, 3)
      const unripe = loose({ inputs: [yield* coinbaseAt(engine, 14)], values: [REWARD - FEE] })
      const onUnripe = spendOf(unripe, 2n)
      const ripe = loose({ inputs: [yield* coinbaseAt(engine, 3)], values: [REWARD - FEE] })
      const locked = loose({ inputs: [yield* coinbaseAt(engine, 4)], values: [REWARD - FEE], sequence: 109 })
      const late = loose({ inputs: [yield* coinbaseAt(engine, 5)], values: [REWARD - FEE], sequence: 0, lockTime: 113 })
      const early = loose({
        inputs: [yield* coinbaseAt(engine, 6)],
        values: [REWARD - FEE],
        sequence: 0,
        lockTime: 110
      })
      for (const tx of [unripe, onUnripe, ripe, locked, late, early]) {
        assert.strictEqual(yield* offer(engine, tx), "Accepted")
      }
      yield* invalidate(engine, 112)
      assert.sameMembers([...(yield* poolIds(engine))], [...idsOf(ripe, early)])
    }))

  it.live("leave alone what spends coins that are on disk and not in memory", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const options = { dbcacheBytes: 1 }
      const engine = yield* testEngine({ directory, extensions: [pool], mockTime: PLANTED_AT, options })
      yield* mine(engine, 110)
      const tx = loose({ inputs: [yield* coinbaseAt(engine, 1)], values: [REWARD - FEE] })
      assert.strictEqual(yield* offer(engine, tx), "Accepted")
      yield* mine(engine, 1)
      yield* engine.call("flush", undefined)
      assert.isUndefined(engine.chain.coins.coinAt(tx.inputs[0]!.prevout))
      yield* invalidate(engine, 111)
      assert.deepStrictEqual(yield* poolIds(engine), idsOf(tx))
    }))

  it.live("may come back as one cluster with what spends them", () =>
    Effect.gen(function*() {
      const engine = yield* started
      const parent = loose({ inputs: [yield* coinbaseAt(engine, 1)], values: [REWARD / 2n - FEE, REWARD / 2n - FEE] })
      const children = [0, 1].map((vout) =>
        loose({ inputs: [outputOf(parent, vout)], values: [REWARD / 2n - 3n * FEE] })
      )
      yield* mine(engine, 1, [parent])
      for (const child of children) yield* offer(engine, child)
      yield* invalidate(engine, 111)
      assert.sameMembers([...(yield* poolIds(engine))], [...idsOf(parent, ...children)])
      yield* mine(engine, 1, [parent, children[0]!])
      assert.deepStrictEqual(yield* poolIds(engine), idsOf(children[1]!))
    }))
})
