import * as Effect from "effect/Effect"
import { open, readdir, rename, stat } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { diskError } from "../../storage/disk/disk-error.ts"
import { nameAside } from "../../storage/disk/name-aside.ts"
import { readRegular } from "../../storage/disk/regular-file.ts"
import { syncDirectory } from "../../storage/disk/sync-directory.ts"

/** The content of a file, or its fault; both are `undefined` if the file is missing. */
export interface SavedText {
  readonly bytes: Uint8Array | undefined
  /** Description of the fault; `bytes` is then `undefined`. */
  readonly fault: string | undefined
  /** True if the file could not be read. Its content is unknown and must not be lost. */
  readonly isUnreadable: boolean
}

/** Maximum size of a file to read, far above that of any of this node's files. */
const MOST_BYTES = 64 * 1024 * 1024

const reason = (cause: unknown): string => cause instanceof Error ? cause.message : String(cause)

const read = async (path: string): Promise<SavedText> => {
  try {
    const { size } = await stat(path)
    if (size > MOST_BYTES) return { bytes: undefined, fault: `it has ${size} bytes`, isUnreadable: false }
    const content = readRegular(path)
    return { bytes: content && new Uint8Array(content), fault: undefined, isUnreadable: false }
  } catch (cause) {
    const { message, reason: kind } = diskError("data-directory", "read", path, cause)
    if (kind === "missing") return { bytes: undefined, fault: undefined, isUnreadable: false }
    return { bytes: undefined, fault: message, isUnreadable: true }
  }
}

/** Reads a small file as a whole. It never fails: a missing or unreadable file is only reported. */
export const readSmallFile = (path: string): Effect.Effect<SavedText> => Effect.promise(() => read(path))

const replace = async (path: string, bytes: Uint8Array): Promise<string | undefined> => {
  try {
    const file = await open(`${path}.new`, "w")
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      // The file is synced, or an earlier error is reported.
      await file.close().catch(() => {})
    }
    await rename(`${path}.new`, path)
    syncDirectory(dirname(path))
    return undefined
  } catch (cause) {
    return reason(cause)
  }
}

/** The last write of each file. Writes of one file run one after another, as two callers may write it. */
const writes = new Map<string, Promise<unknown>>()

const inTurn = async (path: string, bytes: Uint8Array): Promise<string | undefined> => {
  const own = (writes.get(path) ?? Promise.resolve()).then(() => replace(path, bytes))
  writes.set(path, own)
  const fault = await own
  if (writes.get(path) === own) writes.delete(path)
  return fault
}

/**
 * Replaces a file atomically. Returns the reason of a failure, or `undefined`. It is uninterruptible, as the write
 * would otherwise continue after a stop.
 */
export const replaceSmallFile = (path: string, bytes: Uint8Array): Effect.Effect<string | undefined> =>
  Effect.uninterruptible(Effect.promise(() => inTurn(path, bytes)))

const moveAside = async (path: string): Promise<string | undefined> => {
  try {
    const name = nameAside(basename(path), await readdir(dirname(path)))
    await rename(path, join(dirname(path), name))
    return name
  } catch {
    return undefined
  }
}

/** Moves a damaged file aside for the operator. Returns its new name, or `undefined` if that failed. */
export const putAside = (path: string): Effect.Effect<string | undefined> => Effect.promise(() => moveAside(path))

/**
 * Returns the log message about an unreadable file. Once the operator corrects its permissions, the next start reads
 * it.
 */
export const leftAsItIs = (fault: string): string =>
  `${fault} The node starts without it, and leaves it as it is: what it would hold is not kept by this run`
