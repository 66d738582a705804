import * as Effect from "effect/Effect"
import { diskError } from "../../../src/storage/disk/disk-error.ts"
import type { Disk, DiskFile } from "../../../src/storage/disk/disk.ts"
import type { StorageError } from "../../../src/storage/storage-error.ts"

/** How a disk fails. A short write leaves half of the bytes behind. */
export type DiskFault = "no-space" | "io-error" | "short-write" | "failed-sync" | "failed-rename"

export const DISK_FAULTS: ReadonlyArray<DiskFault> = [
  "no-space",
  "io-error",
  "short-write",
  "failed-sync",
  "failed-rename"
]

export interface DiskPlan {
  readonly fault: DiskFault
  /** The first operation that fails, counted from 1 over those that this fault concerns. */
  readonly at: number
  /** Whether the ones after it fail too, until `heal`. */
  readonly lasting?: boolean
}

export interface FailingDisk {
  readonly disk: Disk
  /** Operations so far that the fault concerns. */
  readonly count: () => number
  readonly failures: () => number
  /** Nothing fails any more. */
  readonly heal: () => void
}

type Kind = "write" | "create" | "sync" | "rename" | "replace" | "other"

const CONCERNS: Readonly<Record<DiskFault, ReadonlyArray<Kind>>> = {
  "no-space": ["write", "create", "replace"],
  "io-error": ["write", "create", "sync", "rename", "replace", "other"],
  "short-write": ["write", "replace"],
  "failed-sync": ["sync", "replace"],
  "failed-rename": ["rename", "replace"]
}

const CODES: Readonly<Record<DiskFault, string>> = {
  "no-space": "ENOSPC",
  "io-error": "EIO",
  "short-write": "ENOSPC",
  "failed-sync": "EIO",
  "failed-rename": "EIO"
}

/** A disk that does what `disk` does until the plan says otherwise. */
export const makeFailingDisk = (disk: Disk, plan: DiskPlan): FailingDisk => {
  let [count, failures, isHealed] = [0, 0, false]

  const fails = (kind: Kind): boolean => {
    if (!CONCERNS[plan.fault].includes(kind)) return false
    count++
    const hit = !isHealed && (plan.lasting === true ? count >= plan.at : count === plan.at)
    if (hit) failures++
    return hit
  }
  const error = (operation: string, path: string): StorageError =>
    diskError("block-files", operation, path, Object.assign(new Error("injected"), { code: CODES[plan.fault] }))

  const guarded = <A>(
    kind: Kind,
    operation: string,
    path: string,
    run: Effect.Effect<A, StorageError>
  ): Effect.Effect<A, StorageError> => Effect.suspend(() => fails(kind) ? Effect.fail(error(operation, path)) : run)

  const fileOf = (file: DiskFile): DiskFile => ({
    path: file.path,
    write: (bytes, offset) =>
      Effect.suspend(() => {
        if (!fails("write")) return file.write(bytes, offset)
        const failure = Effect.fail(error("write", file.path))
        return plan.fault === "short-write"
          ? Effect.andThen(file.write(bytes.subarray(0, bytes.length >> 1), offset), failure)
          : failure
      }),
    read: (offset, size) => guarded("other", "read", file.path, file.read(offset, size)),
    sync: guarded("sync", "sync", file.path, file.sync),
    truncate: (size) => guarded("other", "truncate", file.path, file.truncate(size)),
    modified: guarded("other", "measure", file.path, file.modified),
    isRemoved: file.isRemoved,
    size: guarded("other", "measure", file.path, file.size),
    close: file.close
  })

  return {
    count: () => count,
    failures: () => failures,
    heal: () => {
      isHealed = true
    },
    disk: {
      open: (path, mode) =>
        Effect.map(guarded(mode === "create" ? "create" : "other", "open", path, disk.open(path, mode)), fileOf),
      rename: (from, to) => guarded("rename", "rename", from, disk.rename(from, to)),
      remove: (path) => guarded("other", "remove", path, disk.remove(path)),
      list: (directory) => guarded("other", "list", directory, disk.list(directory)),
      makeDirectory: (path) => guarded("create", "create", path, disk.makeDirectory(path)),
      syncDirectory: (directory) => guarded("sync", "sync", directory, disk.syncDirectory(directory)),
      replaceFile: (path, bytes) => guarded("replace", "replace", path, disk.replaceFile(path, bytes)),
      space: (path) => guarded("other", "measure the space of", path, disk.space(path))
    }
  }
}
