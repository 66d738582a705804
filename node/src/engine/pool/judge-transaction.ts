import { medianTimePast } from "@lockstep/kernel/header/median-time.ts"
import { transactionId, witnessTransactionId } from "@lockstep/kernel/model/identity.ts"
import { decodeTransaction } from "@lockstep/kernel/model/transaction-codec.ts"
import { isCoinbase, type OutPoint, type Transaction } from "@lockstep/kernel/model/transaction.ts"
import type { ScriptFailure } from "@lockstep/kernel/script/fault.ts"
import { transactionSigOpCost } from "@lockstep/kernel/sigops/cost.ts"
import { checkInputs } from "@lockstep/kernel/tx/check-inputs.ts"
import { checkTransaction } from "@lockstep/kernel/tx/check-transaction.ts"
import { isFinal } from "@lockstep/kernel/tx/finality.ts"
import { sequenceLocks, sequenceLocksArePassed } from "@lockstep/kernel/tx/sequence-locks.ts"
import type { Coin } from "@lockstep/kernel/utxo/coin.ts"
import { rejectionOf } from "@lockstep/protocol/rejection/rejection.ts"
import { SCRIPT_ERROR_TEXTS } from "@lockstep/protocol/rejection/script-error-text.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { StorageError } from "../../storage/storage-error.ts"
import type { AcceptedTransaction } from "../calls/network-calls.ts"
import type { ChainEngine } from "../chain-engine.ts"
import type { ScriptPoolFailure } from "../script-pool/script-pool.ts"
import { judgeLoose } from "./judge-loose.ts"
import { idKey, type PoolEntries, type PoolEntry } from "./pool-entries.ts"
import { MAX_STANDARD_SIGOPS_COST } from "./pool-limits.ts"
import { feeAt, notStandard, STANDARD_FLAGS, virtualSizeOf } from "./standard.ts"

/** What a transaction is judged by besides the chain. */
export interface PoolState {
  readonly entries: PoolEntries
  /** Satoshis for 1,000 virtual bytes, at least. */
  readonly lowestRate: number
  readonly relayRate: number
}

type Judgement = Result.Result<PoolEntry, AcceptedTransaction>

const refused = (reason: string, isConsensus = false): Result.Result<never, AcceptedTransaction> =>
  Result.fail({ _tag: "Refused", reason, isConsensus })

const KNOWN: Result.Result<never, AcceptedTransaction> = Result.fail({ _tag: "Known" })
const CONFIRMED: Result.Result<never, AcceptedTransaction> = Result.fail({ _tag: "Known", isConfirmed: true })

/** What is wrong with a transaction before its coins are looked for. */
const wrongByItself = ({ tree: { tip } }: ChainEngine, { entries }: PoolState, tx: Transaction, txid: Uint8Array, wtxid: Uint8Array) => {
  const itself = checkTransaction(tx)
  if (Result.isFailure(itself)) return refused(rejectionOf(itself.failure).reason, true)
  if (isCoinbase(tx)) return refused("coinbase", true)
  const unwanted = notStandard(tx)
  if (unwanted !== undefined) return refused(unwanted)
  if (!isFinal(tx, tip.height + 1, medianTimePast(tip))) return refused("non-final")
  if (entries.hasWtxid(wtxid)) return KNOWN
  if (entries.ofTxid(txid) !== undefined) return refused("txn-same-nonwitness-data-in-mempool")
  const conflicts = tx.inputs.some(({ prevout }) => entries.spenderOf(prevout) !== undefined)
  return conflicts ? refused("txn-mempool-conflict") : undefined
}

/** An output that is spent: of the pool, as if the next block made it, or of the chain. Precondition: it was gathered. */
const coinOf = ({ coins, tree }: ChainEngine, { entries }: PoolState, prevout: OutPoint): Coin | undefined => {
  const output = entries.ofTxid(prevout.txid)?.tx.outputs[prevout.vout]
  return output === undefined ? coins.coinAt(prevout) : { ...output, height: tree.tip.height + 1, isCoinbase: false }
}

/** The coins that a transaction spends, or what is to be said of one whose coins are not all there. */
const coinsOf = Effect.fnUntraced(function*(
  engine: ChainEngine,
  state: PoolState,
  tx: Transaction,
  txid: Uint8Array
): Effect.fn.Return<Result.Result<ReadonlyArray<Coin>, AcceptedTransaction>, StorageError> {
  const made = tx.outputs.map((_output, vout) => ({ txid, vout }))
  yield* engine.coins.gather([...tx.inputs.map(({ prevout }) => prevout), ...made])
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

const scriptReason = ({ detail }: ScriptFailure): string => `mempool-script-verify-flag-failed (${SCRIPT_ERROR_TEXTS[detail.error]})`

const tooPoor = ({ lowestRate, relayRate }: PoolState, fee: bigint, virtualSize: number): AcceptedTransaction | undefined => {
  for (const [rate, reason] of [[lowestRate, "mempool min fee not met"], [relayRate, "min relay fee not met"]] as const) {
    const least = feeAt(rate, virtualSize)
    if (fee < least) return { _tag: "Refused", reason, isConsensus: false, details: `${reason}, ${fee} < ${least}` }
  }
  return undefined
}

const judgeSpending = Effect.fnUntraced(function*(
  engine: ChainEngine,
  state: PoolState,
  entry: Pick<PoolEntry, "bytes" | "tx" | "txid" | "wtxid">,
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
  if (Result.isFailure(fee)) return refused(rejectionOf(fee.failure).reason, fee.failure.rule !== "TXI-002")
  const sigOpCost = transactionSigOpCost(tx, coins, STANDARD_FLAGS)
  if (sigOpCost > MAX_STANDARD_SIGOPS_COST) return refused("bad-txns-too-many-sigops")
  const virtualSize = virtualSizeOf(tx, sigOpCost)
  const poor = tooPoor(state, fee.success, virtualSize)
  if (poor !== undefined) return Result.fail(poor)
  const failure = skipsScripts ? undefined : yield* judgeLoose(engine, tx, coins, STANDARD_FLAGS)
  return failure === undefined ? Result.succeed({ ...entry, fee: fee.success, virtualSize }) : refused(scriptReason(failure))
})

/** Judges a decoded transaction as part of the next block. `skipsScripts`: they were found to hold before. */
export const judgeDecoded = (
  engine: ChainEngine,
  state: PoolState,
  entry: Pick<PoolEntry, "bytes" | "tx" | "txid" | "wtxid">,
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
): Pick<PoolEntry, "bytes" | "tx" | "txid" | "wtxid"> | undefined => {
  // Whoever is told of it gets a copy of the whole buffer.
  const bytes = given.length === given.buffer.byteLength ? given : new Uint8Array(given)
  const decoded = decodeTransaction(bytes)
  if (Result.isFailure(decoded)) return undefined
  const tx = decoded.success
  return { bytes, tx, txid: transactionId(tx, crypto), wtxid: witnessTransactionId(tx, crypto) }
}
