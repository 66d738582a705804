import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { StorageError } from "../../storage/storage-error.ts"
import type { EngineError, EngineFault } from "../api/engine-error.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import { notifyLog } from "../notify/notifications.ts"
import type { ConnectError } from "./connect-error.ts"
import { isEnding } from "../state/engine-status.ts"

/** Marks the engine as broken for this cause: nothing may change any more. The disk has the last commit. */
export const breakDown = (engine: ChainEngine, cause: string): EngineFault => {
  const broken = { _tag: "Broken" as const, cause }
  if (!isEnding(engine)) {
    engine.status = broken
    engine.notify({ _tag: "Fatal", message: cause })
  }
  return broken
}

/** Errors of a task as its caller gets them. */
export type ErrorOf<E> = Exclude<E, ConnectError> | EngineFault

/** Returns the error for the caller. A storage failure ends all changes; an internal error ends the call only. */
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

/** Logs an internal error that ended a call. */
export const defect = (engine: Pick<ChainEngine, "notify">, cause: Cause.Cause<unknown>): EngineFault => {
  notifyLog(engine, "error", "A defect of this program ended a call; no block is judged by it", {
    cause: Cause.pretty(cause)
  })
  return { _tag: "Defect" }
}

/** Maps a storage failure outside the writer's turn to an error of the caller. The engine stays usable. */
export const asFault = <A, E extends StorageError | EngineError>(
  read: Effect.Effect<A, E>
): Effect.Effect<A, ErrorOf<E>> =>
  Effect.mapError(read, (error: StorageError | EngineError): ErrorOf<E> =>
    error._tag === "StorageError"
      ? { _tag: "StorageFailed", reason: error.reason, message: error.message }
      : error as ErrorOf<E>)
