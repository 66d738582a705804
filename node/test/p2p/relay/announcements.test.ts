import { assert, describe, it } from "@effect/vitest"
import { concatBytes } from "@lockstep/kernel/bytes"
import { announceAll, candidatesOf, queueFor, trickle } from "../../../src/p2p/relay/announcements.ts"
import { keepFeeFilter } from "../../../src/p2p/relay/fee-filter.ts"
import { RELAY_LIMITS } from "../../../src/p2p/relay/relay-limits.ts"
import { peerRelay } from "../../../src/p2p/relay/peer-relay.ts"
import { mempoolReplica } from "../../../src/p2p/chain/mempool-replica.ts"
import type { PooledTransaction } from "../../../src/p2p/chain/p2p-chain.ts"
import { hashKey } from "../../../src/p2p/basics/hash-key.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { chainModel, scriptedPeer } from "../sync/chain-model.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"

const NOTHING_WANTED = 9_936_506n
const NOW = 1_700_000_000_000
const MINUTE = 60_000
const TX = 1
const WTX = 5

const hash = (value: number, kind: number): Uint8Array => {
  const bytes = new Uint8Array(32)
  // Everywhere, as in a hash.
  for (let at = 0; at < 32; at += 4) new DataView(bytes.buffer).setUint32(at, value * 2 + kind)
  return bytes
}

const transaction = (value: number, fee = 1_000n, virtualSize = 100): PooledTransaction => ({
  txid: hash(value, 1),
  wtxid: hash(value, 2),
  fee,
  virtualSize,
  sequence: value
})

const world = (wtxidRelay = true) => {
  const model = chainModel(NOW / 1_000)
  model.initialBlockDownload = false
  const pool = mempoolReplica(7)
  const context = { ...model.context, chain: { ...model.chain, mempool: pool } }
  const peer = scriptedPeer(1, "outbound-full-relay")
  Object.assign(peer.hello!, { wtxidRelay })
  const relay = peerRelay(peer, true, false, seededRandom(3))
  const enter = (...all: ReadonlyArray<PooledTransaction>): void => {
    for (const each of all) {
      pool.add(each)
      queueFor(relay, each, hashKey(each.wtxid))
    }
  }
  /** What is reported on a turn of the peer, when these are mined first. */
  const observed = (...first: ReadonlyArray<number>) => {
    const candidates = candidatesOf(relay, pool)
    trickle(relay, [...first.map((value) => hash(value, 2)), ...candidates], pool)
    const last = peer.sent.splice(0).at(-1)
    return last?.command === "inv" ? last.inventory : []
  }
  return { context, enter, model, peer, pool, relay, observed }
}

