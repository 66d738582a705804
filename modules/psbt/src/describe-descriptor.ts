import { descriptorInfo } from "@lockstep/descriptors/descriptor/descriptor-info.ts"
import type { Expression } from "@lockstep/descriptors/descriptor/descriptor.ts"
import { miniscriptFacts } from "@lockstep/descriptors/descriptor/miniscript/miniscript-facts.ts"
import type { Network } from "@lockstep/protocol/networks/network.ts"
import { type JsonValue, RpcError } from "@lockstep/sdk"
import * as Result from "effect/Result"
import { RpcErrorCode } from "./parameters.ts"

type Miniscript = Extract<Expression, { readonly form: "miniscript" }>

/** Returns the miniscripts in an expression, those of a tree in the order of its leaves. */
const miniscriptsIn = (expression: Expression): ReadonlyArray<Miniscript> => {
  switch (expression.form) {
    case "miniscript":
      return [expression]
    case "sh":
    case "wsh":
      return miniscriptsIn(expression.inner)
    case "tr":
      return expression.leaves.flatMap((leaf) => miniscriptsIn(leaf.expression))
    default:
      return []
  }
}

/** Returns the result of Bitcoin Core's `getdescriptorinfo` and an analysis of the miniscripts in the descriptor. */
export const describeDescriptor = (text: string, network: Network): JsonValue => {
  const { first, json } = Result.getOrThrowWith(
    descriptorInfo(text, network),
    (problem) => new RpcError(RpcErrorCode.invalidAddressOrKey, problem)
  )
  const miniscripts = miniscriptsIn(first)
  if (miniscripts.length === 0) return json
  return {
    ...json,
    miniscripts: miniscripts.map(({ root, signers, surroundings }) =>
      miniscriptFacts(root, surroundings, (key) => signers[key]!.text)
    )
  }
}
