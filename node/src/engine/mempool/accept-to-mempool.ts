import type { Crypto } from "@lockstep/kernel/crypto"
import { medianTimePast } from "@lockstep/kernel/chain"
import {
  decodeTransaction,
  isCoinbase,
  type OutPoint,
  type Transaction,
  transactionId,
  witnessTransactionId
} from "@lockstep/kernel/model"
import { transactionSigOpCost } from "@lockstep/kernel/sigops"
import { checkInputs, checkTransaction, isFinal, sequenceLocks, sequenceLocksArePassed } from "@lockstep/kernel/tx"
import type { Coin } from "@lockstep/kernel/utxo"
import { STANDARD_FLAGS } from "@lockstep/kernel/relay"
import { type Rejection, rejectionOf, rejectionText } from "@lockstep/protocol/rejection/rejection.ts"
import { SCRIPT_ERROR_TEXTS } from "@lockstep/protocol/rejection/script-error-text.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { StorageError } from "../../storage/storage-error.ts"
import type { AcceptedTransaction } from "../api/network-calls.ts"
import type { ChainEngine } from "../chain-engine.ts"
import type { JobFailure, ScriptPoolFailure } from "../script-pool/script-pool.ts"
import { offenderOf } from "../validation/offender.ts"
import { verifyUnconfirmed } from "./verify-unconfirmed.ts"
import { idKey, type MempoolEntries, type MempoolEntry } from "./mempool-entries.ts"
import { MAX_STANDARD_SIGOPS_COST } from "./mempool-limits.ts"
import { feeAt, notStandard, virtualSizeOf } from "./standard.ts"

/** The state of the mempool that a transaction is validated against, besides the chain. */
export interface MempoolState {
  readonly entries: MempoolEntries
  /** Satoshis for 1,000 virtual bytes, at least. */
  readonly lowestRate: number
  readonly relayRate: number
}

const TOO_MANY_SIGOPS: Rejection = { reason: "bad-txns-too-many-sigops", class: "invalid", rule: undefined }

/** The entry for a transaction, or why there is none. */
export type Judgement = Result.Result<MempoolEntry, AcceptedTransaction>

const refused = (reason: string, isConsensus = false): Result.Result<never, AcceptedTransaction> =>
  Result.fail({ _tag: "Refused", reason, isConsensus })

const rejected = (rejection: Rejection, isConsensus: boolean): Result.Result<never, AcceptedTransaction> => {
  const { debug, reason } = rejection
  return debug === undefined
    ? refused(reason, isConsensus)
    : Result.fail({ _tag: "Refused", reason, isConsensus, details: rejectionText(rejection) })
}

const KNOWN: Result.Result<never, AcceptedTransaction> = Result.fail({ _tag: "Known" })
const CONFIRMED: Result.Result<never, AcceptedTransaction> = Result.fail({ _tag: "Known", isConfirmed: true })

/** The reason to reject a transaction before its coins are looked up. */
const wrongByItself = (
  { tree: { tip } }: ChainEngine,
  { entries }: MempoolState,
  tx: Transaction,
  txid: Uint8Array,
  wtxid: Uint8Array
) => {
  const itself = checkTransaction(tx)
  if (Result.isFailure(itself)) return rejected(rejectionOf(itself.failure), true)
  if (isCoinbase(tx)) return refused("coinbase", true)
  const unwanted = notStandard(tx)
  if (unwanted !== undefined) return refused(unwanted)
  if (!isFinal(tx, tip.height + 1, medianTimePast(tip))) return refused("non-final")
  if (entries.hasWtxid(wtxid)) return KNOWN
  if (entries.ofTxid(txid) !== undefined) return refused("txn-same-nonwitness-data-in-mempool")
  const conflicts = tx.inputs.some(({ prevout }) => entries.spenderOf(prevout) !== undefined)
  return conflicts ? refused("txn-mempool-conflict") : undefined
}

/**
 * An output that is spent: of the mempool, as if the next block made it, or of the chain. Precondition: it was
 * prefetched.
 */
const coinOf = ({ coins, tree }: ChainEngine, { entries }: MempoolState, prevout: OutPoint): Coin | undefined => {
  const output = entries.ofTxid(prevout.txid)?.tx.outputs[prevout.vout]
  return output === undefined ? coins.coinAt(prevout) : { ...output, height: tree.tip.height + 1, isCoinbase: false }
}

