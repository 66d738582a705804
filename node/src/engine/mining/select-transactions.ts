import { MAX_BLOCK_SIGOPS_COST } from "@lockstep/kernel/constants"
import { decodeTransaction } from "@lockstep/kernel/model"
import type { Height, Sats, UnixSeconds, Weight } from "@lockstep/kernel/quantities"
import { compareFeeRates } from "@lockstep/kernel/relay"
import { isFinal } from "@lockstep/kernel/tx"
import type { Chunk, ChunkHandle, TxHandle } from "@lockstep/txgraph"
import * as Result from "effect/Result"
import type { MempoolQueries } from "../txmempool/contract.ts"
import type { MiningOptions } from "../options/mining-options.ts"

/** The part of a mempool that selection reads. */
export type Candidates = Pick<MempoolQueries, "bytes" | "graph" | "sigOpCost" | "weight">

/** The block that transactions are selected for. */
export interface Destination {
  readonly height: Height
  /** Median time past of its parent, which lock times are compared with. */
  readonly cutoff: UnixSeconds
}

/** The transactions selected for a block. */
export interface Selection {
  readonly transactions: ReadonlyArray<TxHandle>
  /** Weight including the reserved weight. */
  readonly weight: Weight
  /** Cost including the part reserved for the coinbase. */
  readonly sigOpCost: number
}

/** Cost of signature operations reserved for the coinbase. */
const RESERVED_SIGOP_COST = 400
/** Number of consecutive chunks that do not fit after which a nearly full block counts as full. */
const MOST_FAILURES = 1_000
/** A block with less remaining weight than this is nearly full. */
const NEARLY_FULL = 4_000
const WEIGHT_PER_VIRTUAL_BYTE = 4

const isFinalIn = ({ bytes }: Candidates, tx: TxHandle, { cutoff, height }: Destination): boolean => {
  const serialized = bytes(tx)
  // The lock time ends a transaction. Nearly all have none, and need not be decoded.
  let lockTimeBits = 0
  for (let at = serialized.length - 4; at < serialized.length; at++) lockTimeBits |= serialized[at]!
  return lockTimeBits === 0 || isFinal(Result.getOrThrow(decodeTransaction(serialized)), height, cutoff)
}

/** Below these, products of a fee and a size are exact. */
const SMALL_FEE = 1_000_000_000
const SMALL_SIZE = 1_000_000

const paysTooLittle = ({ fee, size }: Chunk, blockMinFee: Sats): boolean => {
  const virtualSize = Math.ceil(size / WEIGHT_PER_VIRTUAL_BYTE)
  if (Math.abs(fee) < SMALL_FEE && blockMinFee < SMALL_FEE && virtualSize < SMALL_SIZE) {
    return fee * 1_000 < Number(blockMinFee) * virtualSize
  }
  return compareFeeRates({ fee: BigInt(fee), size: virtualSize }, { fee: blockMinFee, size: 1_000 }) < 0
}

/**
 * Selects the transactions of a block, chunk by chunk in mining order. A chunk that does not fit is skipped as a whole,
 * with all later chunks of its cluster, which may need it.
 */
export const selectTransactions = (
  candidates: Candidates,
  destination: Destination,
  { blockMaxWeight, blockMinFee, blockReservedWeight }: MiningOptions
): Selection => {
  const { graph, sigOpCost: costOf, weight: weightOf } = candidates
  const transactions: Array<TxHandle> = []
  const skipped = new Set<number>()
  let weight = blockReservedWeight
  let sigOpCost = RESERVED_SIGOP_COST
  let failures = 0
  for (let at: ChunkHandle | undefined = graph.bestChunk(); at !== undefined; at = graph.nextChunk(at)) {
    if (skipped.size > 0 && skipped.has(graph.chunkCluster(at))) continue
    const chunk = graph.chunk(at)
    if (paysTooLittle(chunk, blockMinFee)) break
    const cost = chunk.transactions.reduce((sum, tx) => sum + costOf(tx), 0)
    // The adjusted weight of a chunk decides whether it fits; its plain weight is counted.
    const fits = weight + chunk.size < blockMaxWeight && sigOpCost + cost < MAX_BLOCK_SIGOPS_COST &&
      chunk.transactions.every((tx) => isFinalIn(candidates, tx, destination))
    if (!fits) {
      skipped.add(graph.chunkCluster(at))
      failures++
      if (failures > MOST_FAILURES && weight + NEARLY_FULL > blockMaxWeight) break
      continue
    }
    failures = 0
    sigOpCost += cost
    for (const tx of chunk.transactions) {
      transactions.push(tx)
      weight += weightOf(tx)
    }
  }
  return { transactions, weight, sigOpCost }
}
