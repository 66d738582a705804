import { assert, describe, it } from "@effect/vitest"
import { queueFor, trickle } from "../../../src/p2p/relay/announcements.ts"
import { keepFeeFilter } from "../../../src/p2p/relay/fee-filter.ts"
import { peerRelay } from "../../../src/p2p/relay/peer-relay.ts"
import type { MempoolTransaction } from "../../../src/p2p/chain/p2p-chain.ts"
import { seededRandom } from "../../../src/p2p/seeded-random.ts"
import { chainModel, scriptedPeer } from "../sync/chain-model.ts"

const NOTHING_WANTED = 9_936_506n
const NOW = 1_700_000_000_000
const MINUTE = 60_000
const TX = 1
const WTX = 5

const hash = (value: number, kind: number): Uint8Array => {
  const bytes = new Uint8Array(32).fill(kind)
  new DataView(bytes.buffer).setUint32(0, value)
  return bytes
}

const transaction = (value: number, fee = 1_000n, virtualSize = 100): MempoolTransaction => ({
  txid: hash(value, 1),
  wtxid: hash(value, 2),
  bytes: new Uint8Array(0),
  fee,
  virtualSize
})

const world = (wtxidRelay = true) => {
  const model = chainModel(NOW / 1_000)
  model.initialBlockDownload = false
  const pool = new Map<string, MempoolTransaction>()
  const context = { ...model.context, chain: { ...model.chain, poolByTxid: pool } }
  const peer = scriptedPeer(1, "outbound-full-relay")
  Object.assign(peer.hello!, { wtxidRelay })
  const relay = peerRelay(peer, true, seededRandom(3))
  const enter = (...all: ReadonlyArray<MempoolTransaction>): void => {
    for (const each of all) {
      queueFor(relay, each)
      for (const key of relay.waiting.keys()) if (!pool.has(key)) pool.set(key, each)
    }
  }
  const told = () => {
    trickle(relay, context)
    const last = peer.sent.splice(0).at(-1)
    return last?.command === "inv" ? last.inventory : []
  }
  return { context, enter, model, peer, pool, relay, told }
}

describe("announcements of transactions", () => {
  it.each<readonly [waiting: number, told: number]>([
    [1, 1],
    [70, 70],
    [71, 70],
    [999, 70],
    [1_000, 75],
    [1_999, 75],
    [2_000, 80],
    [100_000, 570],
    [186_000, 1_000],
    [250_000, 1_000]
  ])("of %i that wait are %i at a time", (waiting, portion) => {
    const { pool, relay, told } = world()
    const one = transaction(1)
    for (let i = 0; i < waiting; i++) {
      relay.waiting.set(`key ${i}`, one)
      pool.set(`key ${i}`, one)
    }
    assert.strictEqual(told().length, portion)
    assert.strictEqual(relay.waiting.size, waiting - portion)
  })

  it("come in the order in which they entered, each once, by the id that the peer goes by", () => {
    for (const [wtxidRelay, type, kind] of [[true, WTX, 2], [false, TX, 1]] as const) {
      const { enter, relay, told } = world(wtxidRelay)
      enter(transaction(3), transaction(1), transaction(2))
      assert.deepStrictEqual(told(), [3, 1, 2].map((value) => ({ type, hash: hash(value, kind) })))
      assert.deepStrictEqual(told(), [])
      enter(transaction(1))
      assert.strictEqual(relay.waiting.size, 0, "it knows it")
    }
  })

  it("leave out what has left the pool, what the peer knows by now, and what pays too little", () => {
    const { enter, pool, relay, told } = world()
    enter(transaction(1), transaction(2), transaction(3, 999n), transaction(4, 1_000n), transaction(5, 1_001n))
    pool.delete([...relay.waiting.keys()][0]!)
    relay.known.add(hash(2, 2))
    relay.sendAbove = 10_000n
    assert.deepStrictEqual(told().map(({ hash: each }) => each), [hash(4, 2), hash(5, 2)])
    assert.strictEqual(relay.waiting.size, 0)
  })

  it("of nothing are no message", () => {
    const { context, peer, relay } = world()
    trickle(relay, context)
    assert.deepStrictEqual(peer.sent, [])
  })
})

describe("the fee filter for a peer", () => {
  const started = () => {
    const made = world()
    const rates = { pool: 0, least: 100n }
    const keep = (now: number): bigint | undefined => {
      keepFeeFilter(made.relay, made.context, { pool: () => rates.pool, least: rates.least }, now)
      const last = made.peer.sent.splice(0).at(-1)
      return last?.command === "feefilter" ? last.feerate : undefined
    }
    return { ...made, keep, rates }
  }

  it("is the least rate while the pool takes anything, and is said once", () => {
    const { keep, relay } = started()
    assert.strictEqual(keep(NOW), 100n)
    assert.isAbove(relay.nextFeeFilter, NOW)
    relay.nextFeeFilter = NOW
    assert.isUndefined(keep(NOW + 1), "it is the same")
  })

  it("keeps everything away during the initial download, and is said anew at once when that is over", () => {
    const { keep, model } = started()
    model.initialBlockDownload = true
    assert.strictEqual(keep(NOW), NOTHING_WANTED)
    model.initialBlockDownload = false
    assert.strictEqual(keep(NOW + 1), 100n)
  })

  it("comes within five minutes when the rate is a third above, or a quarter below, what was said", () => {
    const soon = (rate: number): boolean => {
      const { keep, rates, relay } = started()
      relay.saidFeerate = 12_000n
      relay.nextFeeFilter = NOW + 30 * MINUTE
      rates.pool = rate
      keep(NOW)
      return relay.nextFeeFilter < NOW + 5 * MINUTE
    }
    assert.deepStrictEqual([16_000, 16_001, 9_000, 8_999, 12_000].map(soon), [false, true, false, true, false])
  })

  it("waits its turn when that is within five minutes anyway", () => {
    const { keep, rates, relay } = started()
    relay.saidFeerate = 12_000n
    rates.pool = 50_000
    relay.nextFeeFilter = NOW + 5 * MINUTE
    keep(NOW)
    assert.strictEqual(relay.nextFeeFilter, NOW + 5 * MINUTE)
    relay.nextFeeFilter = NOW + 5 * MINUTE + 1
    keep(NOW)
    assert.isBelow(relay.nextFeeFilter, NOW + 5 * MINUTE)
  })

  it("is nothing for peers that may not announce transactions to us, or are older than 70013", () => {
    const { keep, relay } = started()
    Object.assign(relay, { maySendTransactions: false })
    assert.isUndefined(keep(NOW))
    const older = started()
    Object.assign(older.peer.hello!, { version: 70_012 })
    assert.isUndefined(older.keep(NOW))
    Object.assign(older.peer.hello!, { version: 70_013 })
    assert.strictEqual(older.keep(NOW), 100n)
  })
})
