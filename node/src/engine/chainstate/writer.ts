import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Semaphore from "effect/Semaphore"
import { ensuring } from "../../finalizers/finalizers.ts"
import type { StorageError } from "../../storage/storage-error.ts"
import { yieldToEventLoop } from "../yield-to-event-loop.ts"
import type { EngineRefusal } from "../api/engine-calls.ts"
import type { ChainEngine } from "../chain-engine.ts"
import { commit, hasChanges, isMemoryFull } from "./commit.ts"
import type { ConnectError } from "../validation/connect.ts"
import { CALLS_PER_COMMIT, COMMIT_INTERVAL, IDLE_COMMIT, LONGEST_TURN } from "../limits.ts"
import { pushState } from "../notify/push-state.ts"
import { refusal, RefusalCode } from "../refusal.ts"
import { publishPending, notifyLog } from "../notify/notifications.ts"

/** The one writer's turn: a task that changes the chain, or must not see it change, runs through here. */
export interface Writer {
  /** Runs a change; answers when it is on disk, or in the initial download when it is done. */
  readonly change: <A>(step: Effect.Effect<A, ConnectError | EngineRefusal>) => Effect.Effect<A, EngineRefusal>
  /** Runs something during which nothing changes. */
  readonly alone: <A>(step: Effect.Effect<A, ConnectError | EngineRefusal>) => Effect.Effect<A, EngineRefusal>
  /** Whether the holder of a long turn should end it: others wait, or a commit is due. */
  readonly isWanted: () => boolean
  /**
   * Ends long tasks at their next block, commits, and accepts no change any more. Fails when the last changes are lost.
   */
  readonly close: Effect.Effect<void, EngineRefusal>
  /** Commits whenever the initial download has been idle for a while. Never ends. */
  readonly commitWhenIdle: Effect.Effect<never>
}

/** Says that nothing may change any more, and why. What is on disk is the last commit. */
const breakDown = (engine: ChainEngine, message: string): EngineRefusal => {
  if (engine.broken === undefined && !engine.closing) {
    engine.broken = message
    engine.tell({ _tag: "Fatal", message })
  }
  return refusal(RefusalCode.DATABASE, message)
}

/** The error a caller gets: a storage failure ends all changes, a defect of ours only the call. */
const refusalOf = (engine: ChainEngine, cause: Cause.Cause<ConnectError | EngineRefusal>): EngineRefusal => {
  const error = Cause.findError(cause)
  if (error._tag === "Success") {
    const failure = error.success
    if (failure._tag === "EngineRefusal") return failure
    if (failure._tag === "StorageError") return breakDown(engine, failure.message)
    notifyLog(engine, "error", "A script worker failed: the block is judged again with the next call", {
      cause: failure.message
    })
    return refusal(RefusalCode.INTERNAL, failure.message)
  }
  notifyLog(engine, "error", "A defect of this program ended a call; no block is judged by it", {
    cause: Cause.pretty(cause)
  })
  return refusal(RefusalCode.INTERNAL, "Internal error")
}

type Group = Deferred.Deferred<void, EngineRefusal>

