import { assert, describe, it } from "@effect/vitest"
import type { Transaction } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import type { MempoolSettings } from "../../../src/engine/options/settings.ts"
import { displayHash } from "../../../src/hex.ts"
import { activeAt } from "../../../src/engine/header-index/active-chain.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { PLANTED_AT } from "../planted-blocks.ts"
import { coinbaseAt, idOf, loose, mine, outputOf, rawOf } from "./loose-transactions.ts"
import { mempoolEngine, REWARD } from "./mempool-engine.ts"

/** An engine with 110 blocks, whose coinbases up to height 11 the next block may spend. */
const started = Effect.fnUntraced(function*(settings: Partial<MempoolSettings> = {}) {
  const news: Array<EngineNotification> = []
  const engine = yield* mempoolEngine(yield* temporaryDirectory, { news, settings: { persists: false, ...settings } })
  yield* mine(engine, 110)
  /** Payloads of these events since the last question. */
  const events = (type: string): ReadonlyArray<unknown> =>
    news.flatMap((each) => each._tag === "Event" && each.event.type === type ? [each.event.payload] : [])
  const logged = (message: string): ReadonlyArray<unknown> =>
    news.flatMap((each) => each._tag === "Log" && each.message === message ? [each.fields] : [])
  const offer = Effect.fnUntraced(function*(tx: Transaction) {
    assert.strictEqual((yield* engine.call("acceptTransaction", { bytes: rawOf(tx) }))._tag, "Accepted")
    return tx
  })
  const spend = Effect.fnUntraced(function*(height: number, fee: bigint) {
    return loose({ inputs: [yield* coinbaseAt(engine, height)], values: [REWARD - fee], sequence: 0xfffffffd })
  })
  return { ...engine, engine, events, logged, offer, spend }
})

const shown = (tx: Transaction): string => displayHash(idOf(tx))

const removed = (reason: string, mempool_size: number, ...transactions: ReadonlyArray<Transaction>) =>
  transactions.map((tx) => ({ txid: shown(tx), reason, mempool_size }))

describe("events of the mempool", () => {
  it.live("say what entered, with its fee in satoshis and its feerate in satoshi per virtual byte", () =>
    Effect.gen(function*() {
      const { events, offer, spend } = yield* started()
      const tx = yield* offer(yield* spend(1, 1_300n))
      const ids = { txid: shown(tx), wtxid: shown(tx) }
      const vsize = tx.bytes.length
      assert.deepStrictEqual(events("MempoolTransactionAdded"), [
        { ...ids, fee: 1_300, vsize, fee_rate: 1_300 / vsize, mempool_size: 1 }
      ])
      assert.deepStrictEqual(events("NewTransaction"), [ids])
      assert.deepStrictEqual(events("MempoolTransactionRemoved"), [])
    }))

  it.live("say in the log that one leaves which no peer has asked for, and nothing of another", () =>
    Effect.gen(function*() {
      const { engine, logged, offer, spend } = yield* started()
      const tx = yield* offer(yield* spend(1, 1_000n))
      const other = yield* offer(yield* spend(2, 1_000n))
      yield* engine.call("markUnbroadcast", { txid: idOf(tx) })
      yield* engine.call("markUnbroadcast", { txid: idOf(other) })
      yield* engine.call("clearUnbroadcast", { txid: idOf(other) })
      for (const height of [1, 2]) yield* offer(yield* spend(height, 9_000n))
      assert.deepStrictEqual(logged("A transaction leaves before a peer asked for it"), [{ txid: shown(tx) }])
    }))

  it.live("say that one was replaced, with what stands on it", () =>
    Effect.gen(function*() {
      const { events, offer, spend } = yield* started()
      const first = yield* offer(yield* spend(1, 1_000n))
      const child = yield* offer(loose({ inputs: [outputOf(first)], values: [REWARD - 2_000n] }))
      yield* offer(yield* spend(1, 9_000n))
      assert.sameDeepMembers([...events("MempoolTransactionRemoved")], removed("replaced", 1, first, child))
    }))

  it.live("say that a block holds one, and that it conflicts with another", () =>
    Effect.gen(function*() {
      const { engine, events, offer, spend } = yield* started()
      const held = yield* offer(yield* spend(1, 1_000n))
      const beaten = yield* offer(yield* spend(2, 1_000n))
      const child = yield* offer(loose({ inputs: [outputOf(beaten)], values: [REWARD - 2_000n] }))
      yield* mine(engine, 1, [held, yield* spend(2, 5_000n)])
      assert.sameDeepMembers([...events("MempoolTransactionRemoved")], [
        ...removed("block", 0, held),
        ...removed("conflict", 0, beaten, child)
      ])
    }))

  it.live("say that one is no longer valid after a reorganization", () =>
    Effect.gen(function*() {
      const { call, chain, events, offer, spend } = yield* started()
      const young = yield* offer(yield* spend(11, 1_000n))
      const old = yield* offer(yield* spend(1, 1_000n))
      yield* call("invalidateBlock", { hash: activeAt(chain.tree, 110)!.hash.slice() })
      assert.deepStrictEqual(events("MempoolTransactionRemoved"), removed("reorg", 1, young))
      assert.isDefined(yield* call("mempoolEntry", { txid: idOf(old) }))
    }))

  it.live("say that one expired, with what stands on it, once another comes", () =>
    Effect.gen(function*() {
      const { call, events, offer, spend } = yield* started({ expirySeconds: 3_600 })
      const old = yield* offer(yield* spend(1, 1_000n))
      yield* call("setMockTime", { time: PLANTED_AT + 3_000 })
      const child = yield* offer(loose({ inputs: [outputOf(old)], values: [REWARD - 2_000n] }))
      yield* call("setMockTime", { time: PLANTED_AT + 3_700 })
      assert.deepStrictEqual(events("MempoolTransactionRemoved"), [])
      yield* offer(yield* spend(2, 1_000n))
      assert.sameDeepMembers([...events("MempoolTransactionRemoved")], removed("expiry", 1, old, child))
    }))

  it.live("say that one made room, and what the mempool asks for since then, also when that falls again", () =>
    Effect.gen(function*() {
      const { call, engine, events, offer, spend } = yield* started({ maxTransactions: 1 })
      const cheap = yield* offer(yield* spend(1, 1_000n))
      yield* offer(yield* spend(2, 5_000n))
      assert.deepStrictEqual(events("MempoolTransactionRemoved"), removed("sizelimit", 1, cheap))
      const [risen] = events("FeeRateChanged") as ReadonlyArray<{ readonly new_fee_rate: number }>
      assert.isAbove(risen!.new_fee_rate, 1_000 / cheap.bytes.length)
      // Only after a block does it fall, by half in twelve hours at most.
      yield* mine(engine, 1)
      yield* call("setMockTime", { time: PLANTED_AT + 30 * 86_400 })
      yield* offer(yield* spend(3, 9_000n))
      const changes = events("FeeRateChanged") as ReadonlyArray<
        { readonly old_fee_rate: number; readonly new_fee_rate: number }
      >
      assert.strictEqual(changes[0], risen as never)
      assert.isAbove(changes.length, 1)
      for (const [i, change] of changes.entries()) {
        if (i > 0) assert.strictEqual(change.old_fee_rate, changes[i - 1]!.new_fee_rate)
      }
    }))
})
