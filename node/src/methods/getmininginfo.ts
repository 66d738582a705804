import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { bitsText, difficultyOf, targetText } from "../answers/header-json.ts"
import { hexOf } from "../hex.ts"
import { amount } from "../json/number-text.ts"
import { method } from "./definition/method.ts"
import { Amount, Hex, optionalDescribed, described } from "../answers/result-schema.ts"
import { HASHRATE_BLOCKS, networkHashrate } from "../queries/network-hashrate.ts"
import { RPC_NETWORK_NAMES } from "../answers/network-name.ts"
import { Warnings, warningsOf } from "../answers/warnings.ts"

const Work = {
  bits: described(Hex, "The target in compact form"),
  difficulty: described(Schema.Number, "The difficulty"),
  target: described(Hex, "The target")
} as const

const Info = Schema.Struct({
  blocks: described(Schema.Number, "The height of the tip"),
  currentblockweight: optionalDescribed(
    Schema.Number,
    "The weight of the last block made to work on, what is kept free included"
  ),
  currentblocktx: optionalDescribed(Schema.Number, "Its transactions, without the coinbase"),
  ...Work,
  networkhashps: described(Schema.Number, "Hashes a second of the network"),
  pooledtx: described(Schema.Number, "Transactions in the mempool"),
  blockmintxfee: described(Amount, "The fee rate below which transactions are left out, a kilobyte"),
  chain: described(Schema.String, "The network: main, test, testnet4, signet or regtest"),
  next: described(Schema.Struct({ height: described(Schema.Number, "Its height"), ...Work }), "The next block"),
  signet_challenge: optionalDescribed(Hex, "The script that blocks satisfy (only on signet)"),
  warnings: Warnings
})

const workFields = (bits: number) => ({
  bits: bitsText(bits),
  difficulty: difficultyOf(bits),
  target: targetText(bits)
})

export const getmininginfo = method({
  name: "getmininginfo",
  category: "mining",
  privilege: "anyone",
  description: "Answers what there is to know before mining.",
  parameters: {},
  result: Info,
  examples: [{ params: [] }],
  call: Effect.fnUntraced(function*(_, node) {
    const { blockMinFee, last, next, pooled } = yield* node.chain.call("miningFacts", undefined)
    const networkhashps = yield* networkHashrate(node, HASHRATE_BLOCKS, -1)
    const { bits, height } = node.chain.state()
    return {
      blocks: height,
      currentblockweight: last?.weight,
      currentblocktx: last?.transactions,
      ...workFields(bits),
      networkhashps,
      pooledtx: pooled,
      blockmintxfee: amount(blockMinFee),
      chain: RPC_NETWORK_NAMES[node.network.name],
      next: { height: next.height, ...workFields(next.bits) },
      signet_challenge: next.signetChallenge && hexOf(next.signetChallenge),
      warnings: warningsOf(node)
    }
  })
})
