import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Semaphore from "effect/Semaphore"
import { ensuring } from "../../finalizers/finalizers.ts"
import { yieldToEventLoop } from "../options/yield-to-event-loop.ts"
import type { EngineError, EngineFault } from "../api/engine-error.ts"
import { engineFaultText } from "../api/fault-text.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import { commit, hasChanges, isMemoryFull } from "./commit.ts"
import { endAhead } from "./tip-ahead.ts"
import { isEnding, setClosing, spaceFault } from "../state/engine-status.ts"
import { breakDown, type ErrorOf, callerErrorOf } from "./faults.ts"
import type { ConnectError } from "./connect-error.ts"
import { CALLS_PER_COMMIT, COMMIT_INTERVAL, IDLE_COMMIT, LONGEST_TURN } from "../options/limits.ts"
import { pushState } from "./push-state.ts"
import { publishPending, notifyLog } from "../notify/notifications.ts"

/** Runs a task in the writer's turn. Its faults become errors of the caller. */
type Turn = <A, E extends ConnectError | EngineError>(step: Effect.Effect<A, E>) => Effect.Effect<A, ErrorOf<E>>

/** The lock of the one writer. A task that changes the chain, or must not see it change, runs here. */
export interface Writer {
  /** Runs a change. Returns when it is on disk or, in the initial block download, when it is done. */
  readonly change: Turn
  /** Runs a task during which nothing changes. */
  readonly alone: Turn
  /** Reports whether the holder of a long turn should end it, because others wait or a commit is due. */
  readonly isWanted: () => boolean
  /** Ends long tasks at their next block, commits, and accepts no more changes. Fails if the last changes are lost. */
  readonly close: Effect.Effect<void, EngineFault>
  /** Commits whenever the initial block download has been idle for a while. Never ends. */
  readonly commitWhenIdle: Effect.Effect<never>
}

type Group = Deferred.Deferred<void, EngineFault>

export const makeWriter = (engine: ChainEngine): Writer => {
  const { clock } = engine
  const turn = Semaphore.makeUnsafe(1)
  /** Number of changes that wait for their turn. */
  let waiting = 0
  /** Number of other tasks that wait for their turn. */
  let waitingAlone = 0
  /** Number of finished changes that wait for their commit. */
  let done = 0
  let group: Group = Deferred.makeUnsafe()
  let lastTurn = clock.elapsed()
  /** Start of the present turn. */
  let turnSince = 0

  const commitGroup = Effect.gen(function*() {
    const outcome = yield* Effect.exit(commit(engine))
    const settled = group
    group = Deferred.makeUnsafe()
    done = 0
    if (Exit.isSuccess(outcome)) return yield* Deferred.succeed(settled, undefined)
    // Memory is ahead of the disk. After any failure, even an internal error, nothing may be built on that.
    const cause = engineFaultText(callerErrorOf(engine, outcome.cause))
    if (engine.status._tag === "Closing") {
      notifyLog(engine, "error", "The last changes could not be written", { cause })
    }
    return yield* Deferred.fail(settled, breakDown(engine, cause))
  })

  /** Fails all callers that wait for a commit. */
  const dissolve = (fault: EngineFault) =>
    Effect.suspend(() => {
      const settled = group
      group = Deferred.makeUnsafe()
      done = 0
      return Deferred.fail(settled, fault)
    })

  /** Reports whether a commit is due. In the initial block download it waits until it is worth its cost. */
  const isDue = (): boolean =>
    !engine.initialBlockDownload || isMemoryFull(engine) || clock.elapsed() - engine.lastCommit > COMMIT_INTERVAL

  /** Ensures that the last change is notified, and committed when it should be. Returns the commit to wait for. */
  const afterChange = Effect.gen(function*() {
    if (engine.status._tag === "Broken") {
      yield* dissolve(engine.status)
      return undefined
    }
    // A task that waits for a commit must get its result, even if the last change has already committed.
    const isOwed = done > 0
    if (!isOwed && !hasChanges(engine) && engine.pendingNotifications.length === 0) return undefined
    if (!isOwed && !isDue()) {
      pushState(engine)
      publishPending(engine)
      return undefined
    }
    const own = group
    done++
    // Calls that have arrived but were not read yet may share the commit.
    if (waiting === 0) yield* yieldToEventLoop
    if (waiting === 0 || done >= CALLS_PER_COMMIT) yield* commitGroup
    return own
  })

  const refuseWhenEnding = Effect.suspend(() => {
    const { status } = engine
    return status._tag === "Broken" || status._tag === "Closing" ? Effect.fail(status) : Effect.void
  })

  const refuseWithoutSpace = Effect.suspend(() => {
    const fault = spaceFault(engine)
    return fault === undefined ? Effect.void : Effect.fail(fault)
  })

  const takeTurn: Turn = <A, E extends ConnectError | EngineError>(step: Effect.Effect<A, E>) =>
    Effect.andThen(refuseWhenEnding, Effect.catchCause(step, (cause) => Effect.fail(callerErrorOf(engine, cause))))

  const change: Turn = <A, E extends ConnectError | EngineError>(step: Effect.Effect<A, E>) =>
    Effect.gen(function*() {
      waiting++
      const [outcome, own] = yield* turn.withPermit(Effect.gen(function*() {
        waiting--
        turnSince = clock.elapsed()
        const exit = yield* Effect.exit(takeTurn<A, E | EngineFault>(Effect.andThen(refuseWithoutSpace, step)))
        const awaited = yield* afterChange
        endAhead(engine)
        lastTurn = clock.elapsed()
        return [exit, awaited] as const
      }))
      if (own !== undefined) yield* Deferred.await(own)
      return yield* outcome
    }).pipe(Effect.uninterruptible)

  const isIdle = (): boolean => clock.elapsed() - lastTurn >= IDLE_COMMIT && hasChanges(engine) && !isEnding(engine)

  const commitWhenIdle = Effect.gen(function*() {
    for (;;) {
      yield* Effect.sleep(IDLE_COMMIT)
      if (!isIdle()) continue
      // A task may have run during the whole wait.
      yield* turn.withPermit(Effect.uninterruptible(Effect.suspend(() => isIdle() ? commitGroup : Effect.void)))
    }
  })

  const close = Effect.suspend(() => {
    setClosing(engine)
    return turn.withPermit(Effect.suspend(() => {
      const own = group
      return engine.status._tag !== "Broken" ? Effect.andThen(commitGroup, Deferred.await(own)) : Effect.void
    }))
  }).pipe(Effect.asVoid, Effect.uninterruptible)

  const alone: Turn = <A, E extends ConnectError | EngineError>(step: Effect.Effect<A, E>) =>
    Effect.suspend(() => {
      let waits = true
      waitingAlone++
      const stopWaiting = (): void => {
        if (waits) waitingAlone--
        waits = false
      }
      return turn.withPermit(Effect.uninterruptible(Effect.suspend(() => {
        stopWaiting()
        return takeTurn(step)
      }))).pipe(ensuring(Effect.sync(stopWaiting)))
    })

  /** Outside the initial block download each change is committed before it is notified, so no turn lasts long. */
  const isOverdue = (): boolean =>
    engine.initialBlockDownload
      ? hasChanges(engine) && clock.elapsed() - engine.lastCommit > COMMIT_INTERVAL
      : clock.elapsed() - turnSince > LONGEST_TURN

  return {
    change,
    close,
    alone,
    isWanted: () => waiting + waitingAlone > 0 || isOverdue(),
    commitWhenIdle
  }
}
