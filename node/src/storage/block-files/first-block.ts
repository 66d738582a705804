import { bytesEqual } from "@lockstep/kernel/bytes"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { acquireUseRelease } from "../../finalizers/finalizers.ts"
import type { StorageError } from "../storage-error.ts"
import type { BlockFileInfo, FilePosition } from "./block-files.ts"
import { fileName } from "./file-names.ts"
import type { FileFacts } from "./uncommitted-blocks.ts"
import { RECORD_HEAD, recordHeadFault } from "./record.ts"
import { applyXor } from "./xor-key.ts"

/** Returns the position of the block `bytes` if one of these files begins with it. */
export const findFirstBlock = Effect.fnUntraced(function*(
  { disk, key, magic }: FileFacts,
  directory: string,
  infos: ReadonlyArray<BlockFileInfo>,
  bytes: Uint8Array
): Effect.fn.Return<FilePosition | undefined, StorageError> {
  for (const { blockBytes, file } of infos) {
    const size = RECORD_HEAD + bytes.length
    if (blockBytes < size) continue
    const path = join(directory, fileName("blk", file))
    const record = yield* acquireUseRelease(
      disk.open(path, "read"),
      (opened) => opened.read(0, size),
      (opened) => opened.close
    )
    applyXor(key, record, 0)
    if (recordHeadFault(record, magic, bytes.length) === undefined && bytesEqual(record.subarray(RECORD_HEAD), bytes)) {
      return { file, offset: RECORD_HEAD, size: bytes.length }
    }
  }
  return undefined
})