export const makeWriter = (engine: ChainEngine): Writer => {
  const turn = Semaphore.makeUnsafe(1)
  /** Changes that wait for their turn. */
  let waiting = 0
  /** Other tasks that wait for their turn. */
  let waitingAlone = 0
  /** Changes that are done and wait for their commit. */
  let done = 0
  let group: Group = Deferred.makeUnsafe()
  let lastTurn = Date.now()
  /** When the present turn began. */
  let turnSince = 0

  const commitGroup = Effect.gen(function*() {
    const outcome = yield* Effect.exit(commit(engine))
    const settled = group
    group = Deferred.makeUnsafe()
    done = 0
    if (Exit.isSuccess(outcome)) return yield* Deferred.succeed(settled, undefined)
    // Memory is ahead of the disk: even after a defect of ours nothing may be built on that.
    const { message } = refusalOf(engine, outcome.cause)
    if (engine.closing) notifyLog(engine, "error", "The last changes could not be written", { cause: message })
    return yield* Deferred.fail(settled, breakDown(engine, message))
  })

  /** Fails all that wait for a commit. */
  const dissolve = (message: string) =>
    Effect.suspend(() => {
      const settled = group
      group = Deferred.makeUnsafe()
      done = 0
      return Deferred.fail(settled, refusal(RefusalCode.DATABASE, message))
    })

  /** In the initial download a commit waits until it is worth it. */
  const isDue = (): boolean =>
    !engine.initialBlockDownload || isMemoryFull(engine) || Date.now() - engine.lastCommit > COMMIT_INTERVAL

  /** Sees to it that the last change is notified, and committed when it should be. Answers the commit to wait for. */
  const afterChange = Effect.gen(function*() {
    if (engine.broken !== undefined) {
      yield* dissolve(engine.broken)
      return undefined
    }
    // A task that waits for a commit must get its result, even if the last change has committed by itself.
    const isOwed = done > 0
    if (!isOwed && !hasChanges(engine) && engine.pendingNotifications.length === 0) return undefined
    if (!isOwed && !isDue()) {
      pushState(engine)
      publishPending(engine)
      return undefined
    }
    const own = group
    done++
    // Calls that have arrived and were not read yet may share the commit.
    if (waiting === 0) yield* yieldToEventLoop
    if (waiting === 0 || done >= CALLS_PER_COMMIT) yield* commitGroup
    return own
  })

  const refuseWhenBroken = Effect.suspend(() =>
    engine.broken === undefined && !engine.closing
      ? Effect.void
      : Effect.fail(refusal(RefusalCode.DATABASE, engine.broken ?? "The node is stopping"))
  )

  const refuseWithoutSpace = Effect.suspend(() =>
    engine.lowSpace === undefined ? Effect.void : Effect.fail(refusal(RefusalCode.DATABASE, engine.lowSpace))
  )

  const takeTurn = <A>(step: Effect.Effect<A, ConnectError | EngineRefusal>): Effect.Effect<A, EngineRefusal> =>
    refuseWhenBroken.pipe(
      Effect.andThen(step),
      Effect.catchCause((cause) => Effect.fail(refusalOf(engine, cause)))
    )

  const change = <A>(step: Effect.Effect<A, ConnectError | EngineRefusal>): Effect.Effect<A, EngineRefusal> =>
    Effect.gen(function*() {
      waiting++
      const [outcome, own] = yield* turn.withPermit(Effect.gen(function*() {
        waiting--
        turnSince = Date.now()
        const exit = yield* Effect.exit(takeTurn(Effect.andThen(refuseWithoutSpace, step)))
        const awaited = yield* afterChange
        lastTurn = Date.now()
        return [exit, awaited] as const
      }))
      if (own !== undefined) yield* Deferred.await(own)
      return yield* outcome
    }).pipe(Effect.uninterruptible)

  const isIdle = (): boolean =>
    Date.now() - lastTurn >= IDLE_COMMIT && hasChanges(engine) && engine.broken === undefined && !engine.closing

  const commitWhenIdle = Effect.gen(function*() {
    for (;;) {
      yield* Effect.sleep(IDLE_COMMIT)
      if (!isIdle()) continue
      // A task may have run all the time.
      yield* turn.withPermit(Effect.uninterruptible(Effect.suspend(() => isIdle() ? commitGroup : Effect.void)))
    }
  })

  const close = Effect.suspend(() => {
    engine.closing = true
    return turn.withPermit(Effect.suspend(() => {
      const own = group
      return engine.broken === undefined ? Effect.andThen(commitGroup, Deferred.await(own)) : Effect.void
    }))
  }).pipe(Effect.asVoid, Effect.uninterruptible)

  const alone = <A>(step: Effect.Effect<A, ConnectError | EngineRefusal>): Effect.Effect<A, EngineRefusal> =>
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

  /** Out of the initial download everything is committed before it is notified, so a turn does not last. */
  const isOverdue = (): boolean =>
    engine.initialBlockDownload
      ? hasChanges(engine) && Date.now() - engine.lastCommit > COMMIT_INTERVAL
      : Date.now() - turnSince > LONGEST_TURN

  return {
    change,
    close,
    alone,
    isWanted: () => waiting + waitingAlone > 0 || isOverdue(),
    commitWhenIdle
  }
}

/** Storage that failed outside the writer's turn: the caller gets the error, nothing is broken by it. */
export const asRefusal = <A>(read: Effect.Effect<A, StorageError | EngineRefusal>): Effect.Effect<A, EngineRefusal> =>
  Effect.mapError(read, (error) => error._tag === "StorageError" ? refusal(RefusalCode.DATABASE, error.message) : error)
