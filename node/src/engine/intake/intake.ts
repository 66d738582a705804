import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { StorageError } from "../../storage/storage-error.ts"
import type { AcceptedBlock, AcceptedHeaders } from "../calls/network-calls.ts"
import type { EngineRefusal } from "../calls/engine-calls.ts"
import type { ChainEngine, Judged } from "../chain-engine.ts"
import { isLinked } from "../header-tree/header-tree.ts"
import { BACKLOG_BYTES } from "../limits.ts"
import { refusal, RefusalCode } from "../refusal.ts"
import { tellLog } from "../tell.ts"
import type { Writer } from "../writer.ts"
import { makeBacklog } from "./backlog.ts"
import { connectArrivals } from "./connect-arrivals.ts"
import { inputCounts } from "./input-counts.ts"
import { takeBlock, type TakenBlock } from "./take-block.ts"
import { takeHeaders } from "./take-headers.ts"

/** Something that arrived and is to be judged, in order of arrival. */
export interface Arrival {
  /** Answers whether a block came of it that can be connected. */
  readonly take: Effect.Effect<boolean, StorageError>
  readonly refuse: (refused: EngineRefusal) => void
}

/** Where headers and blocks of peers come in. */
export interface Intake {
  readonly acceptHeaders: (input: { readonly headers: Uint8Array }) => Effect.Effect<AcceptedHeaders, EngineRefusal>
  readonly acceptBlock: (
    input: { readonly bytes: Uint8Array; readonly requested: boolean }
  ) => Effect.Effect<AcceptedBlock, EngineRefusal>
}

/**
 * Takes arrivals in one after another, and connects blocks in between. All of it is one change after another in the writer's
 * turn, so that nothing else moves the chain meanwhile; whoever waits for a turn has it after the present block.
 */
export const makeIntake = (engine: ChainEngine, writer: Writer): Intake => {
  const arrivals: Array<Arrival> = []
  const backlog = makeBacklog(BACKLOG_BYTES)
  const inputs = inputCounts()
  const settled: Judged = (node, rejection) => {
    const count = inputs.take(node)
    if (rejection === undefined) engine.inputs += count
    backlog.remove(node)
  }
  let isRunning = false

  const work = Effect.gen(function*() {
    for (let more = true; more || arrivals.length > 0;) {
      const exit = yield* Effect.exit(writer.change(connectArrivals(engine, writer, arrivals, backlog, settled)))
      if (Exit.isSuccess(exit)) {
        more = exit.value
        backlog.tell()
        continue
      }
      more = false
      backlog.clear()
      backlog.tell()
      const refused = yield* Effect.flip(exit).pipe(Effect.orDie)
      for (const { refuse } of arrivals.splice(0)) refuse(refused)
    }
    isRunning = false
  })

  /** Has something judged; `step` may be run when the fiber that asked is gone. */
  const judged = <A>(step: Effect.Effect<A, StorageError>, isNext: (value: A) => boolean): Effect.Effect<A, EngineRefusal> =>
    Effect.suspend(() => {
      const answer = Deferred.makeUnsafe<A, EngineRefusal>()
      arrivals.push({
        take: step.pipe(
          Effect.flatMap((value) => Effect.as(Deferred.succeed(answer, value), isNext(value))),
          // One arrival that we cannot judge is no reason to refuse others.
          Effect.catchDefect((defect) => {
            tellLog(engine, "error", "A defect of this program ended a call; no block is judged by it", { cause: String(defect) })
            return Effect.as(Deferred.fail(answer, refusal(RefusalCode.INTERNAL, "Internal error")), false)
          })
        ),
        refuse: (refused) => void Deferred.doneUnsafe(answer, Effect.fail(refused))
      })
      if (!isRunning) {
        isRunning = true
        Effect.runFork(work)
      }
      return Deferred.await(answer)
    })

  return {
    acceptHeaders: ({ headers }) => judged(Effect.sync(() => takeHeaders(engine, headers)), () => false),
    acceptBlock: Effect.fnUntraced(function*({ bytes, requested }) {
      const isNext = ({ stored }: TakenBlock): boolean => stored !== undefined && isLinked(engine.tree, stored.node)
      let connected: Effect.Effect<void> | undefined
      const note = ({ stored }: TakenBlock): void => {
        if (stored === undefined) return
        inputs.note(stored.node, stored.inputs)
        if (!isLinked(engine.tree, stored.node)) return
        backlog.add(stored.node, stored.bytes)
        // Near the tip whoever brought it is answered when everybody sees what came of it, as from the reference implementation.
        if (!engine.initialBlockDownload) connected = backlog.gone(stored.node)
      }
      const taking = Effect.tap(takeBlock(engine, bytes, requested), (taken) => Effect.sync(() => note(taken)))
      const taken = yield* judged(taking, isNext)
      const { answer } = taken
      // One that came out of order is on disk, and waits for others that whoever brought it may have to bring as well.
      if (isNext(taken)) yield* connected ?? backlog.room
      return answer
    })
  }
}
