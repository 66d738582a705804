import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type { ChainEngine } from "../chain-engine.ts"
import type { EngineCallName } from "./engine-calls.ts"
import type { EngineFault } from "./engine-error.ts"

/**
 * Calls that need the writer's turn, from clients that should not wait for room on a disk. Blocks of peers and imports
 * wait: if rejected they would only come again.
 */
const REFUSED: ReadonlySet<EngineCallName> = new Set<EngineCallName>([
  "blockTemplate",
  "coin",
  "coinBlock",
  "generate",
  "invalidateBlock",
  "mempoolEntries",
  "outputs",
  "preciousBlock",
  "prioritise",
  "proposeBlock",
  "pruneTo",
  "reconsiderBlock",
  "scanCoins",
  "setMockTime",
  "setStatistics",
  "submitBlock",
  "submitHeader",
  "verifyChain"
])

const full = (cause: string): EngineFault => ({ _tag: "DiskFull", cause })

const pauseOf = (engine: ChainEngine): Effect.Effect<never, EngineFault> =>
  Effect.callback((resume) => {
    const listener = (cause: string): void => resume(Effect.fail(full(cause)))
    if (engine.status._tag === "Paused") return listener(engine.status.cause)
    engine.pauseListeners.add(listener)
    return Effect.sync(() => void engine.pauseListeners.delete(listener))
  })

/**
 * Refuses a call as soon as the disk is full. A change that the call had begun waits in `scope` for room all the same:
 * memory is then ahead of the disk, and is written when that has room again.
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
    return Effect.flatMap(Effect.forkIn(work, scope, { startImmediately: true }), (fiber) =>
      Effect.raceFirst(Fiber.join(fiber), pauseOf(engine)))
  })
