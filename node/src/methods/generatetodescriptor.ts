import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { isRanged, scriptsAt } from "@lockstep/descriptors/descriptor/descriptor.ts"
import { parseDescriptor } from "@lockstep/descriptors/descriptor/parse-descriptor.ts"
import { displayHash } from "../hex.ts"
import { method } from "./definition/method.ts"
import { integer, longInteger, optionalWith, text } from "./definition/parameter.ts"
import { Hex } from "../answers/result-schema.ts"
import { invalidParameter, type CallError, callError } from "../queries/call-error.ts"
import type { MethodNode } from "./definition/method-node.ts"

/** Number of header hashes to try by default. */
const DEFAULT_TRIES = 1_000_000

/** Preferred script of combo(), by the number of its scripts: the witness program if it has one, else the key hash. */
const PREFERRED: Readonly<Record<number, number>> = { 1: 0, 2: 1, 4: 2 }

/** Returns the script of a descriptor that has exactly one. */
export const soleScript = (descriptor: string, node: MethodNode): Result.Result<Uint8Array, CallError> =>
  Result.gen(function*() {
    const expressions = yield* Result.mapError(
      parseDescriptor(descriptor, node.network),
      (problem) => callError("InvalidAddressOrKey", problem)
    )
    const [expression] = expressions
    if (expressions.length > 1) return yield* Result.fail(invalidParameter("Multipath descriptor not accepted"))
    if (isRanged(expression!)) {
      return yield* Result.fail(
        invalidParameter("Ranged descriptor not accepted. Maybe pass through deriveaddresses first?")
      )
    }
    const scripts = scriptsAt(expression!, 0, node)
    if (scripts?.length === 0) {
      return yield* Result.fail(callError("InvalidAddressOrKey", "Descriptor does not have a script"))
    }
    return scripts === undefined
      ? yield* Result.fail(callError("InvalidAddressOrKey", "Cannot derive script without private keys"))
      : scripts[PREFERRED[scripts.length] ?? 0]!.script
  })

export const generatetodescriptor = method({
  name: "generatetodescriptor",
  category: "generating",
  isHidden: true,
  privilege: "admin",
  description:
    "Mines blocks at once, their rewards to what a descriptor stands for. They hold what a template would. On regtest, and on a signet of one's own.",
  parameters: {
    num_blocks: integer({ description: "How many blocks" }),
    descriptor: text({ description: "The descriptor that gets the new coins" }),
    maxtries: optionalWith(longInteger({ description: "Hashes to try at most, over all blocks" }), DEFAULT_TRIES)
  },
  result: Schema.Array(Hex.annotate({ description: "The hash of a block" })),
  examples: [{ shows: "Mine 11 blocks", params: [11, "raw(51)"] }],
  call: Effect.fnUntraced(function*({ descriptor, maxtries, num_blocks }, node) {
    const script = yield* Effect.fromResult(soleScript(descriptor, node))
    if (num_blocks <= 0 || maxtries <= 0) return []
    const request = { script, blocks: num_blocks, maxTries: maxtries, transactions: undefined, submit: true }
    const { hashes } = yield* node.chain.call("generate", request)
    return hashes.map(displayHash)
  })
})
