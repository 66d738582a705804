import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { dirname } from "node:path"
import type { Disk, DiskFile } from "../../src/storage/disk/disk.ts"
import { type Cut, type DiskModel, diskModel, type Tree } from "./disk-model.ts"
import type { Operation } from "./recording.ts"

/** A disk that does what `disk` does and shows each operation to a model of it. */
export interface RecordingDisk {
  readonly disk: Disk
  readonly survivors: (cut: Cut) => Tree
}

/**
 * Records what is done below `root`, which has to be empty. `onOperation` is called behind each operation, so that a
 * test can cut the power there.
 */
export const recordingDisk = (
  disk: Disk,
  root: string,
  onOperation: (operation: Operation) => void = () => {}
): RecordingDisk => {
  const model: DiskModel = diskModel()
  const inodes = new Map<string, bigint>()
  let lastInode = 0n

  const seen = (operation: Operation): void => {
    model.apply(operation)
    onOperation(operation)
  }
  const shown = (path: string): string => path.slice(root.length)
  const inodeOf = (path: string): bigint => {
    const inode = inodes.get(path) ?? ++lastInode
    inodes.set(path, inode)
    return inode
  }
  const openedFile = (path: string, isCreated: boolean): bigint => {
    const inode = inodeOf(path)
    seen({ _tag: "Open", path: shown(path), inode, isCreated, isEmptied: false })
    return inode
  }
  const synced = (path: string): void => seen({ _tag: "Sync", inode: openedFile(path, false) })
  const made = (path: string): void => {
    if (path.length <= root.length || inodes.has(path)) return
    made(dirname(path))
    inodeOf(path)
    seen({ _tag: "MakeDirectory", path: shown(path) })
    synced(dirname(path))
  }
  const renamed = (from: string, to: string): void => {
    inodes.set(to, inodeOf(from))
    inodes.delete(from)
    seen({ _tag: "Rename", from: shown(from), to: shown(to) })
  }

  const fileOf = (file: DiskFile, inode: bigint): DiskFile => ({
    ...file,
    write: (bytes, offset) => {
      const written = Uint8Array.from(bytes)
      return Effect.tap(
        file.write(bytes, offset),
        () => Effect.sync(() => seen({ _tag: "Write", inode, offset, bytes: written, isDurable: false }))
      )
    },
    sync: Effect.tap(file.sync, () => Effect.sync(() => seen({ _tag: "Sync", inode }))),
    truncate: (size) =>
      Effect.tap(file.truncate(size), () => Effect.sync(() => seen({ _tag: "Truncate", inode, size })))
  })

  return {
    survivors: model.survivors,
    disk: {
      ...disk,
      open: (path, mode) =>
        Effect.suspend(() => {
          const isCreated = mode === "create" && !fs.existsSync(path)
          return Effect.map(disk.open(path, mode), (file) => fileOf(file, openedFile(path, isCreated)))
        }),
      rename: (from, to) => Effect.tap(disk.rename(from, to), () => Effect.sync(() => renamed(from, to))),
      remove: (path) =>
        Effect.tap(disk.remove(path), () =>
          Effect.sync(() => {
            inodes.delete(path)
            seen({ _tag: "Unlink", path: shown(path) })
          })),
      makeDirectory: (path) => Effect.tap(disk.makeDirectory(path), () => Effect.sync(() => made(path))),
      syncDirectory: (path) => Effect.tap(disk.syncDirectory(path), () => Effect.sync(() => synced(path))),
      // In the order that `replaced-files.test.ts` holds the real one to.
      replaceFile: (path, bytes) =>
        Effect.tap(disk.replaceFile(path, bytes), () =>
          Effect.sync(() => {
            const inode = openedFile(`${path}.new`, true)
            seen({ _tag: "Write", inode, offset: 0, bytes: Uint8Array.from(bytes), isDurable: false })
            seen({ _tag: "Sync", inode })
            renamed(`${path}.new`, path)
            synced(dirname(path))
          }))
    }
  }
}
