import { randomUUID } from "node:crypto"
import { constants } from "node:fs"
import { type FileHandle, lstat, mkdir, open, opendir, rename, rmdir, unlink } from "node:fs/promises"
import { join } from "node:path"
import { type ConfinedPath, UNFINISHED } from "./confined-path.ts"

/** Maximum bytes of a file that one request reads or writes. */
export const MAX_CONFINED_FILE_BYTES = 8 * 1024 * 1024

/** Maximum entries of a directory that one request lists. */
export const MAX_DIRECTORY_ENTRIES = 10_000

/** A request exceeds the size of a file or of a directory. */
export class TooLarge extends Error {
  override readonly name = "TooLarge"
}

/** The path names something other than a regular file. */
export class NotRegular extends Error {
  override readonly name = "NotRegular"
}

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants

/** Ignores a failed close: written data is already synced, and the error before it must not be hidden. */
const ignored = (): undefined => undefined

/**
 * Returns a path that leads to an open directory, even if the directory was renamed since. Otherwise a module could put
 * a symbolic link at the directory's path between two steps. On systems other than Linux modules are not confined and
 * gain nothing by it.
 */
const through = ({ fd }: FileHandle, path: string): string =>
  process.platform === "linux" ? `/proc/self/fd/${fd}` : path

/** Opens a directory below `root` without following symbolic links, and passes its path to `use`. */
const inDirectory = async <A>(
  root: string,
  parts: ConfinedPath,
  use: (directory: string) => Promise<A>
): Promise<A> => {
  let path = root
  let directory = await open(root, O_RDONLY | O_DIRECTORY)
  try {
    for (const part of parts) {
      const inner = await open(`${through(directory, path)}/${part}`, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
      await directory.close()
      directory = inner
      path = join(path, part)
    }
    return await use(through(directory, path))
  } finally {
    await directory.close().catch(ignored)
  }
}

/**
 * Passes the path of a name to `use`, in a directory that is opened without following symbolic links. The name itself
 * may be a symbolic link.
 */
const at = <A>(root: string, parts: ConfinedPath, use: (path: string) => Promise<A>): Promise<A> =>
  inDirectory(root, parts.slice(0, -1), (directory) => use(`${directory}/${parts.at(-1)!}`))

const contentOf = async (file: FileHandle): Promise<Uint8Array> => {
  const found = await file.stat()
  if (!found.isFile()) throw new NotRegular()
  if (found.size > MAX_CONFINED_FILE_BYTES) {
    throw new TooLarge(`the file has more than ${MAX_CONFINED_FILE_BYTES} bytes`)
  }
  const buffer = new Uint8Array(found.size)
  let length = 0
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return buffer.subarray(0, length)
}

/** Reads a file. */
export const readConfined = (root: string, parts: ConfinedPath): Promise<Uint8Array> =>
  at(root, parts, async (path) => {
    // Without O_NONBLOCK, opening a named pipe would block.
    const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    try {
      return await contentOf(file)
    } finally {
      await file.close().catch(ignored)
    }
  })

/** Writes a file atomically. It replaces whatever has the name, unless that is a directory. */
export const writeConfined = (root: string, parts: ConfinedPath, data: Uint8Array): Promise<void> =>
  inDirectory(root, parts.slice(0, -1), async (directory) => {
    const unfinished = `${directory}/${UNFINISHED}${randomUUID()}`
    const file = await open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
    try {
      try {
        await file.writeFile(data)
        await file.sync()
      } finally {
        await file.close().catch(ignored)
      }
      await rename(unfinished, `${directory}/${parts.at(-1)!}`)
    } catch (error) {
      await unlink(unfinished).catch(ignored)
      throw error
    }
  })

/** Removes a file, a symbolic link itself, or an empty directory. */
export const removeConfined = (root: string, parts: ConfinedPath): Promise<void> =>
  at(root, parts, async (path) => (await lstat(path)).isDirectory() ? rmdir(path) : unlink(path))

/** Creates a directory; its parent must exist. */
export const makeConfined = (root: string, parts: ConfinedPath): Promise<void> =>
  at(root, parts, (path) => mkdir(path, { mode: 0o700 }))

/** Lists the names in a directory, sorted. */
export const listConfined = (root: string, parts: ConfinedPath): Promise<ReadonlyArray<string>> =>
  inDirectory(root, parts, async (path) => {
    const names: Array<string> = []
    for await (const { name } of await opendir(path)) {
      if (names.length === MAX_DIRECTORY_ENTRIES) {
        throw new TooLarge(`the directory has more than ${MAX_DIRECTORY_ENTRIES} entries`)
      }
      if (!name.startsWith(UNFINISHED)) names.push(name)
    }
    return names.toSorted()
  })

/** Facts of a directory entry. Times are in milliseconds since 1970. */
export interface ConfinedFacts {
  readonly size: number
  readonly isFile: boolean
  readonly isDirectory: boolean
  readonly modified: number
  readonly created: number
}

/** Returns the facts of a file or directory. Symbolic links are not followed. */
export const confinedFacts = async (root: string, parts: ConfinedPath): Promise<ConfinedFacts> => {
  const found = await (parts.length === 0 ? lstat(root) : at(root, parts, (path) => lstat(path)))
  return {
    size: found.size,
    isFile: found.isFile(),
    isDirectory: found.isDirectory(),
    modified: found.mtimeMs,
    created: found.birthtimeMs
  }
}
