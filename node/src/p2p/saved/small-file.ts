import * as Effect from "effect/Effect"
import { open, readdir, rename, stat } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { diskError } from "../../storage/disk/disk-error.ts"
import { nameAside } from "../../storage/disk/name-aside.ts"
import { readRegular } from "../../storage/disk/regular-file.ts"
import { syncDirectory } from "../../storage/disk/sync-directory.ts"

/** What a file holds; none when it is not there. */
export interface SavedText {
  readonly bytes: Uint8Array | undefined
  /** What is wrong with it, of which `bytes` then say nothing. */
  readonly fault: string | undefined
  /** Whether the fault is none of the file: its content is not known, and what is in it must not be lost. */
  readonly isUnreadable: boolean
}

/** The largest file that is read: none of ours comes near. */
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

/** Reads a small file as a whole. It never fails: a file that is missing or unreadable is only reported. */
export const readSmallFile = (path: string): Effect.Effect<SavedText> => Effect.promise(() => read(path))

const replace = async (path: string, bytes: Uint8Array): Promise<string | undefined> => {
  try {
    const file = await open(`${path}.new`, "w")
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      // It is synced, or the error that came before it counts.
      await file.close().catch(() => {})
    }
    await rename(`${path}.new`, path)
    syncDirectory(dirname(path))
    return undefined
  } catch (cause) {
    return reason(cause)
  }
}

/** The last write of each file. Writes follow one another: two callers may write the same file. */
const writes = new Map<string, Promise<unknown>>()

const inTurn = async (path: string, bytes: Uint8Array): Promise<string | undefined> => {
  const own = (writes.get(path) ?? Promise.resolve()).then(() => replace(path, bytes))
  writes.set(path, own)
  const fault = await own
  if (writes.get(path) === own) writes.delete(path)
  return fault
}

/**
 * Writes a file so that it is there completely or as it was; answers why that failed. An interruption waits for the write, which would
 * go on otherwise, also behind a stop.
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

/** Moves a damaged file aside, so that the operator can look at it; answers its name then, if that could be done. */
export const putAside = (path: string): Effect.Effect<string | undefined> => Effect.promise(() => moveAside(path))

/** What the log says of a file whose content is not known: what an operator gives rights to is there again at the next start. */
export const leftAsItIs = (fault: string): string =>
  `${fault} The node starts without it, and leaves it as it is: what it would hold is not kept by this run`
