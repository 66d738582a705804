import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { dirname } from "node:path"
import { fsPath } from "../../bytes/byte-path.ts"
import type { StorageError } from "../storage-error.ts"
import { closeFile } from "./close-file.ts"
import type { Disk, DiskFile } from "./disk.ts"
import { diskError } from "./disk-error.ts"
import { makeDirectory } from "./make-directory.ts"
import { openRegular } from "./regular-file.ts"
import { syncDirectory } from "./sync-directory.ts"

type Part = StorageError["part"]

const OPEN_FLAGS = {
  "read": fs.constants.O_RDONLY,
  "read-write": fs.constants.O_RDWR,
  "create": fs.constants.O_RDWR | fs.constants.O_CREAT
} as const

const attempt = <A>(part: Part, operation: string, path: string, run: () => A): Effect.Effect<A, StorageError> =>
  Effect.try({ try: run, catch: (cause) => diskError(part, operation, path, cause) })

const writeAll = (descriptor: number, bytes: Uint8Array, offset: number): void => {
  let done = 0
  while (done < bytes.length) done += fs.writeSync(descriptor, bytes, done, bytes.length - done, offset + done)
}

const readUpTo = (descriptor: number, offset: number, size: number): Uint8Array => {
  // Its own memory, never a slice of the shared pool: the caller may keep it or transfer it to another thread.
  const bytes = new Uint8Array(Buffer.allocUnsafeSlow(size).buffer)
  let done = 0
  while (done < size) {
    const count = fs.readSync(descriptor, bytes, done, size - done, offset + done)
    if (count === 0) return bytes.slice(0, done)
    done += count
  }
  return bytes
}

const sizeOf = (descriptor: number): number => {
  const stats = fs.fstatSync(descriptor)
  // Reading a directory fails with this error; `stat` reports a size for it as well.
  if (stats.isDirectory()) throw Object.assign(new Error("EISDIR"), { code: "EISDIR" })
  return stats.size
}

const fileOf = (part: Part, path: string, descriptor: number): DiskFile => {
  let isOpen = true
  return {
    path,
    write: (bytes, offset) => attempt(part, "write", path, () => writeAll(descriptor, bytes, offset)),
    read: (offset, size) => attempt(part, "read", path, () => readUpTo(descriptor, offset, size)),
    sync: attempt(part, "sync", path, () => fs.fsyncSync(descriptor)),
    truncate: (size) => attempt(part, "truncate", path, () => fs.ftruncateSync(descriptor, size)),
    size: attempt(part, "measure", path, () => sizeOf(descriptor)),
    modified: attempt(part, "measure", path, () => fs.fstatSync(descriptor).mtimeMs),
    isRemoved: attempt(part, "measure", path, () => fs.fstatSync(descriptor).nlink === 0),
    close: Effect.sync(() => {
      if (!isOpen) return
      isOpen = false
      closeFile(descriptor)
    })
  }
}

const replaceFile = (path: string, bytes: Uint8Array): void => {
  const fresh = `${path}.new`
  const descriptor = fs.openSync(fsPath(fresh), "w")
  try {
    writeAll(descriptor, bytes, 0)
    fs.fsyncSync(descriptor)
  } finally {
    closeFile(descriptor)
  }
  fs.renameSync(fsPath(fresh), fsPath(path))
  syncDirectory(dirname(path))
}

/**
 * The real disk. System calls are synchronous: in the engine's thread that takes a few microseconds, while a round trip
 * to the thread pool takes tens. Errors are filed under `part`.
 */
export const nodeDisk = (part: Part): Disk => ({
  open: (path, mode) =>
    Effect.map(
      attempt(part, "open", path, () => openRegular(fsPath(path), OPEN_FLAGS[mode], { mayBe: "or a directory" })),
      (fd) => fileOf(part, path, fd)
    ),
  rename: (from, to) => attempt(part, "rename", from, () => fs.renameSync(fsPath(from), fsPath(to))),
  remove: (path) => attempt(part, "remove", path, () => fs.unlinkSync(fsPath(path))),
  list: (directory) => attempt(part, "list", directory, () => fs.readdirSync(fsPath(directory), "utf8")),
  makeDirectory: (path) => attempt(part, "create", path, () => makeDirectory(path)),
  syncDirectory: (directory) => attempt(part, "sync", directory, () => syncDirectory(directory)),
  replaceFile: (path, bytes) => attempt(part, "replace", path, () => replaceFile(path, bytes)),
  space: (path) =>
    attempt(part, "measure the space of", path, () => {
      const { bavail, blocks, bsize } = fs.statfsSync(fsPath(path))
      return { free: bavail * bsize, total: blocks * bsize }
    })
})
