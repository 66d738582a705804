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

/** What signatures of one input sign. */
export interface InputDigests {
  readonly legacy: (script: Uint8Array, hashType: number) => Uint8Array
  readonly witness: (script: Uint8Array, hashType: number) => Uint8Array
  /** By the key of the output itself; none: there is no such thing under this hash type. */
  readonly taproot: (hashType: number) => Uint8Array | undefined
  /** By a leaf of the tree. */
  readonly tapscript: (leafHash: Uint8Array, hashType: number) => Uint8Array | undefined
}

/** What the digests of witness version 0 cover does not depend on the outputs that are spent. */
const UNKNOWN: TransactionOutput = { value: 0n, script: NOTHING }

/** Stands for an output that is not known among those that a signature of taproot covers: no such signature is valid. */
const UNKNOWN_TAPROOT: TransactionOutput = { value: 0n, script: Uint8Array.of(0x51, 32, ...new Uint8Array(32)) }

const withWitness = (tx: Transaction, witness: ReadonlyArray<Uint8Array>): Transaction => ({
  ...tx,
  inputs: tx.inputs.map((input) => ({ ...input, witness }))
})

/**
 * What the digests of all inputs share, whatever these are spent with: it is made once for a transaction, as making it
 * takes as long as there are inputs. `spentOutputs` none: they are not all known.
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

/** Precondition: one spent output per input. */
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
