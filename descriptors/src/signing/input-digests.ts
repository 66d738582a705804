import type { Crypto } from "@lockstep/kernel/crypto"
import type { Transaction, TransactionOutput } from "@lockstep/kernel/model"
import {
  legacySighash,
  type SpendDigests,
  spendDigests,
  taprootSighash,
  witnessV0Sighash
} from "@lockstep/kernel/sighash"

const NOTHING = new Uint8Array(0)

/** Digests that signatures of one input sign. */
export interface InputDigests {
  readonly legacy: (script: Uint8Array, hashType: number) => Uint8Array
  readonly witness: (script: Uint8Array, hashType: number) => Uint8Array
  /** Digest for the key of the output; `undefined` if it does not exist for this hash type. */
  readonly taproot: (hashType: number) => Uint8Array | undefined
  /** Digest for a leaf of the tree. */
  readonly tapscript: (leafHash: Uint8Array, hashType: number) => Uint8Array | undefined
}

/** Placeholder output. The digests of witness version 0 do not depend on the other spent outputs. */
const UNKNOWN: TransactionOutput = { value: 0n, script: NOTHING }

/** Placeholder for an unknown output among those that a taproot signature covers. No such signature is valid. */
const UNKNOWN_TAPROOT: TransactionOutput = { value: 0n, script: Uint8Array.of(0x51, 32, ...new Uint8Array(32)) }

const withWitness = (tx: Transaction, witness: ReadonlyArray<Uint8Array>): Transaction => ({
  ...tx,
  inputs: tx.inputs.map((input) => ({ ...input, witness }))
})

/**
 * Computes the parts of digests that all inputs share, once per transaction, in time linear in the inputs.
 * `spentOutputs` is `undefined` unless all are known.
 */
export const sharedDigests = (
  tx: Transaction,
  spentOutputs: ReadonlyArray<TransactionOutput> | undefined,
  crypto: Crypto
): SpendDigests => {
  const unknown = tx.inputs.map(() => UNKNOWN)
  const witnessed = withWitness(tx, [NOTHING])
  return {
    ...spendDigests(withWitness(tx, []), unknown, crypto),
    ...spendDigests(witnessed, unknown, crypto),
    ...spendDigests(witnessed, spentOutputs ?? tx.inputs.map(() => UNKNOWN_TAPROOT), crypto)
  }
}

/** Returns the digests of an input. Precondition: one spent output per input. */
export const inputDigests = (
  tx: Transaction,
  index: number,
  spentOutputs: ReadonlyArray<TransactionOutput>,
  digests: SpendDigests,
  crypto: Crypto
): InputDigests => {
  const tapscript = (leafHash: Uint8Array, hashType: number): Uint8Array | undefined => {
    const extension = { annexHash: NOTHING, leafHash, separatorInstruction: 0xffffffff }
    return taprootSighash(tx, index, spentOutputs, hashType, extension, digests, crypto)
  }
  return {
    legacy: (script, hashType) => legacySighash(tx, index, script, hashType, digests, crypto),
    witness: (script, hashType) => {
      const { value } = spentOutputs[index]!
      return witnessV0Sighash(tx, index, script, value, hashType, digests, crypto)
    },
    taproot: (hashType) => tapscript(NOTHING, hashType),
    tapscript
  }
}
