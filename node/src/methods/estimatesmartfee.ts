import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { amount } from "../json/number-text.ts"
import { method } from "./definition/method.ts"
import { optionalWith, text } from "./definition/parameter.ts"
import { Amount, described, optionalDescribed } from "../answers/result-schema.ts"
import { invalidParameter } from "../queries/call-error.ts"
import { confTarget, judgeTarget, NOTHING_FOUND } from "./mempool/fee-target.ts"

const MODES = ["unset", "economical", "conservative"]

export const estimatesmartfee = method({
  name: "estimatesmartfee",
  category: "util",
  privilege: "anyone",
  description: [
    "Estimates the fee rate with which a transaction begins to confirm within so many blocks, from what transactions of past",
    "blocks paid and how long they took. The answer is not below what this node's mempool asks for at present."
  ].join("\n"),
  parameters: {
    conf_target: confTarget,
    estimate_mode: optionalWith(
      text({
        description:
          "\"economical\" follows a fall of fee rates sooner than \"conservative\"; \"unset\" is \"economical\""
      }),
      "economical",
      "\"economical\""
    )
  },
  result: Schema.Struct({
    feerate: optionalDescribed(Amount, "The fee rate in BTC for 1,000 virtual bytes"),
    errors: optionalDescribed(Schema.Array(Schema.String), "Why there is none"),
    blocks: described(
      Schema.Number,
      "The target that the estimate is for: lower than the one asked for where too little was seen"
    )
  }),
  examples: [{ params: [6] }, { params: [6, "conservative"] }],
  call: Effect.fnUntraced(function*({ conf_target, estimate_mode }, { chain }) {
    yield* judgeTarget(conf_target, chain)
    const mode = estimate_mode.toLowerCase()
    if (!MODES.includes(mode)) {
      const modes = MODES.map((each) => `"${each}"`).join(", ")
      return yield* Effect.fail(invalidParameter(`Invalid estimate_mode parameter, must be one of: ${modes}`))
    }
    const { feerate, target } = yield* chain.call("estimateFee", {
      target: conf_target,
      isConservative: mode === "conservative"
    })
    return feerate === undefined
      ? { errors: [NOTHING_FOUND], blocks: target }
      : { feerate: amount(BigInt(feerate)), blocks: target }
  })
})