describe("announcements of transactions", () => {
  it.each<readonly [waiting: number, observed: number]>([
    [1, 1],
    [70, 70],
    [71, 70],
    [999, 70],
    [1_000, 75],
    [1_999, 75],
    [2_000, 80],
    [15_000, 145]
  ])("of %i that wait are %i at a time", (waiting, portion) => {
    const { enter, relay, observed } = world()
    for (let i = 0; i < waiting; i++) enter(transaction(i))
    assert.strictEqual(observed().length, portion)
    assert.strictEqual(relay.waiting.size, waiting - portion)
  })

  it("are 1,000 at most", () => {
    const { pool, relay, observed } = world()
    pool.add(transaction(0))
    for (let i = 0; i < 200_000; i++) relay.waiting.add(`${i}`)
    for (let i = 0; i < 2_000; i++) {
      pool.add(transaction(i))
      relay.waiting.add(hashKey(hash(i, 2)))
    }
    trickle(relay, Array.from({ length: 2_000 }, (_, i) => hash(i, 2)), pool)
    assert.strictEqual(relay.waiting.size, 201_000)
    assert.strictEqual(observed().length, 75, "of the thousand that are left: what is not in the mempool is forgotten")
  })

  it("come in mining order, each once, by the id that the peer goes by", () => {
    for (const [wtxidRelay, type, kind] of [[true, WTX, 2], [false, TX, 1]] as const) {
      const { enter, relay, observed } = world(wtxidRelay)
      enter(transaction(3), transaction(1), transaction(2))
      // Others are candidates of other peers.
      assert.deepStrictEqual(observed(2, 9, 3, 1), [2, 3, 1].map((value) => ({ type, hash: hash(value, kind) })))
      assert.deepStrictEqual(observed(), [])
      enter(transaction(1))
      assert.strictEqual(relay.waiting.size, 0, "it knows it")
    }
  })

  it("are chosen from those that pay best when very many wait", () => {
    const { enter, pool, relay } = world()
    const most = RELAY_LIMITS.candidates.most
    for (let i = 0; i < most + 10; i++) enter(transaction(i, BigInt(1_000 + i)))
    const candidates = candidatesOf(relay, pool)
    const least = candidates.map((wtxid) => pool.find("wtxid", wtxid)!.fee).reduce((a, b) => a < b ? a : b)
    assert.strictEqual(candidates.length, most)
    assert.strictEqual(least, 1_010n)
    assert.strictEqual(relay.waiting.size, most + 10, "the others wait on")
  })

  it("leave out what has left the pool, what the peer knows by now, and what pays too little", () => {
    const { enter, pool, relay, observed } = world()
    enter(transaction(1), transaction(2), transaction(3, 999n), transaction(4, 1_000n), transaction(5, 1_001n))
    pool.remove(hash(1, 1))
    relay.known.add(hash(2, 2))
    relay.sendAbove = 10_000n
    assert.deepStrictEqual(observed(1, 2, 3, 4, 5).map(({ hash: each }) => each), [hash(4, 2), hash(5, 2)])
    assert.strictEqual(relay.waiting.size, 0)
  })

  it("of the whole mempool: what pays, known or not, and no more of what waits", () => {
    const { enter, peer, pool, relay } = world()
    enter(transaction(1), transaction(2), transaction(3, 999n))
    relay.known.add(hash(2, 2))
    relay.sendAbove = 10_000n
    announceAll(relay, concatBytes([2, 9, 3, 1].map((value) => hash(value, 1))), pool)
    const [message] = peer.sent
    assert.deepStrictEqual(message?.command === "inv" && message.inventory.map(({ hash: each }) => each), [
      hash(2, 2),
      hash(1, 2)
    ])
    assert.strictEqual(relay.waiting.size, 0)
  })

  it("of nothing are no message", () => {
    const { peer, observed } = world()
    observed()
    assert.deepStrictEqual(peer.sent, [])
  })
})

describe("the fee filter for a peer", () => {
  const started = () => {
    const made = world()
    const rates = { pool: 0, least: 100n }
    const keep = (now: number): bigint | undefined => {
      keepFeeFilter(made.relay, made.context, { pool: () => rates.pool, least: rates.least }, unixMilliseconds(now))
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

  it("is said when its time is past, not before", () => {
    const { keep, rates, relay } = started()
    relay.saidFeerate = 12_000n
    rates.pool = 12_500
    relay.nextFeeFilter = NOW
    assert.isUndefined(keep(NOW))
    assert.strictEqual(relay.nextFeeFilter, NOW)
    assert.isDefined(keep(NOW + 1))
    assert.isAbove(relay.nextFeeFilter, NOW + 1)
  })

  it("is nothing for peers that need none, or are older than 70013", () => {
    const { keep, relay } = started()
    Object.assign(relay, { getsFeeFilter: false })
    assert.isUndefined(keep(NOW))
    const older = started()
    Object.assign(older.peer.hello!, { version: 70_012 })
    assert.isUndefined(older.keep(NOW))
    Object.assign(older.peer.hello!, { version: 70_013 })
    assert.strictEqual(older.keep(NOW), 100n)
  })
})
