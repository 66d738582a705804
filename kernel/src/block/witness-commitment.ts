import * as Result from "effect/Result"
import { bytesEqual } from "../bytes/equal.ts"
import type { Crypto } from "../crypto/crypto.ts"
import { type BlockIdentity, type MerkleRoot, witnessTransactionIds } from "../model/block-identity.ts"
import type { Block } from "../model/block.ts"
import type { Transaction } from "../model/transaction.ts"
import { Opcode } from "../script/opcode.ts"
import { HOLDS, type Verdict, type Violation, violation } from "../verdict.ts"
import { merkleRoot } from "./merkle.ts"

export type WitnessNonceSize = Violation<"BLK-011", null>
export type WrongWitnessCommitment = Violation<"BLK-012", { readonly commitment: Uint8Array }>
export type UnexpectedWitness = Violation<"BLK-013", { readonly transaction: number }>

/** OP_RETURN, a push of 36 bytes, and the four bytes that mark a commitment. */
const COMMITMENT_PREFIX = Uint8Array.of(Opcode.OP_RETURN, 36, 0xaa, 0x21, 0xa9, 0xed)
const COMMITMENT_SIZE = 38

const isCommitment = (script: Uint8Array): boolean =>
  script.length >= COMMITMENT_SIZE && bytesEqual(script.subarray(0, COMMITMENT_PREFIX.length), COMMITMENT_PREFIX)

/**
 * The output of a coinbase that commits to the witnesses: the last of that form, or −1.
 *
 * @spec BLK-019 #6bc71ab8
 */
export const witnessCommitmentIndex = (coinbase: Transaction): number => {
  for (let i = coinbase.outputs.length - 1; i >= 0; i--) if (isCommitment(coinbase.outputs[i]!.script)) return i
  return -1
}

/**
 * The witness of the coinbase is one item of 32 bytes. Precondition: a commitment exists.
 *
 * @spec BLK-011 #20f0dc3d
 */
export const witnessNonceSize = (coinbase: Transaction): Verdict<void, WitnessNonceSize> => {
  const { witness } = coinbase.inputs[0]!
  return witness.length === 1 && witness[0]!.length === 32 ? HOLDS : Result.fail(violation("BLK-011", null))
}

/**
 * The commitment is the hash of the witness root and the nonce.
 *
 *     commitment = SHA256d(computed.root ‖ nonce)
 *
 * Precondition: BLK-011; output `index` is the commitment; `computed` is the merkle root of the witness ids.
 *
 * @spec BLK-012 #03a27b8f
 */
export const witnessCommitmentMatches = (
  block: Block,
  index: number,
  computed: MerkleRoot,
  crypto: Crypto
): Verdict<void, WrongWitnessCommitment> => {
  const coinbase = block.transactions[0]!
  const commitment = coinbase.outputs[index]!.script.subarray(COMMITMENT_PREFIX.length, COMMITMENT_SIZE)
  const preimage = new Uint8Array(64)
  preimage.set(computed.root)
  preimage.set(coinbase.inputs[0]!.witness[0]!, 32)
  return bytesEqual(crypto.sha256d(preimage), commitment) ? HOLDS : Result.fail(violation("BLK-012", { commitment }))
}

/**
 * A block without commitment, or before segwit, has no witness.
 *
 * @spec BLK-013 #718876af
 */
export const noWitnessWithoutCommitment = (block: Block): Verdict<void, UnexpectedWitness> => {
  for (let i = 0; i < block.transactions.length; i++) {
    if (block.transactions[i]!.hasWitness) return Result.fail(violation("BLK-013", { transaction: i }))
  }
  return HOLDS
}

/**
 * Checks the witnesses of a block. `expected` is true if segwit is in force. A block that fails is damaged, not
 * invalid: its header alone does not commit to witnesses.
 *
 * @spec BLK-020 #0ea05004
 */
export const checkWitnessCommitment = (
  block: Block,
  identity: BlockIdentity,
  expected: boolean,
  crypto: Crypto
): Verdict<void, Violation> => {
  const coinbase = block.transactions[0]
  const index = expected && coinbase !== undefined ? witnessCommitmentIndex(coinbase) : -1
  if (index < 0) return noWitnessWithoutCommitment(block)
  const size = witnessNonceSize(coinbase!)
  if (Result.isFailure(size)) return size
  const computed = identity.witnessRoot ?? merkleRoot(witnessTransactionIds(block, crypto), crypto)
  return witnessCommitmentMatches(block, index, computed, crypto)
}
