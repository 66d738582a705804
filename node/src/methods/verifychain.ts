import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { method } from "./definition/method.ts"
import { integer, optionalWith } from "./definition/parameter.ts"

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
    const height = chain.state()?.height ?? 0
    const blocks = nblocks <= 0 || nblocks > height ? height : nblocks
    yield* Effect.logInfo("Verifying the last blocks").pipe(Effect.annotateLogs({ category: "rpc", blocks, level }))
    const { isSound, limit, problem, transactions, valid } = yield* chain.call("verifyChain", { level, blocks })
    if (limit?.what === "no block data") {
      yield* Effect.logInfo("Block verification stopped at a block that is not on disk").pipe(
        Effect.annotateLogs({ category: "rpc", height: limit.height })
      )
    } else if (limit !== undefined) {
      yield* Effect.logWarning("Block verification left out coins for lack of memory").pipe(
        Effect.annotateLogs({ category: "rpc", problem: problem! })
      )
    } else if (problem !== undefined) {
      yield* Effect.logError("the chain on disk is not as it should be").pipe(
        Effect.annotateLogs({ category: "rpc", problem })
      )
    }
    if (isSound) {
      yield* Effect.logInfo("The verified blocks and coins fit together").pipe(
        Effect.annotateLogs({ category: "rpc", blocks, transactions })
      )
    }
    return valid
  })
})
