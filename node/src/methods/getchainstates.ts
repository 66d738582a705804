import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ChainState } from "../engine/api/chain-state.ts"
import { bitsText, difficultyOf, targetText } from "../answers/header-json.ts"
import { displayHash } from "../hex.ts"
import { method } from "./definition/method.ts"
import { described, Hex, optionalDescribed } from "../answers/result-schema.ts"

const ChainStateJson = Schema.Struct({
  blocks: described(Schema.Number, "The height of its tip"),
  bestblockhash: described(Hex, "Its tip"),
  bits: described(Hex, "The tip's target in compact form"),
  target: described(Hex, "The tip's target"),
  difficulty: described(Schema.Number, "The tip's difficulty"),
  verificationprogress: described(Schema.Number, "How much of the chain is verified, 0 to 1"),
  coins_db_cache_bytes: described(
    Schema.Number,
    "Memory for coins in the store; the operating system sees to it, so 0"
  ),
  coins_tip_cache_bytes: described(Schema.Number, "Memory that coins may take"),
  snapshot_blockhash: optionalDescribed(Hex, "The block of the snapshot that it began with"),
  validated: described(Schema.Boolean, "Whether every block of it was judged here")
})

type StateJson = typeof ChainStateJson.Type

/** Facts about a tip. */
type Tip = Pick<ChainState, "bits" | "hash" | "height" | "progress">

const stateJson = (
  { bits, hash, height, progress }: Tip,
  cacheBytes: number,
  snapshot: Uint8Array | undefined,
  validated: boolean
): StateJson => ({
  blocks: height,
  bestblockhash: displayHash(hash),
  bits: bitsText(bits),
  target: targetText(bits),
  difficulty: difficultyOf(bits),
  verificationprogress: progress,
  coins_db_cache_bytes: 0,
  coins_tip_cache_bytes: cacheBytes,
  snapshot_blockhash: snapshot && displayHash(snapshot),
  validated
})

const States = Schema.Struct({
  headers: described(Schema.Number, "The height of the best chain of headers"),
  chainstates: described(
    Schema.Array(ChainStateJson),
    "The states, most work last: two while the chain up to a snapshot is validated"
  )
})

export const getchainstates = method({
  name: "getchainstates",
  category: "blockchain",
  privilege: "anyone",
  description: "Answers the states of the chain that are kept.",
  parameters: {},
  result: States,
  examples: [{ params: [] }],
  call: (_, { chain, coinCacheBytes }) => {
    const state = chain.state()
    const { snapshot } = state
    const behind = snapshot?.background
    // Two chainstates share the memory.
    const bytes = behind === undefined ? coinCacheBytes : Math.floor(coinCacheBytes / 2)
    const active = stateJson(state, bytes, snapshot?.hash, behind === undefined)
    return Effect.succeed({
      headers: state.headersHeight,
      chainstates: behind === undefined ? [active] : [stateJson(behind, bytes, undefined, true), active]
    })
  }
})
