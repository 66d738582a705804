import * as Effect from "effect/Effect"
import { ensuring } from "../../finalizers/finalizers.ts"
import { activateBestChain } from "../validation/activate-best-chain.ts"
import { yieldToEventLoop, periodicYield } from "../options/yield-to-event-loop.ts"
import { isEnding } from "../state/engine-status.ts"
import type { ChainEngine, Judged } from "../state/chain-engine.ts"
import type { ConnectError } from "../chainstate/connect-error.ts"
import { blockPipeline, type BlockPipeline } from "../validation/connect.ts"
import { LONGEST_INTAKE } from "../options/limits.ts"
import { stateNotifier } from "../chainstate/state-notifier.ts"
import { connectHistorical } from "../snapshot/background-validation.ts"
import type { Writer } from "../chainstate/writer.ts"
import type { Arrival } from "./arrival.ts"
import type { Backlog } from "./backlog.ts"
import { makeRoute } from "./next-block.ts"

/**
 * Validates arrivals for a moment, or until a block can be connected: a decoded block should not wait until others are
 * decoded. A failure comes from the disk and is returned to the waiting callers.
 */
const takeSome = Effect.fnUntraced(
  function*({ clock }: ChainEngine, arrivals: Array<Arrival>): Effect.fn.Return<void, ConnectError> {
    const since = clock.elapsed()
    while (arrivals.length > 0 && clock.elapsed() - since < LONGEST_INTAKE) {
      // Removed only after its validation, because otherwise its caller would get no verdict.
      const isNext = yield* arrivals[0]!.take
      arrivals.shift()
      if (isNext) return
    }
  }
)

const connectAll = Effect.fnUntraced(function*(
  engine: ChainEngine,
  writer: Writer,
  arrivals: Array<Arrival>,
  pipeline: BlockPipeline,
  judged: Judged
): Effect.fn.Return<boolean, ConnectError> {
  const route = makeRoute(engine.tree)
  const rest = periodicYield()
  const notify = stateNotifier(engine)
  for (let isFirst = true;; isFirst = false) {
    yield* rest
    yield* takeSome(engine, arrivals)
    notify()
    // Each turn makes progress, however many others wait.
    if (isEnding(engine) || (!isFirst && writer.isWanted())) {
      yield* pipeline.drain
      return !isEnding(engine)
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
        else if (!(yield* connectHistorical(engine, judged)) && arrivals.length === 0) {
          // More may have arrived after a yield to the event loop.
          yield* yieldToEventLoop
          if (arrivals.length === 0) return false
        }
    }
  }
})

/**
 * Runs one turn: validates arrivals and connects blocks until none is left, or until another task wants the turn.
 * Returns whether more may have to be connected.
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
      Effect.tap((more) =>
        Effect.sync(() => {
          if (!more) backlog.clear()
        })
      ),
      ensuring(pipeline.abandon)
    )
  })
