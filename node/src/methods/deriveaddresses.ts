import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Expression, isRanged } from "@lockstep/descriptors/descriptor/descriptor.ts"
import { expand } from "./decode/expand-descriptor.ts"
import { parseDescriptor } from "@lockstep/descriptors/descriptor/parse-descriptor.ts"
import { type PositionRange, positionRangeOf } from "./decode/position-range.ts"
import { addressOf } from "@lockstep/descriptors/script-text/address.ts"
import { scriptKind } from "@lockstep/descriptors/script-text/script-kind.ts"
import { method } from "./definition/method.ts"
import { anything, optional, text } from "./definition/parameter.ts"
import { variant } from "../answers/result-schema.ts"
import { invalidParameter, type CallError, callError } from "../queries/call-error.ts"
import type { MethodNode } from "./definition/method-node.ts"

const Range = Schema.Union([Schema.Int, Schema.Array(Schema.Int)])

const Addresses = Schema.Array(Schema.String)

const addressesOf = Effect.fnUntraced(function*(
  expression: Expression,
  range: PositionRange,
  node: MethodNode
): Effect.fn.Return<ReadonlyArray<string>, CallError> {
  const addresses: Array<string> = []
  for (const { script } of yield* expand(expression, range, node)) {
    const kind = scriptKind(script)
    const address = addressOf(kind, node.network.addresses)
    if (address !== undefined) addresses.push(address)
    else if (expression.form !== "combo" || kind.type !== "pubkey") {
      return yield* Effect.fail(
        callError("InvalidAddressOrKey", "Descriptor does not have a corresponding address")
      )
    }
  }
  // The key of unused() is in no script.
  if (addresses.length === 0) return yield* Effect.fail(callError("Misc", "Unexpected empty result"))
  return addresses
})

const NO_RANGE: PositionRange = { from: 0, to: 0 }

export const deriveaddresses = method({
  name: "deriveaddresses",
  category: "util",
  privilege: "anyone",
  description: "Answers the addresses a descriptor stands for.",
  parameters: {
    descriptor: text({ description: "The descriptor with its checksum" }),
    range: optional(
      anything({ description: "The last position, or the first and the last one, of a ranged descriptor" }, Range)
    )
  },
  result: Schema.Union([
    variant("a descriptor without alternatives", Addresses),
    variant("a path with alternatives: a list for each", Schema.Array(Addresses))
  ]),
  examples: [{ params: ["addr(bcrt1q3zcr7kzscwrlj88gzrqwfwj356wehgxzyh40gc)#lq0lp2mu"] }],
  call: Effect.fnUntraced(function*({ descriptor, range: given = null }, node) {
    const range = given === null ? NO_RANGE : yield* Effect.fromResult(positionRangeOf(given))
    const expressions = yield* Effect.fromResult(
      Result.mapError(
        parseDescriptor(descriptor, node.network, true),
        (problem) => callError("InvalidAddressOrKey", problem)
      )
    )
    const ranged = isRanged(expressions[0]!)
    if (ranged && given === null) {
      return yield* Effect.fail(invalidParameter("Range must be specified for a ranged descriptor"))
    }
    if (!ranged && given !== null) {
      return yield* Effect.fail(invalidParameter("Range should not be specified for an un-ranged descriptor"))
    }
    const lists = yield* Effect.forEach(expressions, (each) => addressesOf(each, range, node))
    return lists.length === 1 ? lists[0]! : lists
  })
})
