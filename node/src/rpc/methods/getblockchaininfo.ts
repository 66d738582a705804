import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { bitsText, difficultyOf, targetText } from "../decode/header-json.ts"
import { displayHash, hexOfNumber } from "../decode/hex.ts"
import { method } from "../method/method.ts"
import { Hex, maybe, Time, told } from "../method/result-schema.ts"
import { RPC_NETWORK_NAMES } from "./network-name.ts"
import { warningsOf } from "./warnings.ts"

const Info = Schema.Struct({
  chain: told(Schema.String, "The network: main, test, testnet4, signet or regtest"),
  blocks: told(Schema.Number, "The height of the best chain of valid blocks"),
  headers: told(Schema.Number, "The height of the best chain of headers"),
  bestblockhash: told(Hex, "The tip"),
  bits: told(Hex, "The tip's target in compact form"),
  target: told(Hex, "The tip's target"),
  difficulty: told(Schema.Number, "The tip's difficulty"),
  time: told(Time, "The time in the tip's header"),
  mediantime: told(Time, "The median time of the tip and the ten blocks before it"),
  verificationprogress: told(Schema.Number, "How much of the chain is verified, 0 to 1, from transaction counts"),
  initialblockdownload: told(Schema.Boolean, "Whether the node is still catching up"),
  chainwork: told(Hex, "Hashes expected for the active chain"),
  size_on_disk: told(Schema.Number, "Bytes of block and undo files"),
  pruned: told(Schema.Boolean, "Whether old blocks are removed"),
  pruneheight: maybe(Schema.Number, "The lowest height from which all blocks are here, when old ones are removed"),
  automatic_pruning: maybe(Schema.Boolean, "Whether they are removed without being asked, when old ones are removed"),
  prune_target_size: maybe(Schema.Number, "The size in bytes that block files are held to, when that is so"),
  warnings: told(Schema.Array(Schema.String), "What an operator should know")
})

export const getblockchaininfo = method({
  name: "getblockchaininfo",
  category: "blockchain",
  privilege: "anyone",
  description: "Answers the state of the chain.",
  parameters: {},
  result: Info,
  examples: [{ params: [] }],
  call: (_, node) => {
    const { chain, network, pruning } = node
    const state = chain.state()
    return Effect.succeed({
      chain: RPC_NETWORK_NAMES[network.name],
      blocks: state.height,
      headers: state.headersHeight,
      bestblockhash: displayHash(state.hash),
      bits: bitsText(state.bits),
      target: targetText(state.bits),
      difficulty: difficultyOf(state.bits),
      time: state.time,
      mediantime: state.medianTime,
      verificationprogress: state.progress,
      initialblockdownload: state.initialBlockDownload,
      chainwork: hexOfNumber(state.chainWork),
      size_on_disk: state.sizeOnDisk,
      pruned: state.pruned,
      pruneheight: state.pruned ? state.pruneHeight ?? 0 : undefined,
      automatic_pruning: state.pruned ? pruning !== "manual" : undefined,
      prune_target_size: typeof pruning === "object" ? pruning.targetBytes : undefined,
      warnings: warningsOf(node)
    })
  }
})
