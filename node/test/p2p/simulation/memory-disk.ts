import * as Effect from "effect/Effect"
import { dirname } from "node:path"
import { diskError } from "../../../src/storage/disk/disk-error.ts"
import type { Disk, DiskFile } from "../../../src/storage/disk/disk.ts"
import type { StorageError } from "../../../src/storage/storage-error.ts"

/** A disk in memory, and what a power cut does to it. */
export interface MemoryDisk {
  readonly disk: Disk
  /** What was written and not synced is lost; a file that was open is closed. */
  readonly cutPower: () => void
  /** Whether hardly any space is left, as it says to who asks. */
  readonly setLow: (isLow: boolean) => void
}

interface Content {
  bytes: Uint8Array
  size: number
  /** As it would be after a power cut. */
  synced: Uint8Array
}

const PLENTY = 2 ** 40

const fault = (operation: string, path: string, code: string): StorageError =>
  diskError("block-files", operation, path, Object.assign(new Error(code), { code }))

const resize = (content: Content, size: number): void => {
  if (size > content.bytes.length) {
    const grown = new Uint8Array(Math.max(size, content.bytes.length * 2, 4_096))
    grown.set(content.bytes.subarray(0, content.size))
    content.bytes = grown
  }
  if (size < content.size) content.bytes.fill(0, size, content.size)
  content.size = size
}

const fileOf = (path: string, content: Content): DiskFile => ({
  path,
  write: (bytes, offset) =>
    Effect.sync(() => {
      if (offset + bytes.length > content.size) resize(content, offset + bytes.length)
      content.bytes.set(bytes, offset)
    }),
  read: (offset, size) =>
    Effect.sync(() => content.bytes.slice(offset, Math.max(offset, Math.min(content.size, offset + size)))),
  sync: Effect.sync(() => {
    content.synced = content.bytes.slice(0, content.size)
  }),
  truncate: (size) => Effect.sync(() => resize(content, size)),
  size: Effect.sync(() => content.size),
  modified: Effect.succeed(0),
  isRemoved: Effect.succeed(false),
  close: Effect.void
})

/** Files that are there as long as the simulation. Names last at once; what is in a file lasts when it is synced. */
export const memoryDisk = (): MemoryDisk => {
  const files = new Map<string, Content>()
  let isLow = false
  const found = (operation: string, path: string): Effect.Effect<Content, StorageError> =>
    Effect.suspend(() => {
      const content = files.get(path)
      return content === undefined ? Effect.fail(fault(operation, path, "ENOENT")) : Effect.succeed(content)
    })
  const disk: Disk = {
    open: (path, mode) =>
      Effect.map(
        mode === "create" && !files.has(path)
          ? Effect.sync(() => {
            const content = { bytes: new Uint8Array(0), size: 0, synced: new Uint8Array(0) }
            files.set(path, content)
            return content
          })
          : found("open", path),
        (content) => fileOf(path, content)
      ),
    rename: (from, to) =>
      Effect.map(found("rename", from), (content) => {
        files.delete(from)
        files.set(to, content)
      }),
    remove: (path) => Effect.map(found("remove", path), () => void files.delete(path)),
    list: (directory) =>
      Effect.sync(() =>
        [...files.keys()].filter((path) => dirname(path) === directory).map((path) => path.slice(directory.length + 1))
      ),
    makeDirectory: () => Effect.void,
    syncDirectory: () => Effect.void,
    replaceFile: (path, bytes) =>
      Effect.sync(() => {
        files.set(path, { bytes: bytes.slice(), size: bytes.length, synced: bytes.slice() })
      }),
    space: () => Effect.sync(() => ({ free: isLow ? 0 : PLENTY, total: PLENTY }))
  }
  return {
    disk,
    setLow: (low) => {
      isLow = low
    },
    cutPower: () => {
      for (const [path, { synced }] of files) files.set(path, { bytes: synced.slice(), size: synced.length, synced })
    }
  }
}
