import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { method } from "../method/method.ts"
import { integer, optionalWith } from "../method/parameter.ts"

const MAX_LEVEL = 4

export const verifychain = method({
  name: "verifychain",
  category: "blockchain",
  privilege: "anyone",
  description: [
    "Checks the newest blocks on disk. Level 0 reads them, 1 also judges each on its own, 2 also reads their undo data,",
    "3 also disconnects them in memory, 4 also connects them again with all scripts."
  ].join("\n"),
  parameters: {
    checklevel: optionalWith(integer({ description: "How thorough: 0 to 4" }), 3),
    nblocks: optionalWith(integer({ description: "How many blocks; 0 for all" }), 6)
  },
  result: Schema.Boolean.annotate({ description: "Whether everything is as it should be; if not, the log says what" }),
  examples: [{ params: [] }, { params: [4, 100] }],
  call: Effect.fnUntraced(function*({ checklevel, nblocks }, { chain }) {
    const level = Math.min(Math.max(checklevel, 0), MAX_LEVEL)
    const { problem, valid } = yield* chain.call("verifyChain", { level, blocks: Math.max(nblocks, 0) })
    if (problem !== undefined) {
      yield* Effect.logError("the chain on disk is not as it should be").pipe(
        Effect.annotateLogs({ category: "rpc", problem })
      )
    }
    return valid
  })
})
