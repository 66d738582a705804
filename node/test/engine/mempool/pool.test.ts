import { assert, describe, it } from "@effect/vitest"
import { concatBytes } from "@lockstep/kernel/bytes"
import type { Transaction } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import { displayHash } from "../../../src/hex.ts"
import { singleNotifications } from "../../../src/engine/api/single-notifications.ts"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import { pool } from "../../../src/engine/mempool/mempool-extension.ts"
import { DEFAULT_MEMPOOL_SETTINGS } from "../../../src/engine/options/settings.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { PLANTED_AT } from "../planted-blocks.ts"
import { type PoolEngine, testEngine } from "../test-engine.ts"
import { coinbaseAt, idOf, loose, type Loose, mine, outputOf, rawOf } from "./loose-transactions.ts"

const REWARD = 5_000_000_000n
const FEE = 1_000n

/** An engine with 110 blocks whose coinbases anyone can spend: those up to height 11 are mature in the next block. */
const started = Effect.fnUntraced(function*(mempool = DEFAULT_MEMPOOL_SETTINGS) {
  const news: Array<EngineNotification> = []
  const engine = yield* testEngine({
    directory: yield* temporaryDirectory,
    extensions: [pool],
    mockTime: PLANTED_AT,
    options: { mempool },
    news: (item) => news.push(...singleNotifications(item))
  })
  yield* mine(engine, 110)
  yield* engine.call("followTree", { from: 0 })
  return { engine, news }
})

/** What is said of a transaction, in a word. */
const offer = ({ call }: PoolEngine, tx: Transaction) =>
  Effect.map(
    call("acceptTransaction", { bytes: rawOf(tx) }),
    (outcome) => outcome._tag === "Rejected" ? `${outcome.rejection.what}: ${outcome.rejection.reason}` : outcome._tag
  )

const poolIds = ({ call }: PoolEngine) =>
  Effect.map(
    call("followMempool", undefined),
    (all) => all.map(({ txid }) => Buffer.from(txid).toString("hex")).toSorted()
  )

const idsOf = (...transactions: ReadonlyArray<Transaction>) =>
  transactions.map((tx) => Buffer.from(idOf(tx)).toString("hex")).toSorted()

