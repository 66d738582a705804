import type { Block } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { StorageError } from "../../storage/storage-error.ts"
import { periodicYield } from "../yield-to-event-loop.ts"
import type { AcceptedTransaction, MempoolTransaction } from "../api/network-calls.ts"
import type { ChainEngine } from "../chain-engine.ts"
import type { ScriptPoolFailure } from "../script-pool/script-pool.ts"
import { decodedEntry, acceptDecoded, type Judgement, type MempoolState } from "./accept-to-mempool.ts"
import { type MempoolEntries, mempoolEntries, type MempoolEntry } from "./mempool-entries.ts"
import {
  EVICTED_SHARE,
  MIN_RELAY_RATE,
  MAX_MEMPOOL_BYTES,
  RATE_STEP,
  DISCONNECTED_TRANSACTION_BYTES
} from "./mempool-limits.ts"
import { notifyAdded, notifyNew, notifyMinimumFee, notifyRemoved } from "./mempool-notifications.ts"
import { feeAt } from "./standard.ts"

type JudgeError = StorageError | ScriptPoolFailure

/** Unconfirmed transactions that the next block could hold, together. Effects need the writer's turn. */
export interface Mempool {
  readonly entries: MempoolEntries
  readonly accept: (bytes: Uint8Array, mostRate?: number) => Effect.Effect<AcceptedTransaction, JudgeError>
  /** The answer that {@link accept} would give, unless the mempool turns out to be full. The mempool stays as it is. */
  readonly test: (bytes: Uint8Array, mostRate?: number) => Effect.Effect<AcceptedTransaction, JudgeError>
  /** A block became the tip. */
  readonly connected: (block: Block, transactionIds: Uint8Array) => void
  /** A block was disconnected: its transactions may re-enter the mempool, and entries may have become invalid. */
  readonly disconnected: (block: Block) => void
  /** Validates everything again, if blocks were disconnected. */
  readonly rejudge: Effect.Effect<void, JudgeError>
  readonly all: () => ReadonlyArray<MempoolTransaction>
  /** Satoshis for 1,000 virtual bytes that it demands because of its size. */
  readonly rate: () => number
}

const UNDECODABLE: AcceptedTransaction = { _tag: "Refused", reason: "TX decode failed", isConsensus: false }
const MAX_FEE_EXCEEDED: AcceptedTransaction = { _tag: "Refused", reason: "max-fee-exceeded", isConsensus: false }
const FULL: AcceptedTransaction = { _tag: "Refused", reason: "mempool full", isConsensus: false }

const rateOf = ({ fee, virtualSize }: MempoolEntry): number => Number(fee) / virtualSize

const acceptedAnswer = ({ bytes, fee, txid, virtualSize, wtxid }: MempoolEntry): AcceptedTransaction => ({
  _tag: "Accepted",
  transaction: { txid, wtxid, bytes, fee, virtualSize }
})

/** A mempool that takes up to `limit` bytes of memory. */
export const makeMempool = (engine: ChainEngine, limit = MAX_MEMPOOL_BYTES): Mempool => {
  const entries = mempoolEntries()
  /** Satoshis for 1,000 virtual bytes that it demands while it is nearly full. */
  let lowestRate = 0
  let isStale = false
  let returning: Array<Uint8Array> = []

  const state = (): MempoolState => ({ entries, lowestRate, relayRate: MIN_RELAY_RATE })

  const removeWithDescendants = (entry: MempoolEntry, reason: string): void => {
    for (const each of entries.withDescendants(entry)) {
      entries.remove(each)
      notifyRemoved(engine, each, reason)
    }
  }

  const makeRoom = (): void => {
    const before = lowestRate
    trimToSize()
    if (lowestRate !== before) notifyMinimumFee(engine, before, lowestRate)
  }

  /** Evicts the cheapest transactions until there is room. */
  const trimToSize = (): void => {
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
    const rest = periodicYield()
    const back = returning.flatMap((bytes) => decodedEntry(engine, bytes) ?? [])
    returning = []
    const held = [...entries.byTxid.values()]
    for (const entry of held) entries.remove(entry)
    for (const entry of back) {
      const verdict = yield* acceptDecoded(engine, state(), entry, false)
      if (Result.isSuccess(verdict)) {
        entries.add(verdict.success)
        notifyAdded(engine, verdict.success)
      }
      yield* rest
    }
    for (const entry of held) {
      const verdict = yield* acceptDecoded(engine, { ...state(), lowestRate: 0 }, entry, true)
      if (Result.isSuccess(verdict)) entries.add(entry)
      else notifyRemoved(engine, entry, "reorg")
      yield* rest
    }
    makeRoom()
  })

  const judged = Effect.fnUntraced(function*(
    bytes: Uint8Array,
    mostRate = Number.POSITIVE_INFINITY
  ): Effect.fn.Return<Judgement, JudgeError> {
    yield* rejudge
    const decoded = decodedEntry(engine, bytes)
    if (decoded === undefined) return Result.fail(UNDECODABLE)
    const verdict = yield* acceptDecoded(engine, state(), decoded, false)
    return Result.filterOrFail(
      verdict,
      ({ fee, virtualSize }) => mostRate === Number.POSITIVE_INFINITY || fee <= feeAt(mostRate, virtualSize),
      () => MAX_FEE_EXCEEDED
    )
  })

  const test = (bytes: Uint8Array, mostRate?: number): Effect.Effect<AcceptedTransaction, JudgeError> =>
    Effect.map(judged(bytes, mostRate), Result.match({ onFailure: (answer) => answer, onSuccess: acceptedAnswer }))

  const accept = Effect.fnUntraced(function*(
    bytes: Uint8Array,
    mostRate?: number
  ): Effect.fn.Return<AcceptedTransaction, JudgeError> {
    const verdict = yield* judged(bytes, mostRate)
    if (Result.isFailure(verdict)) return verdict.failure
    const entry = verdict.success
    entries.add(entry)
    notifyAdded(engine, entry)
    makeRoom()
    if (entries.ofTxid(entry.txid) !== entry) return FULL
    notifyNew(engine, entry)
    return acceptedAnswer(entry)
  })

  const connected = (block: Block, transactionIds: Uint8Array): void => {
    if (entries.byTxid.size === 0) return
    for (let i = 1; i < block.transactions.length; i++) {
      const own = entries.ofTxid(transactionIds.subarray(i * 32, i * 32 + 32))
      if (own !== undefined) {
        entries.remove(own)
        notifyRemoved(engine, own, "block")
      }
      for (const { prevout } of block.transactions[i]!.inputs) {
        const other = entries.spenderOf(prevout)
        if (other !== undefined) removeWithDescendants(other, "conflict")
      }
    }
  }

  const disconnected = (block: Block): void => {
    isStale = true
    // Blocks are disconnected tip first: transactions of an older one re-enter first.
    returning = [...block.transactions.slice(1).map(({ bytes }) => new Uint8Array(bytes)), ...returning]
    let size = 0
    returning = returning.filter(({ length }) => (size += length) <= DISCONNECTED_TRANSACTION_BYTES)
  }

  const all = (): ReadonlyArray<MempoolTransaction> =>
    [...entries.byTxid.values()].map(({ bytes, fee, txid, virtualSize, wtxid }) => ({
      txid,
      wtxid,
      bytes,
      fee,
      virtualSize
    }))

  return { entries, accept, test, connected, disconnected, rejudge, all, rate: () => lowestRate }
}
