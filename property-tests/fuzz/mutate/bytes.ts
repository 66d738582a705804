import { join } from "../../src/oracles/byte-string.ts"
import type { Random } from "../random.ts"

const EDGES: ReadonlyArray<ReadonlyArray<number>> = [
  [0],
  [1],
  [0x7f],
  [0x80],
  [0x81],
  [0xfc],
  [0xff],
  [0xfd, 0xfc, 0],
  [0xfd, 0xfd, 0],
  [0xfd, 0xff, 0xff],
  [0xfe, 0, 0, 1, 0],
  [0xfe, 0, 0, 0, 2],
  [0xfe, 1, 0, 0, 2],
  [0xff, 0, 0, 0, 0, 1, 0, 0, 0],
  [0, 1],
  [0, 0],
  [0x50],
  [0xff, 0xff, 0xff, 0xff],
  [0, 0, 0, 0x80]
]

const replaced = (bytes: Uint8Array, from: number, to: number, part: Uint8Array | ReadonlyArray<number>): Uint8Array =>
  join(bytes.subarray(0, from), part, bytes.subarray(to))

/** `bytes` after one small change; `other` is what it may be spliced with. */
const changedOnce = (bytes: Uint8Array, random: Random, other: Uint8Array): Uint8Array => {
  const at = random.below(bytes.length + 1)
  const end = Math.min(bytes.length, at + 1 + random.below(random.oneIn(4) ? 40 : 4))
  switch (random.below(10)) {
    case 0:
      return at < bytes.length ? replaced(bytes, at, at + 1, [bytes[at]! ^ (1 << random.below(8))]) : bytes
    case 1:
      return replaced(bytes, at, Math.min(bytes.length, at + 1), [random.below(256)])
    case 2:
      return replaced(bytes, at, at, random.pick(EDGES))
    case 3: {
      const edge = random.pick(EDGES)
      return replaced(bytes, at, Math.min(bytes.length, at + edge.length), edge)
    }
    case 4:
      return replaced(bytes, at, end, [])
    case 5:
      return replaced(bytes, at, at, bytes.subarray(at, end))
    case 6:
      return replaced(bytes, at, at, random.bytes(1 + random.below(4)))
    case 7:
      return at < bytes.length ? replaced(bytes, at, at + 1, [bytes[at]! + (random.oneIn(2) ? 1 : -1)]) : bytes
    case 8:
      return replaced(bytes, at, random.oneIn(2) ? end : bytes.length, other.subarray(random.below(other.length + 1)))
    default:
      return bytes.subarray(0, at)
  }
}

/** `bytes` after one to four small changes. */
export const mutateBytes = (bytes: Uint8Array, random: Random, other: Uint8Array = bytes): Uint8Array => {
  let result = bytes
  for (let left = 1 + random.below(4); left > 0; left--) result = changedOnce(result, random, other)
  return result
}
