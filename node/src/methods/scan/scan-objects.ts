import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { DescribedScript } from "@lockstep/descriptors/descriptor/descriptor.ts"
import { expand } from "../decode/expand-descriptor.ts"
import { parseDescriptor } from "@lockstep/descriptors/descriptor/parse-descriptor.ts"
import { type PositionRange, positionRangeOf } from "../decode/position-range.ts"
import { hexOf } from "../../hex.ts"
import { JsonMembers, type JsonRead } from "../../json/json-value.ts"
import { array, optional, stringOf } from "../definition/parameter.ts"
import { invalidParameter, type CallError, callError } from "../../queries/call-error.ts"
import type { MethodNode } from "../definition/method-node.ts"

/** Descriptors to scan for, as on the wire. */
export const ScanObjects = Schema.Array(Schema.Union([
  Schema.String,
  Schema.Struct({ desc: Schema.String, range: Schema.optional(Schema.Union([Schema.Int, Schema.Array(Schema.Int)])) })
]))

/** Parameter of scans that begin with the action `start`. */
export const scanObjects = optional(
  array({ description: "Descriptors to look for, with start; ranged ones up to 1000 or their own range" }, ScanObjects)
)

const DEFAULT_RANGE: PositionRange = { from: 0, to: 1000 }

interface Wanted {
  readonly descriptor: string
  readonly range: PositionRange
}

const wantedOf = (value: JsonRead): Result.Result<Wanted, CallError> =>
  Result.gen(function*() {
    if (typeof value === "string") return { descriptor: value, range: DEFAULT_RANGE }
    if (!(value instanceof JsonMembers)) {
      return yield* Result.fail(invalidParameter("Scan object needs to be either a string or an object"))
    }
    const descriptor = value.get("desc") ?? null
    if (descriptor === null) {
      return yield* Result.fail(invalidParameter("Descriptor needs to be provided in scan object"))
    }
    const range = value.get("range") ?? null
    return {
      descriptor: yield* stringOf(descriptor),
      range: range === null ? DEFAULT_RANGE : yield* positionRangeOf(range)
    }
  })

/**
 * Returns the scripts of descriptors in order, possibly with duplicates. With `secrets`, a descriptor may use private
 * keys of earlier ones, and adds its own.
 */
export const describedScripts = Effect.fnUntraced(function*(
  objects: ReadonlyArray<JsonRead>,
  node: MethodNode,
  secrets?: Map<string, Uint8Array>
): Effect.fn.Return<ReadonlyArray<DescribedScript>, CallError> {
  const scripts: Array<DescribedScript> = []
  for (const object of objects) {
    const { descriptor, range } = yield* Effect.fromResult(wantedOf(object))
    const expressions = yield* Effect.fromResult(
      Result.mapError(
        parseDescriptor(descriptor, node.network, false, secrets),
        (problem) => callError("InvalidAddressOrKey", problem)
      )
    )
    for (const expression of expressions) {
      const problem = `Cannot derive script without private keys: '${descriptor}'`
      for (const each of yield* expand(expression, range, node, problem)) scripts.push(each)
    }
  }
  return scripts
})

/** A script to scan for, with a descriptor of it alone. */
export interface WantedScript {
  readonly script: Uint8Array
  readonly descriptor: string
}

/** Returns the scripts to scan for, by their hexadecimal digits. */
export const wantedScripts = Effect.fnUntraced(function*(
  objects: ReadonlyArray<JsonRead>,
  node: MethodNode
): Effect.fn.Return<ReadonlyMap<string, WantedScript>, CallError> {
  const scripts = new Map<string, WantedScript>()
  for (const each of yield* describedScripts(objects, node)) {
    const key = hexOf(each.script)
    if (!scripts.has(key)) scripts.set(key, each)
  }
  return scripts
})
