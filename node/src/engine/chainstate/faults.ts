import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { StorageError } from "../../storage/storage-error.ts"
import type { EngineError, EngineFault } from "../api/engine-error.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import { notifyLog } from "../notify/notifications.ts"
import type { ConnectError } from "./connect-error.ts"
import { isEnding } from "../state/engine-status.ts"

/** Says that nothing may change any more, and why. What is on disk is the last commit. */
export const breakDown = (engine: ChainEngine, cause: string): EngineFault => {
  const broken = { _tag: "Broken" as const, cause }
  if (!isEnding(engine)) {
    engine.status = broken
    engine.notify({ _tag: "Fatal", message: cause })
  }
  return broken
}

/** What a caller gets of errors of a task. */
export type ErrorOf<E> = Exclude<E, ConnectError> | EngineFault

/** The error that a caller gets: a storage failure ends all changes, a defect of ours only the call. */
export const callerErrorOf = <E extends ConnectError | EngineError>(
  engine: ChainEngine,
  cause: Cause.Cause<E>
): ErrorOf<E> => {
  const found = Cause.findError(cause)
  if (found._tag !== "Success") return defect(engine, cause)
  const error: ConnectError | EngineError = found.success
  if (error._tag === "StorageError") return breakDown(engine, error.message)
  if (error._tag !== "ScriptPoolFailure") return error as ErrorOf<E>
  const { message } = error
  notifyLog(engine, "error", "A script worker failed: the block is judged again with the next call", { cause: message })
  return { _tag: "ScriptWorkerFailed", message }
}

/** Logs a defect that ended a call. */
export const defect = (engine: Pick<ChainEngine, "notify">, cause: Cause.Cause<unknown>): EngineFault => {
  notifyLog(engine, "error", "A defect of this program ended a call; no block is judged by it", {
    cause: Cause.pretty(cause)
  })
  return { _tag: "Defect" }
}

/** Storage that failed outside the writer's turn: the caller gets the error, nothing is broken by it. */
export const asFault = <A, E extends StorageError | EngineError>(
  read: Effect.Effect<A, E>
): Effect.Effect<A, ErrorOf<E>> =>
  Effect.mapError(read, (error: StorageError | EngineError): ErrorOf<E> =>
    error._tag === "StorageError"
      ? { _tag: "StorageFailed", reason: error.reason, message: error.message }
      : error as ErrorOf<E>)
