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

/** How an entry came into the mempool. */
export interface Entered {
  /**
   * What it pays says something about fees: it came alone, with its limits, without parents in the mempool, to a current
   * chain.
   */
  readonly isCounted: boolean
  /** It was not there before: neither in a disconnected block, nor in the file of a mempool. */
  readonly isNew: boolean
}

/** Listeners are called in the order in which things happen, in the writer's turn. None may fail. */
export interface MempoolListener {
  readonly added?: (tx: TxHandle, entry: Entry, sequence: number, entered: Entered) => void
  readonly removed?: (removed: Removed) => void
  /** All that left at once, before `removed` is called for each. */
  readonly removedTogether?: (removed: ReadonlyArray<Removed>) => void
  /** A block became the tip, and these left with it. `removed` has been called for each. */
  readonly blockConnected?: (removed: ReadonlyArray<Removed>, height: Height) => void
  /**
   * The mempool was too full, and this many were evicted, after `removed` was called for each. `minimum`: the fee in
   * satoshi per 1,000 virtual bytes that they raise its minimum to.
   */
  readonly trimmed?: (transactions: number, minimum: number) => void
  /** What the mempool asks for because it was full, in satoshi per 1,000 virtual bytes; it may be the same as before. */
  readonly minimumFee?: (rate: number) => void
}

export type AcceptError = StorageError | ScriptPoolFailure

/** How transactions are given to the mempool. Effects need the writer's turn. */
export interface Acceptance {
  /** `isSaved`: it is of the file of a mempool. */
  readonly accept: (
    tx: Transaction,
    options?: { readonly time?: UnixSeconds; readonly bypassLimits?: boolean; readonly isSaved?: boolean }
  ) => Effect.Effect<TransactionOutcome, AcceptError>
  readonly test: (tx: Transaction) => Effect.Effect<TransactionOutcome, AcceptError>
  readonly acceptPackage: (
    transactions: ReadonlyArray<Transaction>,
    maxFeerate: FeeRate | undefined
  ) => Effect.Effect<PackageOutcome, AcceptError>
  /** A transaction at the end, and ancestors of it. */
  readonly acceptAncestorPackage: Acceptance["acceptPackage"]
  readonly testPackage: (transactions: ReadonlyArray<Transaction>) => Effect.Effect<PackageOutcome, AcceptError>
}

/** What acceptance, the chain's hooks and the calls share. */
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
  /** Expires and trims; answers nothing: those that left are announced. */
  readonly makeRoom: () => void
  /** Satoshi per 1,000 virtual bytes, by the engine's clock. It decays when it is asked for. */
  readonly minimumFee: () => number
  /** The same for those who only observe. */
  readonly foreseenMinimumFee: () => number
  /** Notifies listeners of the minimum fee, which sinks with time. */
  readonly announceMinimumFee: () => void
}
