import type { Height } from "@lockstep/kernel/quantities"
import type { Transaction } from "@lockstep/kernel/model"
import type * as Effect from "effect/Effect"
import type { StorageError } from "../../storage/storage-error.ts"
import type { UnixSeconds } from "../../quantities.ts"
import type { PackageOutcome, TransactionOutcome } from "../api/mempool-calls.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import type { ScriptPoolFailure } from "../script-pool/script-pool.ts"
import type { Entry, Removed, TxMempool } from "../txmempool/contract.ts"
import type { TxHandle } from "@lockstep/txgraph"
import type { FeeRate } from "@lockstep/kernel/relay"
import type { MempoolSettings } from "../options/settings.ts"

/** Conditions under which an entry entered the mempool. */
export interface Entered {
  /**
   * True if its fee is evidence for estimates: it came alone, within the limits, without mempool parents, on a current
   * chain.
   */
  readonly isCounted: boolean
  /** True if it came neither from a disconnected block nor from a mempool file. */
  readonly isNew: boolean
}

/** Callbacks in the order of the events, in the writer's turn. None may fail. */
export interface MempoolListener {
  readonly added?: (tx: TxHandle, entry: Entry, sequence: number, entered: Entered) => void
  readonly removed?: (removed: Removed) => void
  /** Called with all entries that left at once, before `removed` is called for each. */
  readonly removedTogether?: (removed: ReadonlyArray<Removed>) => void
  /** Called when a block became the tip and these entries left with it, after `removed` was called for each. */
  readonly blockConnected?: (removed: ReadonlyArray<Removed>, height: Height) => void
  /**
   * Called when this many entries were evicted from a full mempool, after `removed` was called for each. `minimum` is
   * the new minimum feerate, in satoshis per 1,000 virtual bytes.
   */
  readonly trimmed?: (transactions: number, minimum: number) => void
  /** Called with the minimum feerate of a full mempool, in satoshis per 1,000 virtual bytes. It may be unchanged. */
  readonly minimumFee?: (rate: number) => void
}

export type AcceptError = StorageError | ScriptPoolFailure

/** Submits transactions to the mempool. The effects need the writer's turn. */
export interface Acceptance {
  /** `isSaved` is true for a transaction from a mempool file. */
  readonly accept: (
    tx: Transaction,
    options?: { readonly time?: UnixSeconds; readonly bypassLimits?: boolean; readonly isSaved?: boolean }
  ) => Effect.Effect<TransactionOutcome, AcceptError>
  readonly test: (tx: Transaction) => Effect.Effect<TransactionOutcome, AcceptError>
  readonly acceptPackage: (
    transactions: ReadonlyArray<Transaction>,
    maxFeerate: FeeRate | undefined
  ) => Effect.Effect<PackageOutcome, AcceptError>
  /** Accepts a transaction and its ancestors; the transaction comes last. */
  readonly acceptAncestorPackage: Acceptance["acceptPackage"]
  readonly testPackage: (transactions: ReadonlyArray<Transaction>) => Effect.Effect<PackageOutcome, AcceptError>
}

/** The state shared by acceptance, the hooks of the chain and the calls. */
export interface MempoolContext {
  readonly engine: ChainEngine
  readonly settings: MempoolSettings
  readonly state: TxMempool
  /** Announces an entry that has entered, with the next sequence number. */
  readonly announceAdded: (tx: TxHandle, entered: Entered) => void
  /** Announces entries that have left. */
  readonly announceRemoved: (removed: ReadonlyArray<Removed>) => void
  /** Announces that a block became the tip. */
  readonly announceBlock: (removed: ReadonlyArray<Removed>, height: Height) => void
  /** Expires and evicts entries, and announces those that left. */
  readonly makeRoom: () => void
  /** Returns the minimum feerate in satoshis per 1,000 virtual bytes, by the engine's clock. It decays when it is read. */
  readonly minimumFee: () => number
  /** Returns the same without changing it, for observers. */
  readonly foreseenMinimumFee: () => number
  /** Notifies listeners of the minimum feerate, which decays with time. */
  readonly announceMinimumFee: () => void
}
