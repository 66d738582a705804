import * as Effect from "effect/Effect"
import { activateBestChain } from "../activate.ts"
import { breathe, breather } from "../breathe.ts"
import type { ChainEngine, Judged } from "../chain-engine.ts"
import { blockPipeline, type BlockPipeline, type ConnectError } from "../connect.ts"
import { LONGEST_INTAKE } from "../limits.ts"
import { stateTeller } from "../state-teller.ts"
import type { Writer } from "../writer.ts"
import type { Backlog } from "./backlog.ts"
import type { Arrival } from "./intake.ts"
import { makeRoute } from "./next-block.ts"

/**
 * Judges what has arrived, for a moment, or until a block can be connected: decoded, it is not to wait for others that are
 * decoded as well. What fails is the disk's fault, and is told to whoever waits.
 */
const takeSome = Effect.fnUntraced(function*(arrivals: Array<Arrival>): Effect.fn.Return<void, ConnectError> {
  const since = performance.now()
  while (arrivals.length > 0 && performance.now() - since < LONGEST_INTAKE) {
    // Taken off only when it is judged: else it would be refused by nobody.
    const isNext = yield* arrivals[0]!.take
    arrivals.shift()
    if (isNext) return
  }
})

const connectAll = Effect.fnUntraced(function*(
  engine: ChainEngine,
  writer: Writer,
  arrivals: Array<Arrival>,
  pipeline: BlockPipeline,
  judged: Judged
): Effect.fn.Return<boolean, ConnectError> {
  const route = makeRoute(engine.tree)
  const rest = breather()
  const tell = stateTeller(engine)
  for (let isFirst = true;; isFirst = false) {
    yield* rest
    yield* takeSome(arrivals)
    tell()
    // Each turn does something, however many others wait.
    if (engine.closing || (!isFirst && writer.isWanted())) {
      yield* pipeline.drain
      return !engine.closing
    }
    const next = route.next(pipeline.last() ?? engine.tree.tip)
    switch (next._tag) {
      case "Block":
        yield* pipeline.add(next.node)
        break
      case "OtherBranch":
        if (yield* pipeline.drain) yield* activateBestChain(engine, judged)
        break
      case "Nothing":
        if (pipeline.last() !== undefined) yield* pipeline.settle
        else if (arrivals.length === 0) {
          // What has just come in may be here with the next breath.
          yield* breathe
          if (arrivals.length === 0) return false
        }
    }
  }
})

/**
 * One turn: judges arrivals and connects blocks until there is neither, or until somebody else wants the turn; answers
 * whether there may be more to connect.
 */
export const connectArrivals = (
  engine: ChainEngine,
  writer: Writer,
  arrivals: Array<Arrival>,
  backlog: Backlog,
  judged: Judged
): Effect.Effect<boolean, ConnectError> =>
  Effect.suspend(() => {
    const pipeline = blockPipeline(engine, judged)
    return connectAll(engine, writer, arrivals, pipeline, judged).pipe(
      Effect.tap((more) => Effect.sync(() => {
        if (!more) backlog.clear()
      })),
      Effect.ensuring(pipeline.abandon)
    )
  })
