import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as fs from "node:fs"
import { acquireRelease } from "../../finalizers/finalizers.ts"
import { closeFile } from "../disk/close-file.ts"
import { diskError } from "../disk/disk-error.ts"
import { openRegular } from "../disk/regular-file.ts"
import { StorageError } from "../storage-error.ts"
import { type LockAnswer, lockFile } from "./file-lock.ts"
import type { DataDirectory } from "./layout.ts"
import { identityOf, identityText, isRunning, ownIdentity } from "./process-identity.ts"
import { settingName } from "../../front/setting-name.ts"

const lockedBy = ({ directory, lock }: DataDirectory, pid: number | undefined): StorageError => {
  const holder = pid === undefined ? "another node" : `another node, process ${pid},`
  const remedy = `Stop it first, or start this one with another data directory (${settingName("--data-dir")}).`
  return new StorageError({
    part: "data-directory",
    operation: "lock",
    reason: "locked",
    path: lock,
    message: `The data directory ${directory} is used by ${holder} that is running. ${remedy}`
  })
}

const readText = (descriptor: number): string => {
  const bytes = Buffer.alloc(64)
  return bytes.toString("latin1", 0, fs.readSync(descriptor, bytes, 0, bytes.length, 0))
}

/**
 * Writes the identity of this process, for one that finds the lock taken. If the kernel holds the lock, a full disk may
 * prevent that.
 */
const signLock = (descriptor: number, answer: LockAnswer): void => {
  fs.ftruncateSync(descriptor)
  try {
    fs.writeSync(descriptor, identityText(ownIdentity()), 0)
  } catch (error) {
    if (answer !== "held" || (error as NodeJS.ErrnoException).code !== "ENOSPC") throw error
  }
}

const take = (layout: DataDirectory, lockWith: (descriptor: number) => LockAnswer): number => {
  const descriptor = openRegular(layout.lock, fs.constants.O_RDWR | fs.constants.O_CREAT, { mode: 0o600 })
  try {
    const answer = lockWith(descriptor)
    const holder = identityOf(readText(descriptor))
    // Without a kernel lock, the node checks whether the process that wrote its identity still runs.
    const isTaken = answer === "taken" || (answer === "unsupported" && holder !== undefined && isRunning(holder))
    if (isTaken) throw lockedBy(layout, holder?.pid)
    signLock(descriptor, answer)
    return descriptor
  } catch (error) {
    closeFile(descriptor)
    throw error
  }
}

const release = (descriptor: number): void => {
  // The file stays: another process may have locked it by the time of a removal.
  try {
    fs.ftruncateSync(descriptor)
  } catch {
    // The identity of this process stays in it: the next process finds that it does not run.
  }
  closeFile(descriptor)
}

/**
 * Locks the data directory until the scope or the process ends, even by SIGKILL. Fails with `locked` and the id of the
 * process that holds it.
 */
export const lockDataDirectory = (
  layout: DataDirectory,
  lockWith: (descriptor: number) => LockAnswer = lockFile
): Effect.Effect<void, StorageError, Scope.Scope> =>
  Effect.asVoid(acquireRelease(
    Effect.try({
      try: () => take(layout, lockWith),
      catch: (cause) => diskError("data-directory", "lock", layout.lock, cause)
    }),
    (descriptor) => Effect.sync(() => release(descriptor))
  ))
