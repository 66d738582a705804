import { assert, describe, it } from "@effect/vitest"
import type { OutPoint } from "@lockstep/kernel/model"
import type { Coin } from "@lockstep/kernel/utxo"
import * as Effect from "effect/Effect"
import { unconfirmedOutputs } from "../../../src/engine/mempool/unconfirmed-outputs.ts"
import { testCrypto } from "../test-engine.ts"
import { add, emptyMempool } from "../txmempool/mempools.ts"
import { idOf, loose, outputOf, PAY_TO_ANCHOR } from "./loose-transactions.ts"

const SCRIPT = Uint8Array.of(0x51)
const COIN: Coin = { value: 5_000n, script: SCRIPT, height: 1, isCoinbase: false }
const PREVOUT: OutPoint = { txid: new Uint8Array(32).fill(7), vout: 3 }

/** Look-ups of a mempool whose coins on disk are those of `known`, once they were fetched. */
const made = (known: ReadonlyArray<number>) => {
  const state = emptyMempool()
  const inMemory = new Set<number>()
  const fetched: Array<ReadonlyArray<number>> = []
  const coins = {
    coinAt: ({ vout }: OutPoint) => inMemory.has(vout) ? { ...COIN, value: BigInt(vout) } : undefined,
    prefetchCoins: (outpoints: ReadonlyArray<OutPoint>) =>
      Effect.sync(() => {
        fetched.push(outpoints.map(({ vout }) => vout))
        for (const { vout } of outpoints) if (known.includes(vout)) inMemory.add(vout)
      })
  }
  const lookups = unconfirmedOutputs({ coins, crypto: testCrypto, state })
  const enter = (tx: ReturnType<typeof loose>): ReturnType<typeof loose> => {
    const handle = add(state, tx, 1_000)
    lookups.listener.added!(handle, state.entry(handle), 1, { isCounted: true, isNew: true })
    return tx
  }
  const leave = (tx: ReturnType<typeof loose>): void => {
    for (const entry of state.removeRecursive(tx, idOf(tx), "expiry")) lookups.listener.removed!(entry)
  }
  const paying = (vouts: ReadonlyArray<number>, script: Uint8Array, ...values: ReadonlyArray<bigint>) =>
    enter(loose({ inputs: vouts.map((vout) => ({ ...PREVOUT, vout })), values, outputScript: script }))
  const namesOf = (script: Uint8Array) => lookups.ofScript(testCrypto.sha256(script)).map(({ txid }) => txid)
  return { fetched, inMemory, leave, lookups, namesOf, paying }
}