describe("the pool of loose transactions", () => {
  it.live("takes what the next block could hold, and says why it does not take the rest", () =>
    Effect.gen(function*() {
      const { engine, news } = yield* started()
      const inputs = [yield* coinbaseAt(engine, 1)]
      const second = [yield* coinbaseAt(engine, 2)]
      const values = [REWARD - FEE]
      const spend = loose({ inputs, values })
      assert.strictEqual(yield* offer(engine, spend), "Accepted")
      assert.strictEqual(yield* offer(engine, spend), "InMempool")
      const child = loose({ inputs: [outputOf(spend)], values: [REWARD - 2n * FEE] })
      assert.strictEqual(yield* offer(engine, child), "Accepted")
      const missing = "missing inputs: bad-txns-inputs-missingorspent"
      const refusals: ReadonlyArray<readonly [string, Loose]> = [
        ["reconsiderable: insufficient fee", { inputs, values: [REWARD - FEE + 1n] }],
        ["premature spend: bad-txns-premature-spend-of-coinbase", { inputs: [yield* coinbaseAt(engine, 12)], values }],
        [missing, { inputs: [{ txid: new Uint8Array(32).fill(9), vout: 0 }], values }],
        [missing, { inputs: [outputOf(spend, 2)], values }],
        ["consensus: bad-txns-in-belowout", { inputs: second, values: [REWARD + 1n] }],
        ["consensus: bad-txns-vout-toolarge", { inputs: second, values: [2_100_000_000_000_001n] }],
        ["consensus: bad-txns-inputs-duplicate", { inputs: [...second, ...second], values }],
        ["consensus: bad-cb-length", { inputs: [{ txid: new Uint8Array(32), vout: 0xffffffff }], values }],
        ["reconsiderable: min relay fee not met", { inputs: second, values: [REWARD - 6n] }],
        ["not standard: version", { inputs: second, values, version: 4 }],
        ["not standard: tx-size-small", { inputs: second, values, outputScript: Uint8Array.of(0x6a) }],
        ["not standard: tx-size", { inputs: second, values: Array.from({ length: 9_000 }, () => 1_000n) }],
        ["premature spend: non-final", { inputs: second, values, sequence: 0, lockTime: 111 }],
        ["premature spend: non-BIP68-final", { inputs: second, values, sequence: 110 }]
      ]
      for (const [expected, each] of refusals) {
        assert.strictEqual(yield* offer(engine, loose(each)), expected)
      }
      const undecodable = yield* Effect.flip(engine.call("acceptTransaction", { bytes: Uint8Array.of(1, 2, 3) }))
      assert.deepStrictEqual(undecodable, { _tag: "Undecodable", what: "transaction" })
      assert.strictEqual(
        yield* offer(engine, loose({ inputs: second, values, sequence: 109 })),
        "Accepted",
        "just old enough"
      )
      const third = [yield* coinbaseAt(engine, 3)]
      assert.strictEqual(yield* offer(engine, loose({ inputs: third, values, sequence: 0, lockTime: 110 })), "Accepted")
      const observed = news.filter(({ _tag }) => _tag === "TransactionAdded")
      assert.lengthOf(observed, 4)
      assert.lengthOf(news.filter((item) => item._tag === "Event" && item.event.type === "MempoolTransactionAdded"), 4)
      const accepted = news.flatMap((item) =>
        item._tag === "Event" && item.event.type === "NewTransaction" ? [item.event.payload] : []
      )
      assert.lengthOf(accepted, 4)
      assert.deepStrictEqual(accepted[0], { txid: displayHash(idOf(spend)), wtxid: displayHash(idOf(spend)) })
    }))

  it.live("removes what a block holds or makes impossible, and takes it back when the block is disconnected", () =>
    Effect.gen(function*() {
      const { engine, news } = yield* started()
      const [first, second] = [yield* coinbaseAt(engine, 1), yield* coinbaseAt(engine, 2)]
      const parent = loose({ inputs: [first], values: [REWARD - FEE] })
      const child = loose({ inputs: [outputOf(parent)], values: [REWARD - 2n * FEE] })
      const rival = loose({ inputs: [second], values: [REWARD - FEE] })
      const ofRival = loose({ inputs: [outputOf(rival)], values: [REWARD - 2n * FEE] })
      for (const tx of [parent, child, rival, ofRival]) assert.strictEqual(yield* offer(engine, tx), "Accepted")
      const winner = loose({ inputs: [second], values: [REWARD - 3n * FEE] })
      news.splice(0)
      const { hashes } = yield* mine(engine, 1, [parent, winner])
      assert.deepStrictEqual(yield* poolIds(engine), idsOf(child))
      const reasons = news.flatMap((item) => item._tag === "TransactionRemoved" ? [item.reason] : [])
      assert.deepStrictEqual(reasons, ["block", "conflict", "conflict"])
      assert.strictEqual(yield* offer(engine, parent), "conflict: txn-already-known", "it is in a block")
      yield* engine.call("invalidateBlock", { hash: hashes[0]! })
      assert.deepStrictEqual(yield* poolIds(engine), idsOf(parent, child, winner))
    }))

  it.live("notifies of what a block holds besides its coinbase, in the mempool or not; not in the initial download", () =>
    Effect.gen(function*() {
      const { engine, news } = yield* started()
      const observed = () => news.splice(0).flatMap((item) => item._tag === "Confirmed" ? [item.transactions] : [])
      const inputs = [yield* coinbaseAt(engine, 1), yield* coinbaseAt(engine, 2)]
      const [parent, other] = inputs.map((input) => loose({ inputs: [input], values: [REWARD - FEE] }))
      const child = loose({ inputs: [outputOf(parent!)], values: [REWARD - 2n * FEE] })
      assert.strictEqual(yield* offer(engine, parent!), "Accepted")
      observed()
      yield* mine(engine, 1, [parent!, child, other!])
      const outpoint = ({ txid }: { readonly txid: Uint8Array }) => concatBytes([txid, new Uint8Array(4)])
      const ids = concatBytes([parent!, child, other!].map(idOf))
      const spent = concatBytes([inputs[0]!, outputOf(parent!), inputs[1]!].map(outpoint))
      assert.deepStrictEqual(observed(), [{ txids: ids, wtxids: ids, spent }])
      assert.strictEqual(
        yield* offer(engine, loose({ inputs: [outputOf(child)], values: [REWARD - 3n * FEE] })),
        "Accepted"
      )
      engine.chain.initialBlockDownload = true
      yield* mine(engine, 1)
      assert.deepStrictEqual(observed(), [])
    }))

  it.live("removes what does not hold on the other branch", () =>
    Effect.gen(function*() {
      const { engine } = yield* started()
      const young = loose({ inputs: [yield* coinbaseAt(engine, 11)], values: [REWARD - FEE] })
      const onYoung = loose({ inputs: [outputOf(young)], values: [REWARD - 2n * FEE] })
      const old = loose({ inputs: [yield* coinbaseAt(engine, 1)], values: [REWARD - FEE] })
      const late = loose({ inputs: [yield* coinbaseAt(engine, 2)], values: [REWARD - FEE], sequence: 0, lockTime: 110 })
      for (const tx of [young, onYoung, old, late]) assert.strictEqual(yield* offer(engine, tx), "Accepted")
      yield* engine.call("invalidateBlock", { hash: engine.chain.tree.tip.hash.slice() })
      assert.strictEqual(engine.chain.tree.tip.height, 109)
      assert.deepStrictEqual(yield* poolIds(engine), idsOf(old))
    }))

  it.live("is bounded: the worst chunk goes, with what spends of it, and the minimum fee rises", () =>
    Effect.gen(function*() {
      const { engine, news } = yield* started({ ...DEFAULT_MEMPOOL_SETTINGS, maxBytes: 5_000 })
      const make = (height: number, fee: bigint) =>
        Effect.map(coinbaseAt(engine, height), (prevout) => loose({ inputs: [prevout], values: [REWARD - fee] }))
      const cheap = yield* make(1, 500n)
      assert.strictEqual(yield* offer(engine, cheap), "Accepted")
      const onCheap = loose({ inputs: [outputOf(cheap)], values: [REWARD - 1_200n] })
      assert.strictEqual(yield* offer(engine, onCheap), "Accepted")
      const rich: Array<Transaction> = []
      for (let height = 2; (yield* poolIds(engine)).includes(idsOf(cheap)[0]!); height++) {
        rich.push(yield* make(height, 2_000n))
        assert.strictEqual(yield* offer(engine, rich.at(-1)!), "Accepted")
      }
      assert.deepStrictEqual(yield* poolIds(engine), idsOf(...rich))
      assert.strictEqual(yield* offer(engine, yield* make(11, 500n)), "reconsiderable: mempool min fee not met")
      const reasons = news.flatMap((item) => item._tag === "TransactionRemoved" ? [item.reason] : [])
      assert.deepStrictEqual(reasons, ["sizelimit", "sizelimit"])
      const rates = news.flatMap((item) => item._tag === "PoolRate" ? [item.rate] : [])
      const changes = news.flatMap((item) =>
        item._tag === "Event" && item.event.type === "FeeRateChanged" ? [item.event.payload] : []
      )
      assert.deepStrictEqual(changes, [{
        old_fee_rate: 0.1,
        new_fee_rate: rates[0]! / 1_000,
        mempool_size: rich.length
      }])
    }))
})
