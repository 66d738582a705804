import * as Schema from "effect/Schema"
import type { ChainState } from "../engine/api/chain-state.ts"
import { bitsText, difficultyOf, targetText } from "./header-json.ts"
import { displayHash, hexOf, hexOfNumber } from "../hex.ts"
import { Hex, optionalDescribed, Time, described } from "./result-schema.ts"
import { RPC_NETWORK_NAMES } from "./network-name.ts"
import type { QueryNode } from "../queries/query-node.ts"
import { Warnings, warningsOf } from "./warnings.ts"

const Background = Schema.Struct({
  snapshotheight: described(Schema.Number, "The height of the snapshot's block"),
  blocks: described(Schema.Number, "The height up to which blocks are validated"),
  bestblockhash: described(Hex, "The last of those blocks"),
  mediantime: described(Time, "The median time of it and the ten blocks before it"),
  chainwork: described(Hex, "Hashes expected for the chain up to it"),
  verificationprogress: described(Schema.Number, "How much of the way to the snapshot is validated, 0 to 1")
})

const backgroundOf = (snapshot: ChainState["snapshot"]): typeof Background.Type | undefined => {
  const behind = snapshot?.background
  return snapshot && behind && {
    snapshotheight: snapshot.height,
    blocks: behind.height,
    bestblockhash: displayHash(behind.hash),
    mediantime: behind.medianTime,
    chainwork: hexOfNumber(behind.chainWork),
    verificationprogress: behind.progressToBase
  }
}

export const ChainInfo = Schema.Struct({
  chain: described(Schema.String, "The network: main, test, testnet4, signet or regtest"),
  blocks: described(Schema.Number, "The height of the best chain of valid blocks"),
  headers: described(Schema.Number, "The height of the best chain of headers"),
  bestblockhash: described(Hex, "The tip"),
  bits: described(Hex, "The tip's target in compact form"),
  target: described(Hex, "The tip's target"),
  difficulty: described(Schema.Number, "The tip's difficulty"),
  time: described(Time, "The time in the tip's header"),
  mediantime: described(Time, "The median time of the tip and the ten blocks before it"),
  verificationprogress: described(Schema.Number, "How much of the chain is verified, 0 to 1, from transaction counts"),
  initialblockdownload: described(Schema.Boolean, "Whether the node is still catching up"),
  backgroundvalidation: optionalDescribed(
    Background,
    "The validation of the chain up to a snapshot that was loaded, as long as it goes on"
  ),
  chainwork: described(Hex, "Hashes expected for the active chain"),
  size_on_disk: described(Schema.Number, "Bytes of block and undo files"),
  pruned: described(Schema.Boolean, "Whether old blocks are pruned"),
  pruneheight: optionalDescribed(
    Schema.Number,
    "The lowest height from which all blocks are on disk, when old ones are pruned"
  ),
  automatic_pruning: optionalDescribed(
    Schema.Boolean,
    "Whether the node prunes without pruneblockchain, when old ones are pruned"
  ),
  prune_target_size: optionalDescribed(
    Schema.Number,
    "The size in bytes that block files are held to, when that is so"
  ),
  signet_challenge: optionalDescribed(Hex, "The script that blocks satisfy (only on signet)"),
  warnings: Warnings
})

/** Returns the state of the chain as `getblockchaininfo` shows it. */
export const chainInfo = (node: QueryNode): typeof ChainInfo.Type => {
  const { chain, network, pruning } = node
  const state = chain.state()
  const { signetChallenge } = network.parameters
  return {
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
    backgroundvalidation: backgroundOf(state.snapshot),
    chainwork: hexOfNumber(state.chainWork),
    size_on_disk: state.sizeOnDisk,
    pruned: state.pruned,
    pruneheight: state.pruned ? state.pruneHeight ?? 0 : undefined,
    automatic_pruning: state.pruned ? pruning !== "manual" : undefined,
    prune_target_size: typeof pruning === "object" ? pruning.targetBytes : undefined,
    signet_challenge: signetChallenge && hexOf(signetChallenge),
    warnings: warningsOf(node)
  }
}
