import * as Effect from "effect/Effect"
import type { Disk, DiskFile } from "../disk/disk.ts"
import { dirname } from "node:path"
import { applyXor, NO_XOR, readXorKey, type XorKey } from "./xor-key.ts"

/** Number of bytes of a file that are examined. */
const SAMPLE = 1024 * 1024

const placeOfMagic = (sample: Uint8Array, magic: Uint8Array, key: XorKey): number => {
  const bytes = Buffer.from(sample)
  applyXor(key, bytes, 0)
  const at = bytes.indexOf(magic)
  return at < 0 ? Number.POSITIVE_INFINITY : at
}

/**
 * Detects the key of a block file: that of the `xor.dat` beside it, if the network's magic occurs earlier with the key
 * than without. A block file that was assembled by hand is often not XORed, wherever it is.
 */
export const detectKey = Effect.fnUntraced(function*(disk: Disk, file: DiskFile, magic: Uint8Array) {
  const directory = dirname(file.path)
  const key = yield* readXorKey(disk, directory, yield* disk.list(directory))
  if (key === undefined || key.isZero) return NO_XOR
  const sample = yield* file.read(0, SAMPLE)
  return placeOfMagic(sample, magic, key) <= placeOfMagic(sample, magic, NO_XOR) ? key : NO_XOR
})
