import type { PlanDraft } from "./draft.ts"
import { numberGiven } from "./draft.ts"

const MOST_WEIGHT = 4_000_000

/** Test behaviours that the node has. */
const TESTS = new Set(["addrman", "bip94", "reindex_after_failure_noninteractive_yes"])

const checkBlocks = (draft: PlanDraft): void => {
  const { problems } = draft
  const most = numberGiven(draft, "blockmaxweight", MOST_WEIGHT)
  const reserved = numberGiven(draft, "blockreservedweight", 8_000)
  const over = (name: string, value: number): void => {
    if (value > MOST_WEIGHT) {
      problems.push(`-${name} (${value}) exceeds consensus maximum block weight (${MOST_WEIGHT})`)
    }
  }
  over("blockmaxweight", most)
  over("blockreservedweight", reserved)
  if (reserved < 2_000) {
    problems.push(`-blockreservedweight (${reserved}) is lower than minimum safety value of (2000)`)
  }
  if (reserved > most) problems.push(`-blockreservedweight (${reserved}) exceeds -blockmaxweight (${most})`)
}

const checkPool = (draft: PlanDraft): void => {
  const { problems } = draft
  const size = numberGiven(draft, "maxmempool", 300)
  const least = Math.ceil(40 * numberGiven(draft, "limitclustersize", 101) / 1_000)
  if (size < 0 || (size > 0 && size < least)) problems.push(`-maxmempool must be at least ${least} MB`)
  if (numberGiven(draft, "limitclustercount", 64) > 64) {
    problems.push("limitclustercount must be less than or equal to 64")
  }
}

/** Rejects values that Bitcoin Core rejects, of options that take effect elsewhere or not at all. */
export const checkValues = (draft: PlanDraft): void => {
  const { args, chain, problems } = draft
  if (numberGiven(draft, "peertimeout", 60) <= 0) problems.push("peertimeout must be a positive integer.")
  const ahead = numberGiven(draft, "prevoutfetchthreads", 8)
  if (ahead < 0) {
    problems.push(
      `-prevoutfetchthreads must be non-negative (got ${ahead}). Use 0 to disable parallel input fetching.`
    )
  }
  if (chain === "main" && args.flag("acceptnonstdtxn") === true) {
    problems.push("acceptnonstdtxn is not currently supported for main chain")
  }
  if (chain !== "regtest" && args.flag("acceptstalefeeestimates") === true) {
    problems.push(`acceptstalefeeestimates is not supported on ${chain} chain.`)
  }
  if (chain !== "regtest" && args.list("test").length > 0) {
    problems.push("-test=<option> can only be used with regtest")
  }
  for (const text of args.list("test")) {
    if (!TESTS.has(text)) draft.warnings.push(`Unrecognised option "${text}" provided in -test=<option>.`)
  }
  checkPool(draft)
  checkBlocks(draft)
}
