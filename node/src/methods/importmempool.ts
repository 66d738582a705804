import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { resolve } from "node:path"
import { engineCallError } from "../queries/engine-errors.ts"
import { JsonMembers } from "../json/json-value.ts"
import { method } from "./definition/method.ts"
import { booleanOf, members, optionalWith, text, withNamed } from "./definition/parameter.ts"
import { optionalDescribed } from "../answers/result-schema.ts"
import type { CallError } from "../queries/call-error.ts"

const Options = Schema.Struct({
  use_current_time: optionalDescribed(
    Schema.Boolean,
    "False: transactions have entered when the file says, and may have expired since"
  ),
  apply_fee_delta_priority: optionalDescribed(
    Schema.Boolean,
    "Whether fees that were changed there are changed here as well; it adds up"
  ),
  apply_unbroadcast_set: optionalDescribed(
    Schema.Boolean,
    "Whether transactions that no peer had fetched there are announced again"
  )
})

const NAMES = ["use_current_time", "apply_fee_delta_priority", "apply_unbroadcast_set"] as const

const flagIn = (
  options: JsonMembers,
  name: typeof NAMES[number],
  standard: boolean
): Result.Result<boolean, CallError> => {
  const value = options.get(name)
  return value === undefined || value === null ? Result.succeed(standard) : booleanOf(value)
}

const choiceOf = (options: JsonMembers) =>
  Result.gen(function*() {
    return {
      usesCurrentTime: yield* flagIn(options, "use_current_time", true),
      appliesDeltas: yield* flagIn(options, "apply_fee_delta_priority", false),
      appliesUnbroadcast: yield* flagIn(options, "apply_unbroadcast_set", false)
    }
  })

export const importmempool = method({
  name: "importmempool",
  category: "blockchain",
  privilege: "admin",
  description: [
    "Adds the transactions of a file as savemempool or Bitcoin Core writes it to the mempool, each judged as any other. Only import",
    "files that you trust: with the options, they decide what is mined first and what is announced."
  ].join("\n"),
  parameters: {
    filepath: text({
      description: "The file; a relative path starts at the working directory of the node",
      takesAnyText: true
    }),
    options: optionalWith(
      withNamed(
        members({
          description:
            "use_current_time=false: transactions have entered when the file says; apply_fee_delta_priority=true: fees that were changed there are changed here too; apply_unbroadcast_set=true: what no peer had fetched is announced again"
        }, Options),
        NAMES
      ),
      new JsonMembers([], []),
      "{}"
    )
  },
  result: Schema.Struct({}),
  examples: [{ params: ["/path/to/mempool.dat"] }, { params: ["/path/to/mempool.dat", { use_current_time: false }] }],
  call: Effect.fnUntraced(function*({ filepath, options }, { chain }) {
    // The node reports this before it reads the request.
    if (chain.state().initialBlockDownload) return yield* Effect.fail(engineCallError({ _tag: "InInitialDownload" }))
    const choice = yield* Effect.fromResult(choiceOf(options))
    yield* chain.call("importMempool", { file: resolve(filepath), ...choice })
    return {}
  })
})
