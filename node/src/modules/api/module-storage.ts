import type { IpcError } from "@lockstep/protocol/module-ipc/index.ts"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { acquireRelease } from "../../finalizers/finalizers.ts"
import type { KeyValueStore } from "../../storage/key-value/key-value-store.ts"
import { openKeyValueStore } from "../../storage/key-value/open-key-value-store.ts"
import type { StorageError } from "../../storage/storage-error.ts"
import { requestFailed } from "./api-call.ts"

/** The database of one module. The first request opens it, and it is closed with the module. */
export type ModuleStorage = Effect.Effect<KeyValueStore, IpcError>

/** Translates a failure of the database to text for a module. */
export const storageFailed = ({ message }: StorageError): IpcError => requestFailed(message)

/** The database in a directory. */
export const moduleStorage = (scope: Scope.Scope, directory: string): ModuleStorage => {
  const opened = Deferred.makeUnsafe<KeyValueStore, IpcError>()
  let isOpening = false
  const open = acquireRelease(
    Effect.mapError(openKeyValueStore({ directory, backend: "auto", keys: "any" }), storageFailed),
    ({ close }) => close
  )
  const opening = Scope.provide(Effect.map(open, ({ store }) => store), scope)
  return Effect.suspend(() => {
    if (isOpening) return Deferred.await(opened)
    isOpening = true
    // The fiber of the request may be interrupted, so another one opens the database.
    return Effect.andThen(Effect.forkIn(Deferred.into(opening, opened), scope), Deferred.await(opened))
  })
}
