import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { JsonMembers } from "../json/json-value.ts"
import { method } from "./definition/method.ts"
import { booleanOf, integer, members, optional, optionalWith, text, withNamed } from "./definition/parameter.ts"
import { described, Hex, optionalDescribed, variant } from "../answers/result-schema.ts"
import { invalidParameter, callError } from "../queries/call-error.ts"
import { filterIndexState } from "../queries/block-filters.ts"
import { scanObjects, wantedScripts } from "./scan/scan-objects.ts"
import { heightsToScan, scanFilters } from "./scan/scan-filters.ts"
import { settingName } from "../front/setting-name.ts"

const Options = Schema.Struct({
  filter_false_positives: optionalDescribed(
    Schema.Boolean,
    "Whether each block that was found is read, which leaves out those that only seem to have the scripts"
  )
})

const Scanned = Schema.Struct({
  from_height: described(Schema.Number, "The height of the first block that was scanned"),
  to_height: described(Schema.Number, "The height of the last one"),
  relevant_blocks: described(Schema.Array(Hex), "Blocks that have the scripts, or seem to"),
  completed: described(Schema.Boolean, "Whether the scan came to its end")
})

const Status = Schema.Struct({
  progress: described(Schema.Number, "Percent that is done"),
  current_height: described(Schema.Number, "How far it is")
})

export const scanblocks = method({
  name: "scanblocks",
  category: "blockchain",
  privilege: "anyone",
  description: [
    "Finds the blocks that pay to or spend from what descriptors stand for, by the filters of the blocks. One scan at a time:",
    "start begins one and waits for its end, status shows how far it is, abort ends it early. Needs",
    `${settingName("[storage.indexing].blockfilterindex")}.`
  ].join("\n"),
  parameters: {
    action: text({ description: "start, status or abort" }),
    scanobjects: scanObjects,
    start_height: optionalWith(integer({ description: "The height of the first block" }), 0),
    stop_height: optional(integer({ description: "The height of the last block; the tip's, if there is none" })),
    filtertype: optionalWith(text({ description: "The kind of filter; there is one" }), "basic"),
    options: optional(withNamed(
      members({
        description:
          "filter_false_positives: read each block that was found, which leaves out those that only seem to have the scripts"
      }, Options),
      ["filter_false_positives"]
    ))
  },
  result: Schema.Union([
    variant("action=start", Scanned),
    variant("action=abort: whether there was something to end", Schema.Boolean),
    variant("action=status and a scan is under way", Status),
    variant("action=status and none is", Schema.Null)
  ]),
  examples: [
    { params: ["start", ["addr(bcrt1q3zcr7kzscwrlj88gzrqwfwj356wehgxzyh40gc)"], 300_000] },
    {
      params: ["start", ["addr(bcrt1q3zcr7kzscwrlj88gzrqwfwj356wehgxzyh40gc)"], 100, 150, "basic", {
        filter_false_positives: true
      }]
    },
    { params: ["status"] },
    { params: ["abort"] }
  ],
  call: Effect.fnUntraced(function*({ action, filtertype, options, scanobjects, start_height, stop_height }, node) {
    const current = node.blockScan.current()
    if (action === "status") {
      return current === undefined
        ? null
        : { progress: current.progress, current_height: current.height }
    }
    if (action === "abort") {
      if (current !== undefined) current.isAborted = true
      return current !== undefined
    }
    if (action !== "start") return yield* Effect.fail(invalidParameter(`Invalid action '${action}'`))
    const scanned = yield* node.blockScan.during(Effect.fnUntraced(function*(state) {
      const given = options instanceof JsonMembers ? options.get("filter_false_positives") : undefined
      const isExact = given === undefined ? false : yield* Effect.fromResult(booleanOf(given))
      yield* filterIndexState(filtertype, node)
      const heights = yield* Effect.fromResult(heightsToScan(start_height, stop_height, node.chain.state().height))
      if (scanobjects === undefined) {
        return yield* Effect.fail(
          callError("Misc", "scanobjects argument is required for the start action")
        )
      }
      const wanted = yield* wantedScripts(scanobjects, node)
      const scripts = Array.from(wanted.values(), ({ script }) => script)
      return yield* scanFilters({ ...heights, scripts, isExact }, state, node)
    }))
    return scanned ??
      (yield* Effect.fail(invalidParameter("Scan already in progress, use action \"abort\" or \"status\"")))
  })
})
