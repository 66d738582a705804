import { assert, describe, it } from "@effect/vitest"
import type { Transaction } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import type { ChainEngine } from "../../../src/engine/state/chain-engine.ts"
import type { MempoolContext } from "../../../src/engine/mempool/contract.ts"
import { mempoolHooks } from "../../../src/engine/mempool/mempool-hooks.ts"
import { mempoolNotifications } from "../../../src/engine/mempool/mempool-notifications.ts"
import { relayHandlers } from "../../../src/engine/mempool/relay-handlers.ts"
import { concatBytes } from "@lockstep/kernel/bytes"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { add, coin, departures, emptyMempool, idsOf, left, NOW, spend } from "../txmempool/mempools.ts"
import { testEngine } from "../test-engine.ts"
import { pool } from "../../../src/engine/mempool/mempool-extension.ts"
import { PLANTED_AT } from "../planted-blocks.ts"
import { coinbaseAt, idOf, loose, mine, outputOf, rawOf } from "./loose-transactions.ts"
import { mempoolEngine, REWARD } from "./mempool-engine.ts"

describe("the calls of the mempool", () => {
  it.live("take a child with ancestors only where that is asked for, and count what became of each transaction", () =>
    Effect.gen(function*() {
      const engine = yield* mempoolEngine(yield* temporaryDirectory, { settings: { persists: false } })
      yield* mine(engine, 110)
      const first = loose({ inputs: [yield* coinbaseAt(engine, 1)], values: [REWARD] })
      const second = loose({ inputs: [outputOf(first)], values: [REWARD] })
      const third = loose({ inputs: [outputOf(second)], values: [REWARD - 9_000n] })
      const transactions = () => [first, second, third].map(rawOf)
      const refused = yield* engine.call("acceptPackage", { transactions: transactions(), maxFeerate: undefined })
      assert.strictEqual(refused.failure?.reason, "package-not-child-with-parents")
      const figures = Effect.map(
        engine.call("mempoolFigures", undefined),
        ({ added, rejected }) => ({ added, rejected })
      )
      assert.deepStrictEqual(yield* figures, { added: 0, rejected: {} }, "none was judged")
      const parents = { transactions: [first, second].map(rawOf), maxFeerate: undefined }
      yield* engine.call("acceptPackage", parents)
      assert.deepStrictEqual(yield* figures, { added: 0, rejected: { reconsiderable: 2 } })
      const shape = "ancestor package" as const
      const taken = yield* engine.call("acceptPackage", { transactions: transactions(), maxFeerate: undefined, shape })
      assert.deepStrictEqual(taken.outcomes.map((outcome) => outcome?._tag), ["Accepted", "Accepted", "Accepted"])
      assert.strictEqual((yield* figures).added, 3)
    }))

  it.live("judge a transaction that is only tested, take nothing of it and count nothing", () =>
    Effect.gen(function*() {
      const engine = yield* mempoolEngine(yield* temporaryDirectory, { settings: { persists: false } })
      yield* mine(engine, 110)
      const good = loose({ inputs: [yield* coinbaseAt(engine, 1)], values: [REWARD - 1_000n] })
      const free = loose({ inputs: [yield* coinbaseAt(engine, 2)], values: [REWARD] })
      const tags = yield* Effect.forEach(
        [good, free],
        (tx) => Effect.map(engine.call("testTransaction", { bytes: rawOf(tx) }), ({ _tag }) => _tag)
      )
      assert.deepStrictEqual(tags, ["Accepted", "Rejected"])
      const { added, rejected, transactions } = yield* engine.call("mempoolFigures", undefined)
      assert.deepStrictEqual([added, rejected, transactions], [0, {}, 0])
    }))

  it.live("keep records of outputs where an index of addresses or of values is on, and count their bytes", () =>
    Effect.gen(function*() {
      for (
        const [options, hasRecords] of [
          [{}, false],
          [{ addressIndex: true }, true],
          [{ valueIndex: true }, true],
          [{ addressIndex: true, valueIndex: true }, true]
        ] as const
      ) {
        const engine = yield* testEngine({
          directory: yield* temporaryDirectory,
          mockTime: PLANTED_AT,
          extensions: [pool],
          options
        })
        const bytes = Effect.map(engine.call("mempoolFigures", undefined), (figures) => figures.outputRecordBytes)
        assert.deepStrictEqual([engine.chain.unconfirmed !== undefined, yield* bytes], [hasRecords, 0])
        yield* mine(engine, 101)
        const tx = loose({ inputs: [yield* coinbaseAt(engine, 1)], values: [REWARD - 1_000n] })
        yield* engine.call("acceptTransaction", { bytes: rawOf(tx) })
        assert.strictEqual((yield* bytes) > 0, hasRecords)
      }
    }))

  it.effect("put transactions in mining order, and leave out those that are gone", () =>
    Effect.gen(function*() {
      const state = emptyMempool()
      const [poor, rich, gone] = [1, 2, 3].map((number) => spend([coin(number)])) as [
        Transaction,
        Transaction,
        Transaction
      ]
      add(state, poor, 100)
      add(state, rich, 9_000)
      const handlers = relayHandlers({ state } as unknown as MempoolContext)
      const ordered = yield* handlers.inMiningOrder({ wtxids: [gone, poor, rich].map(idOf) })
      assert.deepStrictEqual(ordered, [rich, poor].map(idOf))
    }))

  it.effect("answer a new follower with the minimum fee, unless that is the one it knows", () =>
    Effect.gen(function*() {
      const news: Array<unknown> = []
      for (const rate of [0, 1, 700]) {
        const engine = { notify: (each: unknown) => void news.push(each) }
        const context = { engine, state: emptyMempool(), foreseenMinimumFee: () => rate } as unknown as MempoolContext
        assert.deepStrictEqual(yield* relayHandlers(context).followMempool(undefined), [])
      }
      assert.deepStrictEqual(news, [{ _tag: "PoolRate", rate: 1 }, { _tag: "PoolRate", rate: 700 }])
    }))
})

