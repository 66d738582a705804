import { assert, describe, it } from "@effect/vitest"
import { concatBytes } from "@lockstep/kernel/bytes"
import type { Transaction } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import { displayHash } from "../../../src/hex.ts"
import type { EngineNotification } from "../../../src/engine/api/engine-calls.ts"
import { pool } from "../../../src/engine/mempool/mempool-extension.ts"
import { makeMempool } from "../../../src/engine/mempool/mempool.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { PLANTED_AT } from "../planted-blocks.ts"
import { type PoolEngine, testEngine } from "../test-engine.ts"
import { coinbaseAt, idOf, loose, type Loose, mine, outputOf, rawOf } from "./loose-transactions.ts"

const REWARD = 5_000_000_000n
const FEE = 1_000n

/** An engine with 110 blocks to anybody: the coinbases up to height 11 may be spent in the next one. */
const started = Effect.gen(function*() {
  const news: Array<EngineNotification> = []
  const engine = yield* testEngine({
    directory: yield* temporaryDirectory,
    extensions: [pool],
    mockTime: PLANTED_AT,
    news: (item) => news.push(item)
  })
  yield* mine(engine, 110)
  yield* engine.call("followTree", { from: 0 })
  return { engine, news }
})

/** What is said of a transaction, in a word. */
const offer = ({ call }: PoolEngine, tx: Transaction) =>
  Effect.map(
    call("acceptTransaction", { bytes: rawOf(tx) }),
    (answer) => answer._tag === "Refused" ? `${answer.isConsensus ? "never: " : ""}${answer.reason}` : answer._tag
  )

const poolIds = ({ call }: PoolEngine) =>
  Effect.map(
    call("followPool", undefined),
    (all) => all.map(({ txid }) => Buffer.from(txid).toString("hex")).toSorted()
  )

const idsOf = (...transactions: ReadonlyArray<Transaction>) =>
  transactions.map((tx) => Buffer.from(idOf(tx)).toString("hex")).toSorted()

