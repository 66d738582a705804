import { checkMerkleRoot, checkWitnessCommitment } from "@lockstep/kernel/block"
import { bytesEqual } from "@lockstep/kernel/bytes"
import type { Crypto } from "@lockstep/kernel/crypto"
import { type Block, blockIdentity, decodeBlock } from "@lockstep/kernel/model"
import * as Result from "effect/Result"

/** Decodes a block and checks that `hash` commits to every bit of it. Returns `undefined` otherwise. */
export const wholeBlock = (bytes: Uint8Array, hash: Uint8Array, crypto: Crypto): Block | undefined => {
  const decoded = decodeBlock(bytes)
  if (Result.isFailure(decoded)) return undefined
  const block = decoded.success
  // Whatever rules were active then: a block with witnesses commits to them.
  const expected = block.transactions.some(({ hasWitness }) => hasWitness)
  const identity = blockIdentity(block, crypto)
  const isWhole = bytesEqual(identity.hash, hash) &&
    Result.isSuccess(checkMerkleRoot(block, identity, crypto)) &&
    Result.isSuccess(checkWitnessCommitment(block, identity, expected, crypto))
  return isWhole ? block : undefined
}

/** Distinguishes whole blocks from damaged ones, faster the second time. */
export interface WholeBlocks {
  /** Decodes a block and checks that `hash` commits to every bit of it. Returns `undefined` otherwise. */
  readonly block: (bytes: Uint8Array, hash: Uint8Array) => Block | undefined
  /** Reports whether `block` would return a block. */
  readonly isWhole: (bytes: Uint8Array, hash: Uint8Array) => boolean
}

/** Number of remembered blocks; each takes about two hundred bytes. */
const MOST_KNOWN = 16_384

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1")

/**
 * Remembers the SHA-256 of whole blocks. Checking them again takes a twentieth of the time, and finds every bit that
 * has changed since.
 */
export const wholeBlocks = (crypto: Crypto, most = MOST_KNOWN): WholeBlocks => {
  const digests = new Map<string, string>()
  const remember = (hash: string, digest: string): void => {
    digests.set(hash, digest)
    if (digests.size > most) digests.delete(digests.keys().next().value!)
  }
  const block = (bytes: Uint8Array, hash: Uint8Array): Block | undefined => {
    const [key, digest] = [textOf(hash), textOf(crypto.sha256(bytes))]
    if (digests.get(key) === digest) {
      const decoded = decodeBlock(bytes)
      return Result.isSuccess(decoded) ? decoded.success : undefined
    }
    const whole = wholeBlock(bytes, hash, crypto)
    if (whole !== undefined) remember(key, digest)
    return whole
  }
  return {
    block,
    isWhole: (bytes, hash) =>
      digests.get(textOf(hash)) === textOf(crypto.sha256(bytes)) || block(bytes, hash) !== undefined
  }
}
