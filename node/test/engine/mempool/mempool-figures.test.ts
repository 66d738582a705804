import { assert, describe, it } from "@effect/vitest"
import type { TransactionOutcome } from "../../../src/engine/api/mempool-calls.ts"
import type { MempoolContext } from "../../../src/engine/mempool/contract.ts"
import { figureCounts } from "../../../src/engine/mempool/mempool-figures.ts"
import type { Removed } from "../../../src/engine/txmempool/contract.ts"
import { add, coin, emptyMempool, spend } from "../txmempool/mempools.ts"
import { idOf } from "./loose-transactions.ts"

const context = (state = emptyMempool(), recorded?: number): MempoolContext =>
  ({
    state,
    engine: { unconfirmed: recorded === undefined ? undefined : { bytes: () => recorded } },
    settings: { maxBytes: 5_000_000 },
    minimumFee: () => 1_235,
    foreseenMinimumFee: () => 1_234
  }) as unknown as MempoolContext

const rejected = (what: string): TransactionOutcome =>
  ({ _tag: "Rejected", rejection: { what } }) as unknown as TransactionOutcome

describe("the figures of a mempool", () => {
  it("are what it holds now", () => {
    const state = emptyMempool()
    const transactions = [1, 2, 3].map((number) => spend([coin(number)]))
    for (const tx of transactions) add(state, tx, 100)
    assert.isTrue(state.markUnbroadcast(idOf(transactions[0]!)))
    const { count, usage, virtualSize } = state.totals()
    const figures = figureCounts().figures(context(state, 4_321))
    assert.deepStrictEqual(figures, {
      transactions: 3,
      virtualSize,
      usage,
      outputRecordBytes: 4_321,
      maxBytes: 5_000_000,
      minimumFee: 1_234,
      unbroadcast: 1,
      added: 0,
      removed: {},
      rejected: {}
    })
    assert.deepStrictEqual([count, usage > virtualSize, virtualSize > 100], [3, true, true])
    assert.strictEqual(figureCounts().figures(context()).outputRecordBytes, 0)
  })

  it("count what entered, what left by reason, and what was refused by its kind, since the start", () => {
    const { count, figures, listener } = figureCounts()
    for (let i = 0; i < 3; i++) (listener.added as () => void)()
    for (const reason of ["block", "expiry", "block"]) listener.removed!({ reason } as Removed)
    for (const what of ["mempool policy", "consensus", "mempool policy"]) count(rejected(what))
    count({ _tag: "Accepted" } as unknown as TransactionOutcome)
    count({ _tag: "InMempool" } as unknown as TransactionOutcome)
    const { added, rejected: refused, removed } = figures(context())
    assert.deepStrictEqual([added, removed, refused], [
      3,
      { block: 2, expiry: 1 },
      { "mempool policy": 2, consensus: 1 }
    ])
  })
})
