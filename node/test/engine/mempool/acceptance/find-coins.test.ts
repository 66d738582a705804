import { assert, describe, it } from "@effect/vitest"
import type { OutPoint, Transaction } from "@lockstep/kernel/model"
import type { Coin } from "@lockstep/kernel/utxo"
import * as Effect from "effect/Effect"
import {
  findCoins,
  isConfirmed,
  NO_MEMBERS,
  prefetchFor
} from "../../../../src/engine/mempool/acceptance/find-coins.ts"
import type { MempoolContext } from "../../../../src/engine/mempool/contract.ts"
import type { Subject } from "../../../../src/engine/mempool/acceptance/rig.ts"
import { hexOf } from "../../../../src/hex.ts"
import { add, coin, emptyMempool, spend } from "../../txmempool/mempools.ts"
import { idOf, outputOf, PAY_TO_ANCHOR } from "../loose-transactions.ts"

const confirmed: Coin = { value: 77n, script: Uint8Array.of(0x52), height: 4, isCoinbase: true }
const pooled: Coin = { value: 1_000n, script: PAY_TO_ANCHOR, height: 101, isCoinbase: false }

/** A mempool on a chain of height 100 that has these coins. */
const place = (chain: ReadonlyArray<OutPoint> = []) => {
  const state = emptyMempool()
  const asked: Array<OutPoint> = []
  const has = ({ txid, vout }: OutPoint) => chain.some((each) => hexOf(each.txid) === hexOf(txid) && each.vout === vout)
  const context = {
    state,
    engine: {
      tree: { tip: { height: 100 } },
      coins: {
        coinAt: (outpoint: OutPoint) => has(outpoint) ? confirmed : undefined,
        prefetchCoins: (outpoints: ReadonlyArray<OutPoint>) => Effect.sync(() => void asked.push(...outpoints))
      }
    }
  } as unknown as MempoolContext
  return { asked, context, state }
}

const subject = (tx: Transaction): Subject => ({ tx, txid: idOf(tx), wtxid: idOf(tx) })

describe("the coins that a transaction spends", () => {
  it("are those of the chain, of the mempool with its next height, and of earlier members, in the order of inputs", () => {
    const { context, state } = place([coin(1)])
    const [parent, member] = [spend([coin(2)]), spend([coin(3)])]
    const handle = add(state, parent, 100)
    const tx = spend([outputOf(member, 1), coin(1), outputOf(parent, 1), outputOf(parent)])
    const { coins, missing, parents } = findCoins(context, tx, new Map([[hexOf(idOf(member)), member]]))
    assert.deepStrictEqual(coins, [pooled, confirmed, pooled, pooled])
    assert.deepStrictEqual(missing, [])
    assert.deepStrictEqual([...parents.keys()], [handle])
    assert.deepStrictEqual([...parents.values()].map(idOf), [idOf(parent)])
  })

  it("are missing by txid, each once and in the order of inputs", () => {
    const { context } = place([coin(1)])
    const twice = { ...coin(9), vout: 1 }
    const { coins, missing, parents } = findCoins(context, spend([coin(9), coin(1), coin(5), twice]), NO_MEMBERS)
    assert.deepStrictEqual([coins, parents.size], [[confirmed], 0])
    assert.deepStrictEqual(missing, [coin(9).txid, coin(5).txid])
  })

  it("are not looked for in the chain where the mempool has their transaction", () => {
    const parent = spend([coin(2)])
    const beyond = outputOf(parent, 2)
    const { context, state } = place([beyond])
    const handle = add(state, parent, 100)
    const { missing, parents } = findCoins(context, spend([beyond]), NO_MEMBERS)
    assert.deepStrictEqual([missing, [...parents.keys()]], [[beyond.txid], [handle]])
  })

  it.effect("are brought into memory: where an output of it is there already, it is confirmed", () =>
    Effect.gen(function*() {
      const tx = spend([coin(2), coin(1)])
      for (const vout of [0, 1]) {
        const { asked, context } = place([outputOf(tx, vout)])
        yield* prefetchFor(context, [subject(tx)])
        assert.deepStrictEqual(asked, [coin(2), coin(1)], "as in Bitcoin Core, its own outputs are not fetched")
        assert.isTrue(isConfirmed(context, subject(tx)))
      }
      const { context } = place([coin(1), coin(2), outputOf(tx, 2)])
      assert.isFalse(isConfirmed(context, subject(tx)))
    }))
})
