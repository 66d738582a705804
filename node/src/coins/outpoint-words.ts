import type { OutPoint } from "@lockstep/kernel/model"

/** Reads four bytes as a little-endian number. */
export const word = (bytes: Uint8Array, at: number): number =>
  bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)

const mix = (hash: number, value: number): number => {
  const mixed = Math.imul(hash ^ value, 0x9e3779b1)
  return mixed ^ (mixed >>> 15)
}

const finish = (hash: number): number => {
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return mixed ^ (mixed >>> 13)
}

/** {@link hashOutPoint} from words 0, 2, 4 and 6 of the txid and the output index. */
export const hashWords = (seed: number, a: number, b: number, c: number, d: number, vout: number): number =>
  finish(mix(mix(mix(mix(mix(seed, a), b), c), d), vout))

/**
 * Hashes an outpoint evenly. `seed` is drawn when the process starts: an attacker who chooses outpoints could otherwise
 * make every look-up walk over all of them.
 */
export const hashOutPoint = (seed: number, { txid, vout }: OutPoint): number =>
  hashWords(seed, word(txid, 0), word(txid, 8), word(txid, 16), word(txid, 24), vout)

/** Hashes a txid evenly. */
export const hashTransaction = (seed: number, txid: Uint8Array): number =>
  finish(mix(mix(mix(mix(seed, word(txid, 4)), word(txid, 12)), word(txid, 20)), word(txid, 28)))