describe("the news of the minimum fee", () => {
  it("are an event only where it rises above what is asked for anyway, or changes above that", () => {
    const news: Array<
      { readonly _tag: string; readonly rate?: number; readonly event?: { readonly payload: object } }
    > = []
    const engine = { feed: { isFollowed: () => true }, notify: (each: never) => void news.push(each) }
    const listener = mempoolNotifications(engine as unknown as ChainEngine, 1_000, () => 7)
    const of = (rate: number) => {
      listener.minimumFee!(rate)
      return news.splice(0).map(({ _tag, event, rate: told }) => _tag === "Event" ? event!.payload : told)
    }
    const change = (from: number, to: number) => ({ old_fee_rate: from, new_fee_rate: to, mempool_size: 7 })
    assert.deepStrictEqual(of(0), [])
    assert.deepStrictEqual(of(900), [900], "less than the least fee for relay")
    assert.deepStrictEqual(of(900), [])
    assert.deepStrictEqual(of(1_000), [1_000])
    assert.deepStrictEqual(of(2_500), [2_500, change(1, 2.5)])
    assert.deepStrictEqual(of(400), [400, change(2.5, 1)])
  })
})

describe("the transactions of a block that is disconnected", () => {
  it("take what spends them along at once where there is no room to keep them", () => {
    const state = emptyMempool()
    const engine = { initialBlockDownload: false }
    const removed: Array<string> = []
    const context = {
      engine,
      state,
      announceRemoved: (all: Parameters<MempoolContext["announceRemoved"]>[0]) => void removed.push(...departures(all))
    } as unknown as MempoolContext
    const hooks = mempoolHooks(context, { accept: () => Effect.die("not asked") } as never)
    const large = loose({ inputs: [coin(1)], values: [1n], outputScript: new Uint8Array(21_000_000) })
    const small = spend([coin(2)])
    const [onLarge, onSmall] = [large, small].map((tx) => spend([outputOf(tx)]))
    for (const tx of [onLarge!, onSmall!]) add(state, tx, 100, { time: NOW })
    const block = { transactions: [small, large] }
    hooks.disconnected!({ block, transactionIds: concatBytes([idsOf([small, large])]) } as never)
    assert.deepStrictEqual(removed, left("reorg", onLarge!))
    assert.strictEqual(state.totals().count, 1)
  })
})
