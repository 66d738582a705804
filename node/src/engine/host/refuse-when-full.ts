import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type { ChainEngine } from "../state/chain-engine.ts"
import type { EngineCallName } from "../api/engine-calls.ts"
import type { EngineFault } from "../api/engine-error.ts"

/**
 * Calls that need the writer's turn, from clients that should not wait for disk space. Blocks of peers and imports wait
 * instead: a rejected one would only arrive again.
 */
const REFUSED: ReadonlySet<EngineCallName> = new Set<EngineCallName>([
  "blockTemplate",
  "coin",
  "coinBlock",
  "dumpCoins",
  "generate",
  "invalidateBlock",
  "mempoolEntries",
  "outputs",
  "outputsOfValue",
  "preciousBlock",
  "prioritise",
  "proposeBlock",
  "pruneTo",
  "reconsiderBlock",
  "scanCoins",
  "scriptOutputs",
  "scriptSummary",
  "scriptTransactions",
  "setMockTime",
  "setStatistics",
  "submitBlock",
  "submitHeader",
  "verifyChain"
])

const full = (cause: string): EngineFault => ({ _tag: "DiskFull", cause })

/** Returns the result of `fiber`, or fails as soon as the disk is full. The fiber continues in that case. */
const joinUnlessFull = <A, E>(engine: ChainEngine, fiber: Fiber.Fiber<A, E>): Effect.Effect<A, E | EngineFault> =>
  Effect.callback((resume) => {
    const onPause = (cause: string): void => {
      stopListening()
      resume(Effect.fail(full(cause)))
    }
    const stopObserving = fiber.addObserver((exit) => {
      engine.pauseListeners.delete(onPause)
      resume(exit)
    })
    const stopListening = (): void => {
      engine.pauseListeners.delete(onPause)
      stopObserving()
    }
    engine.pauseListeners.add(onPause)
    return Effect.sync(stopListening)
  })

/**
 * Rejects a call as soon as the disk is full. A change that the call had begun still waits for space in `scope`. Memory
 * is then ahead of the disk, and is written once there is space.
 */
export const refuseWhenFull = <A, E>(
  engine: ChainEngine,
  scope: Scope.Scope,
  name: EngineCallName,
  work: Effect.Effect<A, E>
): Effect.Effect<A, E | EngineFault> =>
  Effect.suspend((): Effect.Effect<A, E | EngineFault> => {
    if (!REFUSED.has(name)) return work
    const { status } = engine
    if (status._tag === "Paused") return Effect.fail(full(status.cause))
    return Effect.flatMap(Effect.forkIn(work, scope, { startImmediately: true }), (fiber) => {
      const exit = fiber.pollUnsafe()
      if (exit !== undefined) return exit
      // The call itself may have filled the disk.
      return engine.status._tag === "Paused"
        ? Effect.fail(full(engine.status.cause))
        : joinUnlessFull(engine, fiber)
    })
  })