/** The coins that a transaction spends, or the answer for one whose coins are not all there. */
const coinsOf = Effect.fnUntraced(function*(
  engine: ChainEngine,
  state: MempoolState,
  tx: Transaction,
  txid: Uint8Array
): Effect.fn.Return<Result.Result<ReadonlyArray<Coin>, AcceptedTransaction>, StorageError> {
  const made = tx.outputs.map((_output, vout) => ({ txid, vout }))
  yield* engine.coins.prefetchCoins([...tx.inputs.map(({ prevout }) => prevout), ...made])
  const coins: Array<Coin> = []
  const missing = new Map<string, Uint8Array>()
  for (const { prevout } of tx.inputs) {
    const coin = coinOf(engine, state, prevout)
    if (coin === undefined) missing.set(idKey(prevout.txid), prevout.txid.slice())
    else coins.push(coin)
  }
  if (missing.size === 0) return Result.succeed(coins)
  // It is in a block already: what it made is there, so what it spent is gone.
  const isConfirmed = made.some((outpoint) => engine.coins.coinAt(outpoint) !== undefined)
  return isConfirmed ? CONFIRMED : Result.fail({ _tag: "MissingInputs", parents: [...missing.values()] })
})

/** Failures of policy and of consensus have the same reason; the details of a script failure name the input. */
const scriptRejection = (failure: JobFailure, tx: Transaction, crypto: Crypto): Rejection => ({
  ...rejectionOf(failure, offenderOf(tx, crypto)),
  reason: `mempool-script-verify-flag-failed (${SCRIPT_ERROR_TEXTS[failure.detail.error]})`
})

const tooPoor = (
  { lowestRate, relayRate }: MempoolState,
  fee: bigint,
  virtualSize: number
): AcceptedTransaction | undefined => {
  for (
    const [rate, reason] of [[lowestRate, "mempool min fee not met"], [relayRate, "min relay fee not met"]] as const
  ) {
    const least = feeAt(rate, virtualSize)
    if (fee < least) return { _tag: "Refused", reason, isConsensus: false, details: `${reason}, ${fee} < ${least}` }
  }
  return undefined
}

const judgeSpending = Effect.fnUntraced(function*(
  engine: ChainEngine,
  state: MempoolState,
  entry: Pick<MempoolEntry, "bytes" | "tx" | "txid" | "wtxid">,
  skipsScripts: boolean
): Effect.fn.Return<Judgement, StorageError | ScriptPoolFailure> {
  const { tip } = engine.tree
  const { tx, txid } = entry
  const found = yield* coinsOf(engine, state, tx, txid)
  if (Result.isFailure(found)) return Result.fail(found.failure)
  const coins = found.success
  if (Result.isFailure(sequenceLocksArePassed(sequenceLocks(tx, coins, tip), tip))) return refused("non-BIP68-final")
  const fee = checkInputs(tx, coins, tip.height + 1)
  // A coinbase's outputs will be there for all once they are old enough.
  if (Result.isFailure(fee)) return rejected(rejectionOf(fee.failure), fee.failure.rule !== "TXI-002")
  const sigOpCost = transactionSigOpCost(tx, coins, STANDARD_FLAGS)
  if (sigOpCost > MAX_STANDARD_SIGOPS_COST) return rejected({ ...TOO_MANY_SIGOPS, debug: String(sigOpCost) }, false)
  const virtualSize = virtualSizeOf(tx, sigOpCost)
  const poor = tooPoor(state, fee.success, virtualSize)
  if (poor !== undefined) return Result.fail(poor)
  const failure = skipsScripts ? undefined : yield* verifyUnconfirmed(engine, tx, coins, STANDARD_FLAGS)
  return failure === undefined
    ? Result.succeed({ ...entry, fee: fee.success, virtualSize })
    : rejected(scriptRejection(failure, tx, engine.crypto), false)
})

/** Validates a decoded transaction as part of the next block. `skipsScripts`: they were verified before. */
export const acceptDecoded = (
  engine: ChainEngine,
  state: MempoolState,
  entry: Pick<MempoolEntry, "bytes" | "tx" | "txid" | "wtxid">,
  skipsScripts: boolean
): Effect.Effect<Judgement, StorageError | ScriptPoolFailure> =>
  Effect.suspend(() => {
    const wrong = wrongByItself(engine, state, entry.tx, entry.txid, entry.wtxid)
    return wrong === undefined ? judgeSpending(engine, state, entry, skipsScripts) : Effect.succeed(wrong)
  })

/** The transaction in these bytes, with its ids. */
export const decodedEntry = (
  { crypto }: ChainEngine,
  given: Uint8Array
): Pick<MempoolEntry, "bytes" | "tx" | "txid" | "wtxid"> | undefined => {
  // Subscribers get a copy of the whole buffer.
  const bytes = given.length === given.buffer.byteLength ? given : new Uint8Array(given)
  const decoded = decodeTransaction(bytes)
  if (Result.isFailure(decoded)) return undefined
  const tx = decoded.success
  return { bytes, tx, txid: transactionId(tx, crypto), wtxid: witnessTransactionId(tx, crypto) }
}
