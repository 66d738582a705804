import { assert, describe, it } from "vitest"
import { singleNotifications } from "../../../src/engine/api/single-notifications.ts"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import { mempoolNotifications } from "../../../src/engine/mempool/mempool-notifications.ts"
import type { Entry, RemovalReason, Removed } from "../../../src/engine/txmempool/contract.ts"

const txidOf = (number: number): Uint8Array => new Uint8Array(32).fill(number)
const shown = (number: number): string => number.toString(16).padStart(2, "0").repeat(32)

const leaves = (number: number, reason: RemovalReason, sequence: number, wasUnbroadcast = false): Removed => ({
  entry: { txid: txidOf(number) } as Entry,
  reason,
  sequence,
  wasUnbroadcast
})

/** What is notified of these, which left at once a mempool that has 7 transactions then. */
const notified = (isFollowed: boolean, removed: ReadonlyArray<Removed>): ReadonlyArray<EngineNotification> => {
  const news: Array<EngineNotification> = []
  const engine = { notify: (each: EngineNotification) => void news.push(each), feed: { isFollowed: () => isFollowed } }
  mempoolNotifications(engine as never, 0, () => 7).removedTogether!(removed)
  return news
}

const event = (number: number, reason: RemovalReason): EngineNotification => ({
  _tag: "Event",
  event: { type: "MempoolTransactionRemoved", payload: { txid: shown(number), reason, mempool_size: 7 } }
})

const single = (number: number, reason: RemovalReason, sequence: number): EngineNotification => ({
  _tag: "TransactionRemoved",
  txid: txidOf(number),
  reason,
  sequence
})

describe("transactions that leave the mempool together", () => {
  const removed = [leaves(1, "block", 4), leaves(2, "block", 5), leaves(3, "conflict", 6), leaves(4, "block", 9)]

  it("are one notification for each reason as long as their numbers follow each other", () => {
    const news = notified(true, removed)
    assert.deepStrictEqual(news.map((each) => each._tag === "TransactionsRemoved" && each.txids.length / 32), [2, 1, 1])
  })

  it("are notified one by one to subscribers, in their order", () => {
    assert.deepStrictEqual(notified(true, removed).flatMap(singleNotifications), [
      single(1, "block", 4),
      event(1, "block"),
      single(2, "block", 5),
      event(2, "block"),
      single(3, "conflict", 6),
      event(3, "conflict"),
      single(4, "block", 9),
      event(4, "block")
    ])
  })

  it("are events alone where nothing follows the mempool", () => {
    assert.deepStrictEqual(notified(false, removed.slice(0, 1)).flatMap(singleNotifications), [event(1, "block")])
    assert.deepStrictEqual(notified(false, []), [])
  })

  it("leave other notifications as they are", () => {
    const other: EngineNotification = { _tag: "PoolRate", rate: 1 }
    assert.strictEqual(singleNotifications(other)[0], other)
  })

  it("are logged where no peer had asked for one", () => {
    const lines = notified(true, [leaves(1, "block", 4, true), leaves(2, "block", 5)])
      .flatMap((each) => each._tag === "Log" ? [each.fields] : [])
    assert.deepStrictEqual(lines, [{ txid: shown(1) }])
  })
})
