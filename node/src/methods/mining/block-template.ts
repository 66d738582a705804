import { MAX_BLOCK_SIGOPS_COST, MAX_BLOCK_WEIGHT, WITNESS_SCALE_FACTOR } from "@lockstep/kernel/constants"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { BlockTemplate } from "../../engine/api/mining-calls.ts"
import { bitsText, targetText } from "../../answers/header-json.ts"
import { displayHash, hexOf } from "../../hex.ts"
import type { JsonMembers, JsonRead } from "../../json/json-value.ts"
import { stringOf } from "../definition/parameter.ts"
import { Hex, optionalDescribed, Time, described } from "../../answers/result-schema.ts"
import { invalidParameter, type CallError, callError } from "../../queries/call-error.ts"
import type { MethodNode } from "../definition/method-node.ts"
import { awaitTemplate, longPollId } from "./template-wait.ts"

const TemplateTransaction = Schema.Struct({
  data: described(Hex, "Its bytes"),
  txid: described(Hex, "Its id"),
  hash: described(Hex, "Its hash, witness included"),
  depends: described(Schema.Array(Schema.Number), "Transactions it needs, by position from 1 on"),
  fee: described(Schema.Number, "Its fee in satoshis"),
  sigops: described(Schema.Number, "What its signature operations cost"),
  weight: described(Schema.Number, "Its weight")
})

export const Template = Schema.Struct({
  capabilities: described(Schema.Array(Schema.String), "What the node can do besides"),
  version: described(Schema.Number, "The preferred version"),
  rules: described(Schema.Array(Schema.String), "Rules in force; with ! those that must be understood"),
  vbavailable: described(
    Schema.Record(Schema.String, Schema.Number),
    "Deployments that may be signalled for, and their bits"
  ),
  vbrequired: described(Schema.Number, "Bits that must be set"),
  previousblockhash: described(Hex, "The tip"),
  transactions: described(Schema.Array(TemplateTransaction), "Transactions to include, without the coinbase"),
  coinbaseaux: described(Schema.Record(Schema.String, Hex), "What the coinbase's script should hold"),
  coinbasevalue: described(Schema.Number, "What the coinbase may pay, in satoshis"),
  longpollid: described(Schema.String, "To be sent back in order to wait for another template"),
  target: described(Hex, "The target"),
  mintime: described(Time, "The earliest time"),
  mutable: described(Schema.Array(Schema.String), "What may be changed"),
  noncerange: described(Hex, "The range of nonces"),
  sigoplimit: described(Schema.Number, "What signature operations may cost"),
  sizelimit: described(Schema.Number, "Bytes at most"),
  weightlimit: optionalDescribed(Schema.Number, "Weight at most (once witnesses are in force)"),
  curtime: described(Time, "The time now, or the earliest one"),
  bits: described(Hex, "The target in compact form"),
  height: described(Schema.Number, "The height of the block"),
  signet_challenge: optionalDescribed(Hex, "The script that the block satisfies (only on signet)"),
  default_witness_commitment: optionalDescribed(
    Hex,
    "The output that commits to the witnesses (once they are in force)"
  )
})

const SHUTTING_DOWN = callError("NotConnected", "Shutting down")

const rulesOf = Effect.fnUntraced(function*(request: JsonMembers): Effect.fn.Return<ReadonlySet<string>, CallError> {
  const given = request.get("rules")
  const rules: ReadonlyArray<JsonRead> = Array.isArray(given) ? given : []
  return new Set(yield* Effect.forEach(rules, (rule) => Effect.fromResult(stringOf(rule))))
})

/**
 * Returns an error if the node lags behind or has no peers, since a block would then be wasted. Test networks have no
 * such check.
 */
const isolation = ({ chain, network, peers }: MethodNode): CallError | undefined => {
  if (network.name !== "mainnet") return undefined
  if ((peers()?.peers.size ?? 0) === 0) return callError("NotConnected", "Lockstep is not connected!")
  return chain.state().initialBlockDownload
    ? callError("InInitialDownload", "Lockstep is in initial sync and waiting for blocks...")
    : undefined
}

