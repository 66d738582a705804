import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { RawEstimate } from "../engine/fee-estimator/estimates.ts"
import type { BucketRange } from "../engine/fee-estimator/median-search.ts"
import { amount } from "../json/number-text.ts"
import { method } from "./definition/method.ts"
import { double, optionalWith } from "./definition/parameter.ts"
import { Amount, described, optionalDescribed } from "../answers/result-schema.ts"
import { invalidParameter } from "../queries/call-error.ts"
import { confTarget, judgeTarget, NOTHING_FOUND } from "./mempool/fee-target.ts"

const Range = Schema.Struct({
  startrange: described(Schema.Number, "The fee rate above which it begins, in satoshis for 1,000 virtual bytes"),
  endrange: described(Schema.Number, "Its highest fee rate"),
  withintarget: described(Schema.Number, "Transactions that confirmed within the target"),
  totalconfirmed: described(Schema.Number, "Transactions that confirmed at all"),
  inmempool: described(Schema.Number, "Transactions that have been in the mempool for as long as the target or longer"),
  leftmempool: described(Schema.Number, "Transactions that left the mempool unconfirmed after the target")
})

const Estimate = Schema.Struct({
  feerate: optionalDescribed(Amount, "The fee rate in BTC for 1,000 virtual bytes"),
  decay: described(Schema.Number, "The share of an average that a block leaves"),
  scale: described(Schema.Number, "Blocks of a period"),
  pass: optionalDescribed(Range, "The cheapest fee rates that meet the threshold"),
  fail: optionalDescribed(Range, "The fee rates below these, which do not"),
  errors: optionalDescribed(Schema.Array(Schema.String), "Why there is no fee rate")
})

const hundredths = (value: number): number => Math.round(value * 100) / 100

const rangeOf = (range: BucketRange | undefined) =>
  range && {
    startrange: Math.round(range.start),
    endrange: Math.round(range.end),
    withintarget: hundredths(range.withinTarget),
    totalconfirmed: hundredths(range.totalConfirmed),
    inmempool: hundredths(range.inMempool),
    leftmempool: hundredths(range.leftMempool)
  }

const estimateOf = (raw: RawEstimate | undefined) => {
  if (raw === undefined) return undefined
  const { decay, fail, feerate, pass, scale } = raw
  return feerate === undefined
    ? { decay, scale, fail: rangeOf(fail), errors: [`${NOTHING_FOUND} which meets threshold`] }
    : { feerate: amount(BigInt(feerate)), decay, scale, pass: rangeOf(pass), fail: rangeOf(fail) }
}

export const estimaterawfee = method({
  name: "estimaterawfee",
  category: "util",
  isHidden: true,
  privilege: "anyone",
  description: [
    "Estimates fee rates by each of the three horizons of the past that say something about the target, and answers what the",
    "estimate comes from. For those who study the estimator: estimatesmartfee joins the horizons."
  ].join("\n"),
  parameters: {
    conf_target: confTarget,
    threshold: optionalWith(
      double({ description: "The share of transactions of a fee rate that must have confirmed within the target" }),
      0.95
    )
  },
  result: Schema.Struct({
    short: optionalDescribed(Estimate, "The last hours, for targets up to 12 blocks"),
    medium: optionalDescribed(Estimate, "The last days, for targets up to 48 blocks"),
    long: optionalDescribed(Estimate, "The last weeks, for targets up to 1,008 blocks")
  }),
  examples: [{ params: [6] }, { params: [6, 0.9] }],
  call: Effect.fnUntraced(function*({ conf_target, threshold }, { chain }) {
    yield* judgeTarget(conf_target, chain)
    if (threshold < 0 || threshold > 1) return yield* Effect.fail(invalidParameter("Invalid threshold"))
    const { long, medium, short } = yield* chain.call("estimateRawFee", {
      target: conf_target,
      successShare: threshold
    })
    return { short: estimateOf(short), medium: estimateOf(medium), long: estimateOf(long) }
  })
})
