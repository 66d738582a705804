import { type Transaction, transactionId, transactionWeight, witnessTransactionId } from "@lockstep/kernel/model"
import { feeForSize, type FeeRate } from "@lockstep/kernel/relay"
import { rejectionText } from "@lockstep/protocol/rejection/rejection.ts"
import * as Effect from "effect/Effect"
import type { OutputFacts, TransactionOutcome } from "../engine/api/mempool-calls.ts"
import { displayHash } from "../hex.ts"
import type { PrivateBroadcast } from "../p2p/private-broadcast/private-broadcast.ts"
import { method } from "./definition/method.ts"
import { text } from "./definition/parameter.ts"
import { Hex } from "../answers/result-schema.ts"
import { judgeTransaction } from "./raw-transaction/acceptance.ts"
import { satoshisOf } from "./raw-transaction/amount.ts"
import { transactionOfHex } from "./raw-transaction/decode-hex.ts"
import { holdBurnLimit, SUBMITTED } from "./raw-transaction/submitted.ts"
import { type CallError, callError } from "../queries/call-error.ts"
import type { MethodNode } from "./definition/method-node.ts"
import { feeRateLimit, maxburnamount, maxfeerate } from "./mempool/fee-rate-limit.ts"
import { runningPrivateBroadcast } from "./network/running-private-broadcast.ts"

const UNDECODABLE = callError("Deserialization", "TX decode failed. Make sure the tx has at least one input.")
const MAX_FEE_EXCEEDED = callError(
  "Verify",
  "Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)"
)
const QUEUE_FULL = callError("QueueFull", "Private broadcast queue is full")
const UNREACHABLE = callError(
  "Misc",
  "-privatebroadcast is enabled, but none of the Tor or I2P networks is reachable. Maybe the location of the Tor proxy " +
    "couldn't be retrieved from the Tor daemon at startup. Check whether the Tor daemon is running and that -torcontrol, " +
    "-torpassword and -i2psam are configured properly."
)
const CONFIRMED = callError("AlreadyInUtxoSet", "Transaction outputs already in utxo set")

const WITNESS_SCALE_FACTOR = 4

/** Fails with the reason of a rejection. */
const holdAcceptance = (outcome: TransactionOutcome): Effect.Effect<void, CallError> => {
  if (outcome._tag !== "Rejected") return Effect.void
  const { rejection } = outcome
  const tag = rejection.what === "missing inputs" ? "Verify" : "Rejected"
  return Effect.fail(callError(tag, rejectionText(rejection)))
}

const feeOf = (tx: Transaction, spent: ReadonlyArray<OutputFacts | undefined>): bigint | undefined => {
  let fee = 0n
  for (const output of spent) {
    if (output === undefined) return undefined
    fee += output.value
  }
  return tx.outputs.reduce((rest, { value }) => rest - value, fee)
}

/**
 * Fails if a transaction pays more than the limit for its virtual size, which here ignores the cost of signature
 * operations. Other errors of the transaction take precedence.
 */
const holdFeeLimit = Effect.fnUntraced(function*(
  tx: Transaction,
  limit: FeeRate,
  spent: ReadonlyArray<OutputFacts | undefined>,
  node: MethodNode
) {
  const most = feeForSize(limit, Math.ceil(transactionWeight(tx) / WITNESS_SCALE_FACTOR))
  const fee = feeOf(tx, spent)
  if (fee !== undefined && fee <= most) return
  const outcome = yield* judgeTransaction(tx, true, node)
  yield* holdAcceptance(outcome)
  if (outcome._tag === "Accepted" && outcome.fee > most) yield* Effect.fail(MAX_FEE_EXCEEDED)
})

/** Returns the private broadcast, or `undefined` if transactions of callers go to the mempool and to all peers. */
const privateBroadcastOf = Effect.fnUntraced(function*(node: MethodNode) {
  if (!node.broadcastsPrivately) return undefined
  const privately = yield* runningPrivateBroadcast(node)
  return privately.isReachable() ? privately : yield* Effect.fail(UNREACHABLE)
})

/** Adds a transaction to the mempool, from which it is announced to all peers. */
const sendToAll = Effect.fnUntraced(function*(tx: Transaction, txid: Uint8Array, node: MethodNode) {
  const outcome = yield* judgeTransaction(tx, false, node)
  yield* holdAcceptance(outcome)
  if (outcome._tag === "Accepted") yield* node.chain.call("markUnbroadcast", { txid })
})

const sendPrivately = Effect.fnUntraced(function*(
  tx: Transaction,
  txid: Uint8Array,
  { begin }: PrivateBroadcast,
  { crypto }: MethodNode
) {
  const transaction = { transaction: tx, txid, wtxid: witnessTransactionId(tx, crypto) }
  if (begin(transaction) === "full") yield* Effect.fail(QUEUE_FULL)
})

/** Sends an unconfirmed transaction. */
const send = Effect.fnUntraced(
  function*(tx: Transaction, txid: Uint8Array, limit: FeeRate | undefined, node: MethodNode) {
    const privately = yield* privateBroadcastOf(node)
    const { chain } = node
    const own = tx.outputs.map((_output, vout) => ({ txid, vout }))
    const { outputs } = yield* chain.call("outputs", {
      outpoints: [...own, ...tx.inputs.map(({ prevout }) => prevout)]
    })
    if (outputs.slice(0, own.length).some((output) => output !== undefined && output.confirmations > 0)) {
      return yield* Effect.fail(CONFIRMED)
    }
    const known = yield* chain.call("mempoolTransaction", { id: txid, kind: "txid" })
    // Announced again, since it may not have reached any peer.
    if (known !== undefined && privately === undefined) return node.peers()?.announceTransaction(txid)
    if (known === undefined && limit !== undefined) yield* holdFeeLimit(tx, limit, outputs.slice(own.length), node)
    if (privately === undefined) return yield* sendToAll(tx, txid, node)
    if (known === undefined) yield* holdAcceptance(yield* judgeTransaction(tx, true, node))
    return yield* sendPrivately(tx, txid, privately, node)
  }
)

export const sendrawtransaction = method({
  name: "sendrawtransaction",
  category: "rawtransactions",
  privilege: "admin",
  description: [
    "Sends a transaction: the mempool keeps it, or the call fails with the reason. It is announced to all peers, and again from time to",
    "time until one of them has fetched it. With private broadcast it goes to single peers through Tor or I2P instead, and",
    "enters the mempool when it comes back from the network."
  ].join("\n"),
  parameters: {
    hexstring: text({ description: "The transaction in hexadecimal digits" }),
    maxfeerate,
    maxburnamount
  },
  result: Hex,
  examples: [{ params: ["signedhex"] }],
  call: Effect.fnUntraced(function*({ hexstring, maxburnamount: most, maxfeerate: given }, node) {
    const burnable = yield* Effect.fromResult(satoshisOf(most))
    const tx = transactionOfHex(hexstring, SUBMITTED)
    if (tx === undefined) return yield* Effect.fail(UNDECODABLE)
    yield* Effect.fromResult(holdBurnLimit(tx, burnable))
    const limit = yield* Effect.fromResult(feeRateLimit(given))
    const txid = transactionId(tx, node.crypto)
    yield* send(tx, txid, limit, node)
    return displayHash(txid)
  })
})