describe("look-ups of the mempool", () => {
  const [one, other] = [Uint8Array.of(0x52), Uint8Array.of(0x53)]

  it.effect("know all transactions of a script until each leaves", () =>
    Effect.gen(function*() {
      const { inMemory, leave, lookups, namesOf, paying } = made([])
      for (const vout of [1, 2, 3, 4]) inMemory.add(vout)
      const all = [1, 2, 3].map((vout) => paying([vout], one, BigInt(vout), BigInt(vout)))
      const last = paying([4], other, 9n)
      for (let gone = 0; gone < 3; gone++) {
        assert.sameDeepMembers(namesOf(one), all.slice(gone).map(idOf))
        leave(all[gone]!)
      }
      assert.deepStrictEqual([namesOf(one), namesOf(other)], [[], [idOf(last)]])
      assert.isTrue(yield* lookups.resolve(10))
      // What pays to a script again after it had none.
      const again = paying([1], one, 7n)
      assert.deepStrictEqual(namesOf(one), [idOf(again)])
    }))

  it.effect("leave out what nothing can spend, and have values from the least to the most", () =>
    Effect.sync(() => {
      const { inMemory, lookups, namesOf, paying } = made([])
      inMemory.add(1)
      const padded = Uint8Array.of(0x6a)
      const data = paying([1], padded, 50n)
      const within = (least: bigint, most: bigint) =>
        lookups.ofValues(least, most).map(({ created, spent, txid }) => [txid, created.length, spent.length])
      assert.deepStrictEqual(namesOf(padded), [])
      assert.deepStrictEqual(within(50n, 50n), [])
      assert.deepStrictEqual([within(1n, 1n), within(2n, 9n), within(0n, 0n)], [[[idOf(data), 0, 1]], [], []])
      inMemory.add(2)
      const two = paying([2], one, 60n, 70n)
      for (const [least, most, created] of [[60n, 70n, 2], [61n, 70n, 1], [60n, 69n, 1]] as const) {
        assert.deepStrictEqual(within(least, most), [[idOf(two), created, 0]])
      }
      assert.deepStrictEqual(within(61n, 69n), [])
    }))

  it.effect("resolve so many at a time, wait for every coin, and pass over what has left or has no coin", () =>
    Effect.gen(function*() {
      const { fetched, inMemory, leave, lookups, namesOf, paying } = made([1, 2, 3])
      inMemory.add(1)
      const first = paying([1, 2], one, 5n)
      const second = paying([3], one, 5n)
      const lost = paying([4], one, 5n)
      const gone = paying([5], one, 5n)
      assert.deepStrictEqual([namesOf(one), lookups.bytes()], [[], 0])
      leave(gone)
      assert.isFalse(yield* lookups.resolve(1))
      assert.deepStrictEqual([fetched, namesOf(one)], [[[1, 2]], [idOf(first)]])
      const before = lookups.bytes()
      assert.isTrue(yield* lookups.resolve(2))
      assert.deepStrictEqual([fetched[1], namesOf(one)], [[3, 4], [idOf(first), idOf(second)]])
      assert.isAbove(lookups.bytes(), before)
      leave(lost)
      leave(second)
      assert.strictEqual(lookups.bytes(), before)
    }))
})

describe("look-ups of the mempool by what transactions spend", () => {
  it.effect("know of a coin on disk once they are asked, and of an output of the mempool at once", () =>
    Effect.gen(function*() {
      let isInMemory = false
      const fetched: Array<ReadonlyArray<OutPoint>> = []
      const state = emptyMempool()
      const coins = {
        coinAt: () => isInMemory ? COIN : undefined,
        prefetchCoins: (outpoints: ReadonlyArray<OutPoint>) =>
          Effect.sync(() => {
            fetched.push(outpoints)
            isInMemory = true
          })
      }
      const lookups = unconfirmedOutputs({ coins, crypto: testCrypto, state })
      const enter = (tx: ReturnType<typeof loose>): void => {
        const handle = add(state, tx, 1_000)
        lookups.listener.added!(handle, state.entry(handle), 1, { isCounted: true, isNew: true })
      }
      const parent = loose({ inputs: [PREVOUT], values: [4_000n] })
      const child = loose({ inputs: [outputOf(parent)], values: [3_000n] })
      enter(parent)
      enter(child)
      const byScript = (script: Uint8Array) => lookups.ofScript(testCrypto.sha256(script))
      assert.deepStrictEqual(byScript(SCRIPT), [])
      assert.isTrue(yield* lookups.resolve(10))
      assert.deepStrictEqual(fetched, [[PREVOUT]])
      assert.deepStrictEqual(byScript(SCRIPT), [
        { txid: idOf(parent), created: [], spent: [{ ...PREVOUT, value: 5_000n }] }
      ])
      const ofChild = {
        txid: idOf(child),
        created: [{ txid: idOf(child), vout: 0, value: 3_000n }],
        spent: [{ txid: idOf(parent), vout: 0, value: 4_000n }]
      }
      const ofParent = { txid: idOf(parent), created: [{ txid: idOf(parent), vout: 0, value: 4_000n }], spent: [] }
      assert.sameDeepMembers([...byScript(PAY_TO_ANCHOR)], [ofParent, ofChild])
      assert.deepStrictEqual(lookups.ofValues(3_000n, 3_000n), [{ ...ofChild, spent: [] }])
      assert.isAbove(lookups.bytes(), 0)
      for (const entry of state.removeRecursive(parent, idOf(parent), "expiry")) lookups.listener.removed!(entry)
      assert.deepStrictEqual([byScript(PAY_TO_ANCHOR), byScript(SCRIPT), lookups.bytes()], [[], [], 0])
    }))
})
