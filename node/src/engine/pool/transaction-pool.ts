import type { Block } from "@lockstep/kernel/model/block.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { StorageError } from "../../storage/storage-error.ts"
import { breather } from "../breathe.ts"
import type { AcceptedTransaction, PoolTransaction } from "../calls/network-calls.ts"
import type { ChainEngine } from "../chain-engine.ts"
import type { ScriptPoolFailure } from "../script-pool/script-pool.ts"
import { decodedEntry, judgeDecoded, type PoolState } from "./judge-transaction.ts"
import { type PoolEntries, poolEntries, type PoolEntry } from "./pool-entries.ts"
import { EVICTED_SHARE, MIN_RELAY_RATE, POOL_BYTES, RATE_STEP, RETURNING_BYTES } from "./pool-limits.ts"
import { tellAdded, tellRate, tellRemoved } from "./pool-news.ts"

type JudgeError = StorageError | ScriptPoolFailure

/** Loose transactions that the next block could hold, together. What may wait needs the writer's turn. */
export interface TransactionPool {
  readonly entries: PoolEntries
  readonly accept: (bytes: Uint8Array, mostRate?: number) => Effect.Effect<AcceptedTransaction, JudgeError>
  /** A block became the tip. */
  readonly connected: (block: Block, transactionIds: Uint8Array) => void
  /** A block is no longer the tip: what was in it may come back, and what was here may not hold any more. */
  readonly disconnected: (block: Block) => void
  /** Judges everything anew, if blocks were disconnected. */
  readonly rejudge: Effect.Effect<void, JudgeError>
  readonly all: () => ReadonlyArray<PoolTransaction>
  /** Satoshis for 1,000 virtual bytes that it takes because of its size. */
  readonly rate: () => number
}

const UNDECODABLE: AcceptedTransaction = { _tag: "Refused", reason: "TX decode failed", isConsensus: false }
const TOO_RICH: AcceptedTransaction = { _tag: "Refused", reason: "max-fee-exceeded", isConsensus: false }
const FULL: AcceptedTransaction = { _tag: "Refused", reason: "mempool full", isConsensus: false }

const rateOf = ({ fee, virtualSize }: PoolEntry): number => Number(fee) / virtualSize

/** A pool that takes up to `limit` bytes of memory. */
export const transactionPool = (engine: ChainEngine, limit = POOL_BYTES): TransactionPool => {
  const entries = poolEntries()
  /** Satoshis for 1,000 virtual bytes that it takes while the pool is rather full. */
  let lowestRate = 0
  let isStale = false
  let returning: Array<Uint8Array> = []

  const state = (): PoolState => ({ entries, lowestRate, relayRate: MIN_RELAY_RATE })

  const removeWithDescendants = (entry: PoolEntry, reason: string): void => {
    for (const each of entries.withDescendants(entry)) {
      entries.remove(each)
      tellRemoved(engine, each, reason)
    }
  }

  const makeRoom = (): void => {
    const before = lowestRate
    driveOut()
    if (lowestRate !== before) tellRate(engine, before, lowestRate)
  }

  /** Drives out the cheapest until there is room. */
  const driveOut = (): void => {
    if (entries.bytes() < limit / 2) lowestRate = 0
    if (entries.bytes() <= limit) return
    const cheapestFirst = [...entries.byTxid.values()].sort((a, b) => rateOf(a) - rateOf(b))
    for (const entry of cheapestFirst) {
      if (entries.bytes() <= limit * (1 - EVICTED_SHARE)) return
      if (entries.ofTxid(entry.txid) !== entry) continue
      lowestRate = Math.ceil(rateOf(entry) * 1000) + RATE_STEP
      removeWithDescendants(entry, "sizelimit")
    }
  }

  const rejudge = Effect.gen(function*() {
    if (!isStale) return
    isStale = false
    const rest = breather()
    const back = returning.flatMap((bytes) => decodedEntry(engine, bytes) ?? [])
    returning = []
    const held = [...entries.byTxid.values()]
    for (const entry of held) entries.remove(entry)
    for (const entry of back) {
      const verdict = yield* judgeDecoded(engine, state(), entry, false)
      if (Result.isSuccess(verdict)) {
        entries.add(verdict.success)
        tellAdded(engine, verdict.success)
      }
      yield* rest
    }
    for (const entry of held) {
      const verdict = yield* judgeDecoded(engine, { ...state(), lowestRate: 0 }, entry, true)
      if (Result.isSuccess(verdict)) entries.add(entry)
      else tellRemoved(engine, entry, "reorg")
      yield* rest
    }
    makeRoom()
  })

  const accept = Effect.fnUntraced(function*(
    bytes: Uint8Array,
    mostRate = Number.POSITIVE_INFINITY
  ): Effect.fn.Return<AcceptedTransaction, JudgeError> {
    yield* rejudge
    const decoded = decodedEntry(engine, bytes)
    if (decoded === undefined) return UNDECODABLE
    const verdict = yield* judgeDecoded(engine, state(), decoded, false)
    if (Result.isFailure(verdict)) return verdict.failure
    const entry = verdict.success
    if (rateOf(entry) * 1000 > mostRate) return TOO_RICH
    entries.add(entry)
    tellAdded(engine, entry)
    makeRoom()
    if (entries.ofTxid(entry.txid) !== entry) return FULL
    const { fee, txid, virtualSize, wtxid } = entry
    return { _tag: "Accepted", transaction: { txid, wtxid, bytes, fee, virtualSize } }
  })

  const connected = (block: Block, transactionIds: Uint8Array): void => {
    if (entries.byTxid.size === 0) return
    for (let i = 1; i < block.transactions.length; i++) {
      const own = entries.ofTxid(transactionIds.subarray(i * 32, i * 32 + 32))
      if (own !== undefined) {
        entries.remove(own)
        tellRemoved(engine, own, "block")
      }
      for (const { prevout } of block.transactions[i]!.inputs) {
        const other = entries.spenderOf(prevout)
        if (other !== undefined) removeWithDescendants(other, "conflict")
      }
    }
  }

  const disconnected = (block: Block): void => {
    isStale = true
    // Blocks go tip first: those of an older one come back before.
    returning = [...block.transactions.slice(1).map(({ bytes }) => new Uint8Array(bytes)), ...returning]
    let size = 0
    returning = returning.filter(({ length }) => (size += length) <= RETURNING_BYTES)
  }

  const all = (): ReadonlyArray<PoolTransaction> =>
    [...entries.byTxid.values()].map(({ bytes, fee, txid, virtualSize, wtxid }) => ({ txid, wtxid, bytes, fee, virtualSize }))

  return { entries, accept, connected, disconnected, rejudge, all, rate: () => lowestRate }
}
