import type { Crypto } from "@lockstep/kernel/crypto"
import type { Transaction, TransactionOutput } from "@lockstep/kernel/model"
import { legacySighash, spendDigests, taprootSighash, witnessV0Sighash } from "@lockstep/kernel/sighash"

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

/** Precondition: one spent output per input. */
export const inputDigests = (
  tx: Transaction,
  index: number,
  spentOutputs: ReadonlyArray<TransactionOutput>,
  crypto: Crypto
): InputDigests => {
  // Digests are shared by inputs with witnesses, and these inputs may not have theirs yet.
  const witnessed = { ...tx, inputs: tx.inputs.map((input) => ({ ...input, witness: [NOTHING] })) }
  const digests = { ...spendDigests(tx, spentOutputs, crypto), ...spendDigests(witnessed, spentOutputs, crypto) }
  const tapscript = (leafHash: Uint8Array, hashType: number): Uint8Array | undefined => {
    const extension = { annexHash: NOTHING, leafHash, separatorInstruction: 0xffffffff }
    return taprootSighash(tx, index, spentOutputs, hashType, extension, digests, crypto)
  }
  return {
    legacy: (script, hashType) => legacySighash(tx, index, script, hashType, digests, crypto),
    witness: (script, hashType) => {
      const { value } = spentOutputs[index]!
      const needed = digests.witnessV0 === undefined
        ? spendDigests(witnessed, spentOutputs.map(asWitnessV0), crypto)
        : digests
      return witnessV0Sighash(tx, index, script, value, hashType, needed, crypto)
    },
    taproot: (hashType) => tapscript(NOTHING, hashType),
    tapscript
  }
}

/** What the digests of witness version 0 cover does not depend on the outputs that are spent. */
const asWitnessV0 = ({ value }: TransactionOutput): TransactionOutput => ({ value, script: NOTHING })
