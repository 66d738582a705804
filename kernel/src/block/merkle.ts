import type { Crypto } from "../crypto/crypto.ts"
import type { MerkleRoot } from "../model/block-identity.ts"
import type { Bytes } from "../quantities.ts"

const pairIsTwins = (level: Uint8Array, at: number): boolean => {
  for (let i = 0; i < 32; i++) if (level[at + i] !== level[at + 32 + i]) return false
  return true
}

/**
 * The merkle root of `hashes` (n·32 bytes one after another; no hash gives 32 zero bytes).
 *
 * A level of odd length repeats its last hash, so a list and the same list with its tail repeated have one root
 * (CVE-2012-2459). `mutated` distinguishes the second from the first: two equal siblings that were both given. It says
 * that this list must not be used, not that the block with this root is invalid.
 *
 * @spec BLK-001 #160142fa
 */
export const merkleRoot = (hashes: Bytes, crypto: Crypto): MerkleRoot => {
  let count = hashes.length / 32
  if (count === 0) return { root: new Uint8Array(32), mutated: false }
  let level = hashes
  let mutated = false
  while (count > 1) {
    for (let pair = 0; pair < count >> 1 && !mutated; pair++) mutated = pairIsTwins(level, pair * 64)
    let pairs = level
    if ((count & 1) === 1) {
      pairs = new Uint8Array((count + 1) * 32)
      pairs.set(level)
      pairs.set(level.subarray((count - 1) * 32), count * 32)
      count++
    }
    level = crypto.sha256dPairs(pairs)
    count /= 2
  }
  return { root: new Uint8Array(level), mutated }
}
