import { knownSplits } from "@lockstep/protocol/networks/known-splits.ts"
import type { NetworkName } from "@lockstep/protocol/networks/network.ts"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ChainTip } from "../engine/api/chain-calls.ts"
import { displayHash } from "../hex.ts"
import { method } from "./definition/method.ts"
import { Hex, optionalDescribed, described } from "../answers/result-schema.ts"

const Tip = Schema.Struct({
  height: described(Schema.Number, "The height of the tip"),
  hash: described(Hex, "The hash of the tip"),
  branchlen: described(Schema.Number, "Blocks between the tip and the active chain; 0 for the active one"),
  status: described(
    Schema.Literals(["invalid", "headers-only", "valid-headers", "valid-fork", "active"]),
    "invalid: holds an invalid block; headers-only: some blocks are missing; valid-headers: blocks are here but were never " +
      "judged; valid-fork: judged and valid, but not active; active: the tip of the active chain"
  ),
  split: optionalDescribed(
    Schema.String,
    "Why another chain is followed, of a branch that began at a known split of the network; not in bitcoind"
  )
})

/** Returns a note for the operator about a branch that began at a known chain split, or `undefined` for any other. */
const splitText = (
  { branchLength, height, status }: ChainTip,
  active: number,
  network: NetworkName
): string | undefined => {
  const fork = height - branchLength
  const lacks = active - fork
  const known = knownSplits(network).find((split) => split.height === fork + 1)
  if (branchLength === 0 || known === undefined) return undefined
  const why = ` (${known.what})`
  return status === "invalid"
    ? `a chain that is invalid here has left this one behind height ${fork}${why}`
    : `a minority chain has left this one behind height ${fork}${why}: the active chain has ${lacks} blocks since, and the most work`
}

export const getchaintips = method({
  name: "getchaintips",
  category: "blockchain",
  privilege: "anyone",
  description: "Answers the tips of all branches of the block tree: the active chain and its forks.",
  parameters: {},
  result: Schema.Array(Tip),
  examples: [{ params: [] }],
  call: Effect.fnUntraced(function*(_, { chain, isStandIn, network }) {
    const tips = yield* chain.call("chainTips", undefined)
    const active = tips.find(({ status }) => status === "active")?.height ?? 0
    return tips.map((tip) => ({
      height: tip.height,
      hash: displayHash(tip.hash),
      branchlen: tip.branchLength,
      status: tip.status,
      split: isStandIn ? undefined : splitText(tip, active, network.name)
    }))
  })
})