describe("the pool of loose transactions", () => {
  it.live("takes what the next block could hold, and says why it does not take the rest", () =>
    Effect.gen(function*() {
      const { engine, news } = yield* started
      const inputs = [yield* coinbaseAt(engine, 1)]
      const second = [yield* coinbaseAt(engine, 2)]
      const values = [REWARD - FEE]
      const spend = loose({ inputs, values })
      assert.strictEqual(yield* offer(engine, spend), "Accepted")
      assert.strictEqual(yield* offer(engine, spend), "Known")
      const child = loose({ inputs: [outputOf(spend)], values: [REWARD - 2n * FEE] })
      assert.strictEqual(yield* offer(engine, child), "Accepted")
      const refusals: ReadonlyArray<readonly [string, Loose]> = [
        ["txn-mempool-conflict", { inputs, values: [REWARD - 5n * FEE] }],
        ["bad-txns-premature-spend-of-coinbase", { inputs: [yield* coinbaseAt(engine, 12)], values }],
        ["MissingInputs", { inputs: [{ txid: new Uint8Array(32).fill(9), vout: 0 }], values }],
        ["MissingInputs", { inputs: [outputOf(spend, 1)], values }],
        ["never: bad-txns-in-belowout", { inputs: second, values: [REWARD + 1n] }],
        ["never: bad-txns-vout-toolarge", { inputs: second, values: [2_100_000_000_000_001n] }],
        ["never: bad-txns-inputs-duplicate", { inputs: [...second, ...second], values }],
        ["never: bad-cb-length", { inputs: [{ txid: new Uint8Array(32), vout: 0xffffffff }], values }],
        ["min relay fee not met", { inputs: second, values: [REWARD - 6n] }],
        ["version", { inputs: second, values, version: 4 }],
        ["tx-size-small", { inputs: second, values, outputScript: Uint8Array.of(0x51) }],
        ["tx-size", { inputs: second, values, outputScript: new Uint8Array(100_000).fill(0x51) }],
        ["non-final", { inputs: second, values, sequence: 0, lockTime: 111 }],
        ["non-BIP68-final", { inputs: second, values, sequence: 110 }]
      ]
      for (const [expected, each] of refusals) {
        assert.strictEqual(yield* offer(engine, loose(each)), expected)
      }
      assert.deepStrictEqual(yield* engine.call("acceptTransaction", { bytes: Uint8Array.of(1, 2, 3) }), {
        _tag: "Refused",
        reason: "TX decode failed",
        isConsensus: false
      })
      assert.strictEqual(
        yield* offer(engine, loose({ inputs: second, values, sequence: 109 })),
        "Accepted",
        "just old enough"
      )
      const third = [yield* coinbaseAt(engine, 3)]
      assert.strictEqual(yield* offer(engine, loose({ inputs: third, values, sequence: 0, lockTime: 110 })), "Accepted")
      const told = news.filter(({ _tag }) => _tag === "TransactionAdded")
      assert.lengthOf(told, 4)
      assert.lengthOf(news.filter((item) => item._tag === "Event" && item.event.type === "MempoolTransactionAdded"), 4)
      const accepted = news.flatMap((item) =>
        item._tag === "Event" && item.event.type === "NewTransaction" ? [item.event.payload] : []
      )
      assert.lengthOf(accepted, 4)
      assert.deepStrictEqual(accepted[0], { txid: displayHash(idOf(spend)), wtxid: displayHash(idOf(spend)) })
    }))

  it.live("judges scripts, in the words of Bitcoin Core", () =>
    Effect.gen(function*() {
      const { engine } = yield* started
      const inputs = [yield* coinbaseAt(engine, 1)]
      // FALSE, and a NOP that is kept for upgrades.
      const locked = loose({
        inputs,
        values: [REWARD - FEE],
        outputScript: Uint8Array.of(0x00, 0x61, 0x61, 0x61, 0x61, 0x61)
      })
      assert.strictEqual(yield* offer(engine, locked), "Accepted")
      const failed = loose({ inputs: [outputOf(locked)], values: [REWARD - 2n * FEE] })
      assert.strictEqual(
        yield* offer(engine, failed),
        "mempool-script-verify-flag-failed (Script evaluated without error but finished with a false/empty top stack element)"
      )
      const second = [yield* coinbaseAt(engine, 2)]
      const upgradable = loose({
        inputs: second,
        values: [REWARD - FEE],
        outputScript: Uint8Array.of(0x51, 0xb9, 0x61, 0x61, 0x61, 0x61)
      })
      assert.strictEqual(yield* offer(engine, upgradable), "Accepted")
      assert.strictEqual(
        yield* offer(engine, loose({ inputs: [outputOf(upgradable)], values: [REWARD - 2n * FEE] })),
        "mempool-script-verify-flag-failed (NOPx reserved for soft-fork upgrades)"
      )
    }))

  it.live("says in full which input fails, what a transaction lacks and what it spends too early", () =>
    Effect.gen(function*() {
      const { engine } = yield* started
      const details = (tx: Transaction) =>
        Effect.map(
          engine.call("acceptTransaction", { bytes: rawOf(tx) }),
          (answer) => answer._tag === "Refused" ? answer.details : undefined
        )
      const [first, second, young] = [
        yield* coinbaseAt(engine, 1),
        yield* coinbaseAt(engine, 2),
        yield* coinbaseAt(engine, 12)
      ]
      const locked = loose({
        inputs: [first],
        values: [REWARD - FEE],
        outputScript: Uint8Array.of(0x00, 0x61, 0x61, 0x61, 0x61, 0x61)
      })
      yield* offer(engine, locked)
      const failed = loose({ inputs: [second, outputOf(locked)], values: [REWARD] })
      const [id, parent] = [displayHash(idOf(failed)), displayHash(idOf(locked))]
      assert.strictEqual(
        yield* details(failed),
        "mempool-script-verify-flag-failed (Script evaluated without error but finished with a false/empty top stack element), " +
          `input 1 of ${id} (wtxid ${id}), spending ${parent}:0`
      )
      assert.strictEqual(
        yield* details(loose({ inputs: [young], values: [REWARD - FEE] })),
        "bad-txns-premature-spend-of-coinbase, tried to spend coinbase at depth 99"
      )
      assert.strictEqual(
        yield* details(loose({ inputs: [second], values: [REWARD + 1n] })),
        "bad-txns-in-belowout, value in (50.00) < value out (50.00000001)"
      )
    }))

  it.live("lets go of what a block holds or makes impossible, and takes it back when the block goes", () =>
    Effect.gen(function*() {
      const { engine, news } = yield* started
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
      assert.strictEqual(yield* offer(engine, parent), "Known", "it is in a block")
      yield* engine.call("invalidateBlock", { hash: hashes[0]! })
      assert.deepStrictEqual(yield* poolIds(engine), idsOf(parent, child, winner))
    }))

  it.live("tells what a block holds besides its coinbase, in the pool or not; not in the initial download", () =>
    Effect.gen(function*() {
      const { engine, news } = yield* started
      const told = () => news.splice(0).flatMap((item) => item._tag === "Confirmed" ? [item.transactions] : [])
      const inputs = [yield* coinbaseAt(engine, 1), yield* coinbaseAt(engine, 2)]
      const [parent, other] = inputs.map((input) => loose({ inputs: [input], values: [REWARD - FEE] }))
      const child = loose({ inputs: [outputOf(parent!)], values: [REWARD - 2n * FEE] })
      assert.strictEqual(yield* offer(engine, parent!), "Accepted")
      told()
      yield* mine(engine, 1, [parent!, child, other!])
      const outpoint = ({ txid }: { readonly txid: Uint8Array }) => concatBytes([txid, new Uint8Array(4)])
      const ids = concatBytes([parent!, child, other!].map(idOf))
      const spent = concatBytes([inputs[0]!, outputOf(parent!), inputs[1]!].map(outpoint))
      assert.deepStrictEqual(told(), [{ txids: ids, wtxids: ids, spent }])
      assert.strictEqual(
        yield* offer(engine, loose({ inputs: [outputOf(child)], values: [REWARD - 3n * FEE] })),
        "Accepted"
      )
      engine.chain.initialBlockDownload = true
      yield* mine(engine, 1)
      assert.deepStrictEqual(told(), [])
    }))

  it.live("lets go of what does not hold on the other branch", () =>
    Effect.gen(function*() {
      const { engine } = yield* started
      const young = loose({ inputs: [yield* coinbaseAt(engine, 11)], values: [REWARD - FEE] })
      const onYoung = loose({ inputs: [outputOf(young)], values: [REWARD - 2n * FEE] })
      const old = loose({ inputs: [yield* coinbaseAt(engine, 1)], values: [REWARD - FEE] })
      const late = loose({ inputs: [yield* coinbaseAt(engine, 2)], values: [REWARD - FEE], sequence: 0, lockTime: 110 })
      for (const tx of [young, onYoung, old, late]) assert.strictEqual(yield* offer(engine, tx), "Accepted")
      yield* engine.call("invalidateBlock", { hash: engine.chain.tree.tip.hash.slice() })
      assert.strictEqual(engine.chain.tree.tip.height, 109)
      assert.deepStrictEqual(yield* poolIds(engine), idsOf(old))
    }))

  it.live("is bounded: the cheapest go, with what spends of them", () =>
    Effect.gen(function*() {
      const { engine, news } = yield* started
      const small = makeMempool(engine.chain, 12_000)
      const make = (height: number, fee: bigint) =>
        Effect.map(coinbaseAt(engine, height), (prevout) => loose({ inputs: [prevout], values: [REWARD - fee] }))
      const put = (tx: Transaction) =>
        Effect.map(small.accept(rawOf(tx)), (answer) => answer._tag === "Refused" ? answer.reason : answer._tag)
      const cheap = yield* make(1, 500n)
      assert.strictEqual(yield* put(cheap), "Accepted")
      const onCheap = loose({ inputs: [outputOf(cheap)], values: [REWARD - 100_000n] })
      assert.strictEqual(yield* put(onCheap), "Accepted")
      for (const height of [2, 3]) assert.strictEqual(yield* put(yield* make(height, 2_000n)), "Accepted")
      const richer = yield* make(4, 3_000n)
      assert.strictEqual(yield* put(richer), "Accepted")
      assert.isUndefined(small.entries.ofTxid(idOf(cheap)))
      assert.isUndefined(small.entries.ofTxid(idOf(onCheap)))
      assert.isAtMost(small.entries.bytes(), 12_000)
      assert.strictEqual(yield* put(yield* make(5, 500n)), "mempool min fee not met")
      assert.isAbove(small.rate(), 100)
      const rates = news.flatMap((item) => item._tag === "PoolRate" ? [item.rate] : [])
      assert.strictEqual(rates.at(-1), small.rate())
      const changes = news.flatMap((item) =>
        item._tag === "Event" && item.event.type === "FeeRateChanged" ? [item.event.payload] : []
      )
      assert.strictEqual(changes.length, rates.length)
      assert.deepStrictEqual(changes.at(-1), {
        old_fee_rate: rates.length > 1 ? rates.at(-2)! / 1_000 : 0.1,
        new_fee_rate: small.rate() / 1_000
      })
    }))
})
