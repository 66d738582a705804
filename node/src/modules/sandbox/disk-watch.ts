import * as Effect from "effect/Effect"
import { lstat, opendir, readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import type { ResourceLimits } from "./resource-limits.ts"
import { MEBIBYTE } from "../../units.ts"

/** Disk usage of a module. */
export interface DiskUse {
  readonly bytes: number
  readonly files: number
  /** True if a directory cannot be read because of the module. */
  readonly hasHidden: boolean
}

/** Maximum number of files and directories of a module. */
export const MOST_FILES = 100_000

/** Unit of `st_blocks` in bytes. */
const BLOCK_BYTES = 512

/** Returns `undefined` for a file that cannot be read, since it was removed meanwhile. */
const quietly = <A>(promise: Promise<A>): Promise<A | undefined> => promise.catch(() => undefined)

/** Error codes that a module causes in its directory by permissions and by paths that are too long. */
const HIDING: ReadonlyArray<string | undefined> = ["EACCES", "EPERM", "ENAMETOOLONG"]

const isHiding = (cause: unknown): boolean => HIDING.includes((cause as NodeJS.ErrnoException).code)

/** Returns the usage below a directory; the count stops beyond {@link MOST_FILES}. */
const usedBelow = async (root: string): Promise<DiskUse> => {
  const directories = [root]
  let [bytes, files, hasHidden] = [0, 0, false]
  for (let directory = directories.pop(); directory !== undefined; directory = directories.pop()) {
    const entries = await quietly(
      opendir(directory).catch((cause: unknown) => {
        hasHidden ||= isHiding(cause)
        throw cause
      })
    )
    if (entries === undefined) continue
    for await (const entry of entries) {
      const path = join(directory, entry.name)
      bytes += ((await quietly(lstat(path)))?.blocks ?? 0) * BLOCK_BYTES
      if (++files > MOST_FILES) return { bytes, files, hasHidden }
      if (entry.isDirectory()) directories.push(path)
    }
  }
  return { bytes, files, hasHidden }
}

/** Returns the bytes of files that a process holds open after they were removed from every directory. */
const heldOpen = async (pid: number): Promise<number> => {
  const directory = `/proc/${pid}/fd`
  let bytes = 0
  for (const name of await quietly(readdir(directory)) ?? []) {
    const found = await quietly(stat(join(directory, name)))
    if (found?.isFile() === true && found.nlink === 0) bytes += found.blocks * BLOCK_BYTES
  }
  return bytes
}

/** Returns the disk usage of a module: in its directory, and in removed files that it holds open. */
export const diskUse = async (pid: number, directory: string): Promise<DiskUse> => {
  const below = await usedBelow(directory)
  return { ...below, bytes: below.bytes + await heldOpen(pid) }
}

const mebibytes = (bytes: number): number => Math.round(bytes / MEBIBYTE)

/** Returns the reason to end a module with this disk usage, or `undefined` if it is within the limits. */
export const diskExcess = (
  { bytes, files, hasHidden }: DiskUse,
  { diskBytes }: Pick<ResourceLimits, "diskBytes">
): string | undefined => {
  if (hasHidden) return "has a directory in its data directory that the node cannot look into"
  if (files > MOST_FILES) return `has more than ${MOST_FILES} files in its data directory`
  return bytes > diskBytes
    ? `has ${mebibytes(bytes)} MiB in its data directory, and ${mebibytes(diskBytes)} MiB are allowed`
    : undefined
}

const INTERVAL = "1 second"

/** Watches the disk usage of a module; ends with a reason when it exceeds a limit. */
export const watchDisk = (pid: number, directory: string, limits: ResourceLimits): Effect.Effect<string> =>
  Effect.gen(function*() {
    for (;;) {
      yield* Effect.sleep(INTERVAL)
      // A failing disk, or a node short of file descriptors, is no reason to end a module.
      const use = yield* Effect.orElseSucceed(
        Effect.tryPromise(() => diskUse(pid, directory)),
        () => ({ bytes: 0, files: 0, hasHidden: false })
      )
      const reason = diskExcess(use, limits)
      if (reason !== undefined) return reason
    }
  })
