import * as Effect from "effect/Effect"
import { acquireUseRelease } from "../../finalizers/finalizers.ts"
import type { Disk, DiskFile } from "../disk/disk.ts"
import type { StorageError } from "../storage-error.ts"
import { blockLayout } from "./read-block-records.ts"
import { RECORD_HEAD, recordLength } from "./record.ts"
import { applyXor, type XorKey } from "./xor-key.ts"

/** Files with uncommitted blocks, and the offset of the first one in each. */
export type UncommittedBlocks = ReadonlyMap<number, number>

export interface FileFacts {
  readonly disk: Disk
  readonly magic: Uint8Array
  readonly key: XorKey
}

/** Returns the end of the record at `at`, or `undefined` without a whole record. */
const endOfRecord = Effect.fnUntraced(function*(file: DiskFile, { key, magic }: FileFacts, at: number, size: number) {
  const { largest, smallest } = blockLayout(magic, key)
  const head = yield* file.read(at, RECORD_HEAD)
  applyXor(key, head, at)
  const length = head.length < RECORD_HEAD ? undefined : recordLength(head, magic)
  if (length === undefined || length < smallest || length > largest) return undefined
  const end = at + RECORD_HEAD + length
  return end <= size ? end : undefined
})

/** Returns the end of the last of the consecutive whole records from `from` on, in a file of `size` bytes. */
export const wholeBlocksFrom = (
  facts: FileFacts,
  path: string,
  from: number,
  size: number
): Effect.Effect<number, StorageError> =>
  acquireUseRelease(
    facts.disk.open(path, "read"),
    Effect.fnUntraced(function*(file: DiskFile) {
      let at = from
      for (;;) {
        const end = yield* endOfRecord(file, facts, at, size)
        if (end === undefined) return at
        at = end
      }
    }),
    (file) => file.close
  )