const missingRule = (rules: ReadonlySet<string>, isSignet: boolean): CallError | undefined => {
  if (isSignet && !rules.has("signet")) {
    return invalidParameter(
      "getblocktemplate must be called with the signet rule set (call with {\"rules\": [\"segwit\", \"signet\"]})"
    )
  }
  return rules.has("segwit")
    ? undefined
    : invalidParameter("getblocktemplate must be called with the segwit rule set (call with {\"rules\": [\"segwit\"]})")
}

const limitsOf = ({ hasWitness }: BlockTemplate) =>
  hasWitness
    ? { sigoplimit: MAX_BLOCK_SIGOPS_COST, sizelimit: MAX_BLOCK_WEIGHT, weightlimit: MAX_BLOCK_WEIGHT }
    : { sigoplimit: MAX_BLOCK_SIGOPS_COST / WITNESS_SCALE_FACTOR, sizelimit: MAX_BLOCK_WEIGHT / WITNESS_SCALE_FACTOR }

/** Returns the transactions of a template. Before segwit, a signature operation costs one. */
const transactionsOf = ({ hasWitness, transactions }: BlockTemplate): typeof Template.Type["transactions"] => {
  const scale = hasWitness ? 1 : WITNESS_SCALE_FACTOR
  return transactions.map(({ bytes, depends, fee, sigOpCost, txid, weight, wtxid }) => ({
    data: hexOf(bytes),
    txid: displayHash(txid),
    hash: displayHash(wtxid),
    depends,
    fee: Number(fee),
    sigops: Math.trunc(sigOpCost / scale),
    weight
  }))
}

const templateOf = (made: BlockTemplate): typeof Template.Type => {
  const { active, available, bits, fees, hasWitness, height, minTime, previous, signetChallenge, subsidy } = made
  const { time, updates, version, witnessCommitment } = made
  return {
    capabilities: ["proposal"],
    version,
    rules: [
      "csv",
      ...(hasWitness ? ["!segwit", "taproot"] : []),
      ...(signetChallenge === undefined ? [] : ["!signet"]),
      ...active
    ],
    vbavailable: Object.fromEntries(available.map(({ bit, name }) => [name, bit])),
    vbrequired: 0,
    previousblockhash: displayHash(previous),
    transactions: transactionsOf(made),
    coinbaseaux: {},
    coinbasevalue: Number(subsidy + fees),
    longpollid: longPollId(displayHash(previous), updates),
    target: targetText(bits),
    mintime: minTime,
    mutable: ["time", "transactions", "prevblock"],
    noncerange: "00000000ffffffff",
    ...limitsOf(made),
    curtime: time,
    bits: bitsText(bits),
    height,
    signet_challenge: signetChallenge && hexOf(signetChallenge),
    default_witness_commitment: witnessCommitment && hexOf(witnessCommitment)
  }
}

/** Returns the template for the next block. */
export const blockTemplate = Effect.fnUntraced(function*(
  request: JsonMembers,
  node: MethodNode
): Effect.fn.Return<typeof Template.Type, CallError> {
  const rules = yield* rulesOf(request)
  const isolated = isolation(node)
  if (isolated !== undefined) return yield* Effect.fail(isolated)
  const longpollid = request.get("longpollid") ?? null
  const goesOn = longpollid === null || (yield* awaitTemplate(longpollid, node))
  const missing = missingRule(rules, node.network.parameters.signetChallenge !== undefined)
  if (missing !== undefined) return yield* Effect.fail(missing)
  const made = node.chain.call("blockTemplate", undefined)
  // While the node is stopping, it still answers with a template if it can make one.
  return templateOf(yield* goesOn ? made : Effect.mapError(made, () => SHUTTING_DOWN))
})
