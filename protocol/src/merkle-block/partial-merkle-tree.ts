import type { Height } from "@lockstep/kernel/quantities"
import { bytesEqual, concatBytes, encodeCompactSize } from "@lockstep/kernel/bytes"
import { MAX_BLOCK_WEIGHT } from "@lockstep/kernel/constants"
import type { Crypto } from "@lockstep/kernel/crypto"

/** The header of a block, and the part of its merkle tree that proves that some transactions are in it. */
export interface MerkleBlock {
  readonly header: Uint8Array
  readonly transactions: number
  /** Depth first, each 32 bytes. */
  readonly hashes: ReadonlyArray<Uint8Array>
  /** Depth first, in bytes with the lowest bit first. A bit is set if a wanted transaction is at or below the node. */
  readonly bits: Uint8Array
}

/** The ids that a tree proves, and its root. */
export interface ProvenIds {
  readonly root: Uint8Array
  readonly ids: ReadonlyArray<Uint8Array>
}

const MIN_TRANSACTION_WEIGHT = 240
const MAX_TRANSACTIONS = Math.floor(MAX_BLOCK_WEIGHT / MIN_TRANSACTION_WEIGHT)

const widthAt = (transactions: number, height: Height): number => Math.ceil(transactions / 2 ** height)

const heightOf = (transactions: number): number => {
  let height = 0
  while (widthAt(transactions, height) > 1) height++
  return height
}

const parentOf = (left: Uint8Array, right: Uint8Array, crypto: Crypto): Uint8Array =>
  crypto.sha256d(concatBytes([left, right]))

/** All levels of a tree, leaves first. */
const levelsOf = (ids: ReadonlyArray<Uint8Array>, crypto: Crypto): ReadonlyArray<ReadonlyArray<Uint8Array>> => {
  const levels = [ids]
  for (let level = ids; level.length > 1; levels.push(level)) {
    const below = level
    level = Array.from(
      { length: Math.ceil(below.length / 2) },
      (_, i) => parentOf(below[2 * i]!, below[2 * i + 1] ?? below[2 * i]!, crypto)
    )
  }
  return levels
}

const packed = (bits: ReadonlyArray<boolean>): Uint8Array => {
  const bytes = new Uint8Array(Math.ceil(bits.length / 8))
  for (const [i, bit] of bits.entries()) if (bit) bytes[i >> 3]! |= 1 << (i & 7)
  return bytes
}

/**
 * Builds the proof that the transactions marked in `wanted` are in a block with these ids. Precondition: at least one
 * id.
 */
export const merkleBlockOf = (
  header: Uint8Array,
  ids: ReadonlyArray<Uint8Array>,
  wanted: ReadonlyArray<boolean>,
  crypto: Crypto
): MerkleBlock => {
  const levels = levelsOf(ids, crypto)
  const hashes: Array<Uint8Array> = []
  const bits: Array<boolean> = []
  const visit = (height: Height, at: number): void => {
    const isAbove = wanted.slice(at << height, (at + 1) << height).includes(true)
    bits.push(isAbove)
    if (height === 0 || !isAbove) return void hashes.push(levels[height]![at]!)
    visit(height - 1, at * 2)
    if (at * 2 + 1 < levels[height - 1]!.length) visit(height - 1, at * 2 + 1)
  }
  visit(levels.length - 1, 0)
  return { header, transactions: ids.length, hashes, bits: packed(bits) }
}

export const encodeMerkleBlock = ({ bits, hashes, header, transactions }: MerkleBlock): Uint8Array => {
  const count = new Uint8Array(4)
  new DataView(count.buffer).setUint32(0, transactions, true)
  return concatBytes([header, count, encodeCompactSize(hashes.length), ...hashes, encodeCompactSize(bits.length), bits])
}

/**
 * Returns the ids that a tree proves, or `undefined` if the tree is malformed. The caller must compare its root with
 * that of a block.
 */
export const provenIds = ({ bits, hashes, transactions }: MerkleBlock, crypto: Crypto): ProvenIds | undefined => {
  if (transactions > MAX_TRANSACTIONS) return undefined
  // A tree without transactions has no hash, and therefore no root.
  if (hashes.length > transactions || bits.length * 8 < hashes.length) return undefined
  const ids: Array<Uint8Array> = []
  let usedBits = 0
  let usedHashes = 0
  const visit = (height: Height, at: number): Uint8Array | undefined => {
    if (usedBits >= bits.length * 8) return undefined
    const isAbove = ((bits[usedBits >> 3]! >> (usedBits & 7)) & 1) === 1
    usedBits++
    if (height === 0 || !isAbove) {
      const hash = hashes[usedHashes++]
      if (height === 0 && isAbove && hash !== undefined) ids.push(hash)
      return hash
    }
    const left = visit(height - 1, at * 2)
    if (left === undefined) return undefined
    if (at * 2 + 1 >= widthAt(transactions, height - 1)) return parentOf(left, left, crypto)
    const right = visit(height - 1, at * 2 + 1)
    // Two equal branches could prove a transaction that does not exist (CVE-2012-2459).
    return right === undefined || bytesEqual(left, right) ? undefined : parentOf(left, right, crypto)
  }
  const root = visit(heightOf(transactions), 0)
  const isUsedUp = Math.ceil(usedBits / 8) === bits.length && usedHashes === hashes.length
  return root === undefined || !isUsedUp ? undefined : { root, ids }
}
