import * as Schema from "effect/Schema"
import { getblockchaininfo } from "../../methods/getblockchaininfo.ts"
import { getblockcount } from "../../methods/getblockcount.ts"
import { getchaintips } from "../../methods/getchaintips.ts"
import { getchaintxstats } from "../../methods/getchaintxstats.ts"
import { getdeploymentinfo } from "../../methods/getdeploymentinfo.ts"
import { getdifficulty } from "../../methods/getdifficulty.ts"
import { getindexinfo } from "../../methods/getindexinfo.ts"
import { gettxoutsetinfo } from "../../methods/gettxoutsetinfo.ts"
import { pruneblockchain } from "../../methods/pruneblockchain.ts"
import { verifychain } from "../../methods/verifychain.ts"
import { Hex, optionalDescribed, Time, described } from "../../answers/result-schema.ts"
import { methodRoute, named, picked } from "../method-route.ts"
import type { Route } from "../route.ts"

const Tip = Schema.Struct({
  height: described(Schema.Number, "Its height"),
  hash: described(Hex, "Its hash"),
  time: described(Time, "The time in its header"),
  mediantime: described(Time, "The median time of it and the ten blocks before it"),
  difficulty: described(Schema.Number, "Its difficulty"),
  chainwork: described(Hex, "Hashes expected for the chain up to here")
})

const Pruning = Schema.Struct({
  pruned: described(Schema.Boolean, "Whether old blocks are pruned"),
  prune_height: optionalDescribed(
    Schema.Number,
    "The lowest height from which all blocks are on disk, when old ones are pruned"
  ),
  automatic: optionalDescribed(Schema.Boolean, "Whether the node prunes without a call, when old ones are pruned"),
  target_size: optionalDescribed(Schema.Number, "The size in bytes that block files are held to, when that is so"),
  size_on_disk: described(Schema.Number, "Bytes of block and undo files")
})

const TIP = {
  height: "blocks",
  hash: "bestblockhash",
  time: "time",
  mediantime: "mediantime",
  difficulty: "difficulty",
  chainwork: "chainwork"
}

const PRUNING = {
  pruned: "pruned",
  prune_height: "pruneheight",
  automatic: "automatic_pruning",
  target_size: "prune_target_size",
  size_on_disk: "size_on_disk"
}

export const CHAIN_ROUTES: ReadonlyArray<Route> = [
  methodRoute({
    verb: "GET",
    path: "/chain/tip",
    summary: "The tip of the active chain.",
    method: getblockchaininfo,
    result: Tip.ast,
    shape: (result) => picked(result, TIP)
  }),
  methodRoute({
    verb: "GET",
    path: "/chain/height",
    summary: "The height of the tip.",
    method: getblockcount,
    ...named("height", described(Schema.Number, "The height"))
  }),
  methodRoute({ verb: "GET", path: "/chain/info", summary: "The state of the chain.", method: getblockchaininfo }),
  methodRoute({
    verb: "GET",
    path: "/chain/difficulty",
    summary: "How hard the tip's target is to meet.",
    method: getdifficulty,
    ...named("difficulty", described(Schema.Number, "The difficulty"))
  }),
  methodRoute({
    verb: "GET",
    path: "/chain/utxo-set",
    summary: "Statistics of all unspent outputs. Without the coin statistics index this takes a while.",
    method: gettxoutsetinfo,
    inputs: {
      hash_type: { place: "query" },
      height: { place: "query", parameter: "hash_or_height", kind: "number" },
      use_index: { place: "query" }
    }
  }),
  methodRoute({
    verb: "GET",
    path: "/chain/tips",
    summary: "The tips of the active chain and its forks.",
    method: getchaintips
  }),
  methodRoute({
    verb: "GET",
    path: "/chain/tx-stats",
    summary: "How many transactions there are, and at what rate they came.",
    method: getchaintxstats,
    inputs: { nblocks: { place: "query" }, block: { place: "query", parameter: "blockhash" } }
  }),
  methodRoute({
    verb: "GET",
    path: "/chain/deployments",
    summary: "Which changes of the rules are in force.",
    method: getdeploymentinfo,
    inputs: { block: { place: "query", parameter: "blockhash" } }
  }),
  methodRoute({
    verb: "GET",
    path: "/chain/prune-info",
    summary: "Which blocks are still here.",
    method: getblockchaininfo,
    result: Pruning.ast,
    shape: (result) => picked(result, PRUNING)
  }),
  methodRoute({
    verb: "POST",
    path: "/chain/verify",
    summary: "Checks the newest blocks on disk.",
    method: verifychain,
    inputs: { checklevel: { place: "body" }, numblocks: { place: "body", parameter: "nblocks" } },
    ...named("valid", described(Schema.Boolean, "Whether everything is as it should be; if not, the log says what"))
  }),
  methodRoute({
    verb: "POST",
    path: "/chain/prune",
    summary: "Prunes old blocks from disk.",
    method: pruneblockchain,
    inputs: { height: { place: "body" } },
    ...named("height", described(Schema.Number, "The height of the last block that is pruned")),
    // Pruning is not enabled, or the chain is too short.
    statuses: { Misc: 409, PruningDisabled: 409, ChainTooShortToPrune: 409 }
  }),
  methodRoute({
    verb: "GET",
    path: "/indexes",
    summary: "The indexes that are switched on.",
    method: getindexinfo,
    inputs: { index: { place: "query", parameter: "index_name" } }
  })
]
