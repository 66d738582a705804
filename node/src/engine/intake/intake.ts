import type { KnownIds } from "@lockstep/protocol/wire/compact-block/reconstruction.ts"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { StorageError } from "../../storage/storage-error.ts"
import type { AcceptedBlock, AcceptedHeaders } from "../api/network-calls.ts"
import type { EngineFault } from "../api/engine-error.ts"
import type { Background } from "../chainstate/background.ts"
import type { ChainEngine, Judged } from "../state/chain-engine.ts"
import { isLinked } from "../header-index/header-index.ts"
import { BACKLOG_BYTES } from "../options/limits.ts"
import { notifyLog } from "../notify/notifications.ts"
import type { Writer } from "../chainstate/writer.ts"
import type { Arrival } from "./arrival.ts"
import { makeBacklog } from "./backlog.ts"
import { connectArrivals } from "./connect-arrivals.ts"
import { inputCounts } from "./input-counts.ts"
import { acceptNewBlock, type NewBlockOutcome } from "./accept-new-block.ts"
import { acceptNewHeaders } from "./accept-new-headers.ts"

/** Accepts headers and blocks of peers. */
export interface Intake {
  readonly acceptHeaders: (input: { readonly headers: Uint8Array }) => Effect.Effect<AcceptedHeaders, EngineFault>
  readonly acceptBlock: (
    input: { readonly bytes: Uint8Array; readonly requested: boolean; readonly known?: KnownIds }
  ) => Effect.Effect<AcceptedBlock, EngineFault>
  readonly blocksConnected: () => Effect.Effect<void>
}

const notifyDefect = (engine: ChainEngine, defect: unknown): void =>
  notifyLog(engine, "error", "A defect of this program ended a call; no block is judged by it", {
    cause: String(defect)
  })

/**
 * Accepts arrivals one after another and connects blocks in between. Each is one change in the writer's turn, so that
 * nothing else moves the chain meanwhile. A task that waits for a turn gets it after the present block.
 */
export const makeIntake = (
  engine: ChainEngine,
  writer: Writer,
  background: Background,
  backlogBytes = BACKLOG_BYTES
): Intake => {
  const arrivals: Array<Arrival> = []
  const backlog = makeBacklog(backlogBytes)
  const inputs = inputCounts()
  const settled: Judged = (node, rejection) => {
    const count = inputs.take(node)
    if (rejection === undefined) engine.inputs += count
    backlog.remove(node)
  }
  const mayConnect = ({ stored }: NewBlockOutcome): boolean =>
    stored !== undefined && isLinked(engine.tree, stored.node)
  let isRunning = false

  const work = Effect.gen(function*() {
    let more: boolean
    do {
      const exit = yield* Effect.exit(writer.change(connectArrivals(engine, writer, arrivals, backlog, settled)))
      if (Exit.isSuccess(exit)) {
        more = exit.value
        backlog.notify()
        continue
      }
      more = false
      backlog.clear()
      backlog.notify()
      const fault = yield* Effect.flip(exit).pipe(Effect.orDie)
      for (const { refuse } of arrivals.splice(0)) refuse(fault)
    } while (more || arrivals.length > 0)
    isRunning = false
  })

  /** Validates an arrival; `step` may run after the calling fiber has ended. */
  const judged = <A>(
    step: Effect.Effect<A, StorageError>,
    isNext: (value: A) => boolean
  ): Effect.Effect<A, EngineFault> =>
    Effect.suspend(() => {
      const answer = Deferred.makeUnsafe<A, EngineFault>()
      arrivals.push({
        take: step.pipe(
          Effect.flatMap((value) => Effect.as(Deferred.succeed(answer, value), isNext(value))),
          // One arrival that cannot be validated is no reason to reject others.
          Effect.catchDefect((defect) => {
            notifyDefect(engine, defect)
            return Effect.as(Deferred.fail(answer, { _tag: "Defect" }), false)
          })
        ),
        refuse: (fault) => void Deferred.doneUnsafe(answer, Effect.fail(fault))
      })
      if (!isRunning) {
        isRunning = true
        background.start(work)
      }
      return Deferred.await(answer)
    })

  return {
    acceptHeaders: ({ headers }) => judged(Effect.sync(() => acceptNewHeaders(engine, headers)), () => false),
    blocksConnected: () => backlog.allGone,
    acceptBlock: Effect.fnUntraced(function*({ bytes, known, requested }) {
      let connected: Effect.Effect<void> | undefined
      const note = ({ stored }: NewBlockOutcome): void => {
        if (stored === undefined) return
        inputs.note(stored.node, stored.inputs)
        if (!isLinked(engine.tree, stored.node)) return
        backlog.add(stored.node, stored.bytes)
        // Near the tip the call returns once the verdict is visible to all, as in Bitcoin Core.
        if (!engine.initialBlockDownload) connected = backlog.gone(stored.node)
      }
      const taking = Effect.tap(
        acceptNewBlock(engine, { bytes, known }, requested),
        (taken) => Effect.sync(() => note(taken))
      )
      const taken = yield* judged(taking, mayConnect)
      const { answer } = taken
      // A block that arrived out of order is on disk. It waits for others that the same peer may have to send as well.
      if (mayConnect(taken)) yield* connected ?? backlog.room
      return answer
    })
  }
}
