import { bytesEqual } from "@lockstep/kernel/bytes"
import { MAX_BLOCK_SIGOPS_COST, MAX_BLOCK_WEIGHT, WITNESS_SCALE_FACTOR } from "@lockstep/kernel/constants"
import type { Crypto } from "@lockstep/kernel/crypto"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { NextBlock } from "../../engine/api/engine-calls.ts"
import { bitsText, targetText } from "../decode/header-json.ts"
import { displayHash, hexOf } from "../../hex.ts"
import type { JsonMembers, JsonRead } from "../json/json-value.ts"
import { hashOf, stringOf } from "../method/parameter.ts"
import { Hex, optionalDescribed, Time, described } from "../method/result-schema.ts"
import { invalidParameter, type RpcError, rpcError, RpcErrorCode } from "../rpc-error.ts"
import type { RpcNode } from "../rpc-node.ts"
import { whenChain } from "./tip-wait.ts"

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

/** Changes of the transactions that wait: there are none, so nothing changes. */
const POOL_CHANGES = 0

/** How long a request waits that knows of other waiting transactions. */
const POOL_WAIT_MS = 60_000

const HASH_DIGITS = 64

/** RETURN, a push of 36 bytes, and the four bytes that mark a commitment. */
const COMMITMENT_PREFIX = "6a24aa21a9ed"

/** The commitment to no witnesses: of a tree of one zero hash, and a zero nonce. */
const emptyCommitment = (crypto: Crypto): string => COMMITMENT_PREFIX + hexOf(crypto.sha256d(new Uint8Array(64)))

const rulesOf = Effect.fnUntraced(function*(request: JsonMembers): Effect.fn.Return<ReadonlySet<string>, RpcError> {
  const given = request.get("rules")
  const rules: ReadonlyArray<JsonRead> = Array.isArray(given) ? given : []
  return new Set(yield* Effect.forEach(rules, (rule) => Effect.fromResult(stringOf(rule))))
})

/** Blocks made on an old chain, or without peers to relay them, are wasted. On test networks that costs nothing. */
const isolation = ({ chain, network, peers }: RpcNode): RpcError | undefined => {
  if (network.name !== "mainnet") return undefined
  if ((peers()?.peers.size ?? 0) === 0) return rpcError(RpcErrorCode.notConnected, "Lockstep is not connected!")
  return chain.state().initialBlockDownload
    ? rpcError(RpcErrorCode.inInitialDownload, "Lockstep is in initial sync and waiting for blocks...")
    : undefined
}

/** Waits until there is something else to work on than what `longpollid` stands for. */
const untilChanged = Effect.fnUntraced(
  function*(longpollid: JsonRead, node: RpcNode): Effect.fn.Return<void, RpcError> {
    const isText = typeof longpollid === "string"
    const known = isText
      ? yield* Effect.fromResult(hashOf(longpollid.slice(0, HASH_DIGITS), "longpollid"))
      : node.chain.state().hash
    const changes = isText ? Number.parseInt(longpollid.slice(HASH_DIGITS), 10) || 0 : POOL_CHANGES
    const timeout = changes === POOL_CHANGES ? 0 : POOL_WAIT_MS
    const changed = yield* whenChain(node, ({ hash }) => !bytesEqual(hash, known), timeout)
    if (changed === undefined && timeout === 0) {
      return yield* Effect.fail(rpcError(RpcErrorCode.notConnected, "Shutting down"))
    }
  }
)

const missingRule = (rules: ReadonlySet<string>, isSignet: boolean): RpcError | undefined => {
  if (isSignet && !rules.has("signet")) {
    return invalidParameter(
      "getblocktemplate must be called with the signet rule set (call with {\"rules\": [\"segwit\", \"signet\"]})"
    )
  }
  return rules.has("segwit")
    ? undefined
    : invalidParameter("getblocktemplate must be called with the segwit rule set (call with {\"rules\": [\"segwit\"]})")
}

const limitsOf = ({ hasWitness }: NextBlock) =>
  hasWitness
    ? { sigoplimit: MAX_BLOCK_SIGOPS_COST, sizelimit: MAX_BLOCK_WEIGHT, weightlimit: MAX_BLOCK_WEIGHT }
    : { sigoplimit: MAX_BLOCK_SIGOPS_COST / WITNESS_SCALE_FACTOR, sizelimit: MAX_BLOCK_WEIGHT / WITNESS_SCALE_FACTOR }

const templateOf = (next: NextBlock, crypto: Crypto): typeof Template.Type => {
  const { active, available, bits, hasWitness, height, minTime, previous, signetChallenge, subsidy, time, version } =
    next
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
    transactions: [],
    coinbaseaux: {},
    coinbasevalue: Number(subsidy),
    longpollid: `${displayHash(previous)}${POOL_CHANGES}`,
    target: targetText(bits),
    mintime: minTime,
    mutable: ["time", "transactions", "prevblock"],
    noncerange: "00000000ffffffff",
    ...limitsOf(next),
    curtime: time,
    bits: bitsText(bits),
    height,
    signet_challenge: signetChallenge && hexOf(signetChallenge),
    default_witness_commitment: hasWitness ? emptyCommitment(crypto) : undefined
  }
}

/** What a miner needs for the next block, which has no transactions but the coinbase. */
export const blockTemplate = Effect.fnUntraced(function*(
  request: JsonMembers,
  node: RpcNode
): Effect.fn.Return<typeof Template.Type, RpcError> {
  const rules = yield* rulesOf(request)
  const isolated = isolation(node)
  if (isolated !== undefined) return yield* Effect.fail(isolated)
  const longpollid = request.get("longpollid") ?? null
  if (longpollid !== null) yield* untilChanged(longpollid, node)
  const missing = missingRule(rules, node.network.parameters.signetChallenge !== undefined)
  if (missing !== undefined) return yield* Effect.fail(missing)
  return templateOf(yield* node.chain.call("nextBlock", { assemble: true }), node.crypto)
})
