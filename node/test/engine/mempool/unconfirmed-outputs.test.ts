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
