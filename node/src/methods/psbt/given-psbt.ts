import type { Psbt } from "@lockstep/protocol/psbt/psbt.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { psbtOfText } from "@lockstep/descriptors/psbt/psbt-text.ts"
import type { JsonRead } from "../../json/json-value.ts"
import { integer, optionalWith, stringOf } from "../definition/parameter.ts"
import { invalidParameter, type CallError, callError } from "../../queries/call-error.ts"
import type { MethodNode } from "../definition/method-node.ts"

/** Reads a PSBT in base64. */
export const givenPsbt = (text: string, { crypto }: Pick<MethodNode, "crypto">): Effect.Effect<Psbt, CallError> =>
  Effect.mapError(psbtOfText(text, crypto), (problem) => callError("Deserialization", problem))

/** Reads several PSBTs in base64. */
export const givenPsbts = Effect.fnUntraced(function*(
  values: ReadonlyArray<JsonRead>,
  node: Pick<MethodNode, "crypto">
): Effect.fn.Return<ReadonlyArray<Psbt>, CallError> {
  const psbts: Array<Psbt> = []
  for (const value of values) psbts.push(yield* givenPsbt(yield* Effect.fromResult(stringOf(value)), node))
  return psbts
})

/** Parameter for the version of a new PSBT. */
export const PSBT_VERSION = optionalWith(integer({ description: "The version of the format: 2 or 0" }), 2)

/** Reads the version of a new PSBT. */
export const psbtVersionOf = (version: number): Result.Result<0 | 2, CallError> =>
  version === 0 || version === 2
    ? Result.succeed(version)
    : Result.fail(invalidParameter("The PSBT version can only be 2 or 0"))
