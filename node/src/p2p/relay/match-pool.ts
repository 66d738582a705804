import { concatBytes } from "@lockstep/kernel/bytes"
import { decodeTransaction } from "@lockstep/kernel/model"
import type { BloomFilter } from "@lockstep/protocol/bloom/bloom-filter.ts"
import { matchAndUpdate } from "@lockstep/protocol/bloom/match-transaction.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { IdKind, MempoolTransaction, P2pChain } from "../chain/p2p-chain.ts"
import { hashKey } from "../basics/hash-key.ts"
import { announceAll, candidatesOf, pays, portionOf, trickle } from "./announcements.ts"
import type { PeerRelay } from "./peer-relay.ts"
import { RELAY_LIMITS } from "./relay-limits.ts"

type Pool = Pick<P2pChain, "inMiningOrder" | "mempool" | "mempoolIds" | "mempoolTransactions">

/** Returns the end of the batch of ids to fetch from the engine; the batch is smaller if the transactions are large. */
const batchEnd = ({ mempool }: Pool, kind: IdKind, ids: ReadonlyArray<Uint8Array>, start: number): number => {
  let size = 0
  let end = start
  while (end < ids.length && end - start < RELAY_LIMITS.matchedAtATime.most && size < RELAY_LIMITS.matchedSize.most) {
    size += mempool.find(kind, ids[end++]!)?.virtualSize ?? 0
  }
  return end
}

const matches = (filter: BloomFilter, { bytes, txid }: MempoolTransaction): boolean => {
  const decoded = decodeTransaction(bytes)
  return Result.isSuccess(decoded) && matchAndUpdate(filter, decoded.success, txid)
}

/**
 * Selects the mempool transactions that match a peer's Bloom filter, in the same order, up to `most`. Also returns the
 * ids that were tested. The engine sends them in batches, between which other peers have their turn.
 */
const wantedBy = Effect.fnUntraced(function*(
  pool: Pool,
  filter: BloomFilter,
  to: PeerRelay,
  kind: IdKind,
  ids: ReadonlyArray<Uint8Array>,
  most: number
) {
  const found: Array<Uint8Array> = []
  const isPaying = (id: Uint8Array): boolean => {
    const known = pool.mempool.find(kind, id)
    return known !== undefined && pays(known, to.sendAbove)
  }
  let looked = 0
  while (looked < ids.length && found.length < most && !to.peer.isGone) {
    const batch = ids.slice(looked, batchEnd(pool, kind, ids, looked))
    const paying = batch.filter(isPaying)
    const fetched = paying.length === 0 ? [] : yield* pool.mempoolTransactions(kind, paying)
    const byId = new Map(paying.map((id, i) => [id, fetched[i]]))
    for (const id of batch) {
      if (found.length >= most) break
      looked++
      const transaction = byId.get(id)
      if (transaction !== undefined && matches(filter, transaction)) found.push(id)
    }
    yield* Effect.yieldNow
  }
  return { found, looked: ids.slice(0, looked) }
})

const announcePool = Effect.fnUntraced(function*(pool: Pool, to: PeerRelay, filter: BloomFilter, txids: Uint8Array) {
  const ids = Array.from({ length: txids.length / 32 }, (_, i) => txids.subarray(32 * i, 32 * i + 32))
  const { found } = yield* wantedBy(pool, filter, to, "txid", ids, Infinity)
  to.wantsPool = false
  announceAll(to, concatBytes(found), pool.mempool)
})

/** Announces matching queued transactions to a peer with a Bloom filter, and the whole mempool if it requested that. */
export const announceFiltered = Effect.fnUntraced(function*(pool: Pool, to: PeerRelay, filter: BloomFilter) {
  const all = to.wantsPool ? yield* pool.mempoolIds : undefined
  if (all !== undefined) yield* announcePool(pool, to, filter, all)
  const candidates = candidatesOf(to, pool.mempool)
  const order = candidates.length === 0 ? [] : (yield* pool.inMiningOrder(candidates)) ?? []
  const { found, looked } = yield* wantedBy(pool, filter, to, "wtxid", order, portionOf(to.waiting.size))
  trickle(to, found, pool.mempool)
  for (const wtxid of looked) to.waiting.delete(hashKey(wtxid))
})
