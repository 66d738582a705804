import { bytesEqual } from "@lockstep/kernel/internal/bytes/equal.ts"
import { MalformedVector } from "../formats/malformed.ts"
import { readBytes } from "../formats/read-file.ts"
import type { VectorFile } from "../sources/source.ts"

const FRAME = 8

/** The blocks of a file in which each comes behind the network's magic and its length, as in a block file. */
export const framedBlocks = (file: VectorFile, magic: Uint8Array): ReadonlyArray<Uint8Array> => {
  const bytes = readBytes(file)
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const blocks: Array<Uint8Array> = []
  let at = 0
  while (at < bytes.length) {
    const complete = at + FRAME <= bytes.length && bytesEqual(bytes.subarray(at, at + 4), magic)
    const end = complete ? at + FRAME + view.getUint32(at + 4, true) : Infinity
    if (end > bytes.length) {
      throw new MalformedVector(
        file.display,
        `byte ${at}`,
        "expected the network's magic, a length and that many bytes"
      )
    }
    blocks.push(bytes.subarray(at + FRAME, end))
    at = end
  }
  return blocks
}
