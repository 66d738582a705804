import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { method } from "../method/method.ts"
import { array, integer, members, optional, optionalWith, text } from "../method/parameter.ts"
import { inCase } from "../method/result-schema.ts"
import { invalidParameter, rpcError, RpcErrorCode } from "../rpc-error.ts"

const ScanObject = Schema.Union([Schema.String, Schema.Struct({ desc: Schema.String, range: Schema.optional(Schema.Int) })])

const Options = Schema.Struct({ filter_false_positives: Schema.optional(Schema.Boolean) })

export const scanblocks = method({
  name: "scanblocks",
  category: "blockchain",
  privilege: "anyone",
  description: "Finds blocks with outputs of descriptors by an index of block filters, which this version does not have.",
  parameters: {
    action: text({ description: "start, status or abort" }),
    scanobjects: optional(array({ description: "The descriptors" }, Schema.Array(ScanObject))),
    start_height: optional(integer({ description: "The first height" })),
    stop_height: optional(integer({ description: "The last height" })),
    filtertype: optionalWith(text({ description: "The kind of filter" }), "basic"),
    options: optional(members({ description: "More" }, Options))
  },
  result: Schema.Union([inCase("action=abort", Schema.Boolean), inCase("action=status", Schema.Null)]),
  examples: [{ params: ["status"] }],
  call: ({ action, filtertype }) => {
    if (action === "status") return Effect.succeed(null)
    if (action === "abort") return Effect.succeed(false)
    if (action !== "start") return Effect.fail(invalidParameter(`Invalid action '${action}'`))
    return Effect.fail(
      filtertype === "basic"
        ? rpcError(RpcErrorCode.misc, "Index is not enabled for filtertype basic")
        : rpcError(RpcErrorCode.invalidAddressOrKey, "Unknown filtertype")
    )
  }
})
