import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { ChainEngine } from "../chain-engine.ts"
import { WARNING } from "../chainstate/disk-full.ts"
import { refusal, RefusalCode } from "../refusal.ts"
import type { EngineCallName, EngineRefusal } from "../api/engine-calls.ts"

/**
 * Calls that need the writer's turn, from clients that should not wait for room on a disk. Blocks of peers and imports
 * wait: if rejected they would only come again.
 */
const REFUSED: ReadonlySet<EngineCallName> = new Set<EngineCallName>([
  "coin",
  "coinBlock",
  "generate",
  "invalidateBlock",
  "preciousBlock",
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

const refused = (cause: string): EngineRefusal => refusal(RefusalCode.DATABASE, `${WARNING}. ${cause}`)

const pauseOf = (engine: ChainEngine): Effect.Effect<never, EngineRefusal> =>
  Effect.callback((resume) => {
    const listener = (cause: string): void => resume(Effect.fail(refused(cause)))
    if (engine.paused !== undefined) return listener(engine.paused)
    engine.pauseListeners.add(listener)
    return Effect.sync(() => void engine.pauseListeners.delete(listener))
  })

/**
 * Refuses a call as soon as the disk is full. A change that the call had begun waits for room all the same: memory is
 * then ahead of the disk, and is written when that has room again.
 */
export const refuseWhenFull = <A>(
  engine: ChainEngine,
  name: EngineCallName,
  work: Effect.Effect<A, EngineRefusal>
): Effect.Effect<A, EngineRefusal> =>
  Effect.suspend(() => {
    if (!REFUSED.has(name)) return work
    if (engine.paused !== undefined) return Effect.fail(refused(engine.paused))
    return Effect.flatMap(Effect.forkDetach(work, { startImmediately: true }), (fiber) =>
      Effect.raceFirst(Fiber.join(fiber), pauseOf(engine)))
  })
