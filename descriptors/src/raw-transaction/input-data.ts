import { concatBytes } from "@lockstep/kernel/bytes"
import type { Crypto } from "@lockstep/kernel/crypto"
import type { TransactionInput } from "@lockstep/kernel/model"
import { hexOf } from "@lockstep/protocol/hex.ts"
import { isSpentBy, outputsOf, type SpendToSign } from "../psbt/sign/signature-creator.ts"
import { emptyData, type SignatureData } from "../psbt/sign/signature-data.ts"
import { isEncodedSignature } from "../script-text/encoded-signature.ts"
import { scriptKind } from "../script-text/script-kind.ts"
import { inputDigests } from "../signing/input-digests.ts"
import { pushedBy } from "../signing/pushes.ts"

/** The script and the witness of an input. */
type Spending = Pick<TransactionInput, "script" | "witness">

const word = (der: Uint8Array): Uint8Array => {
  const bytes = new Uint8Array(32)
  const digits = der[0] === 0 ? der.subarray(1) : der
  bytes.set(digits.subarray(-32), 32 - Math.min(32, digits.length))
  return bytes
}

/** Returns the 64 bytes r‖s of a signature with a hash type. Precondition: it is strictly encoded. */
const compactOf = (signature: Uint8Array): Uint8Array => {
  const sAt = 4 + signature[3]!
  return concatBytes([word(signature.subarray(4, sAt)), word(signature.subarray(sAt + 2, -1))])
}

/** Returns primitives that record the key of each signature that verifies, by the digits of the signature. */
const noting = (crypto: Crypto, verified: Map<string, Uint8Array>): Crypto => ({
  ...crypto,
  ecdsaVerify: (signature, key, digest) => {
    const isSigned = crypto.ecdsaVerify(signature, key, digest)
    if (isSigned) verified.set(hexOf(signature), key)
    return isSigned
  }
})

/** The innermost script of the output, which runs last, and the elements left for it. */
interface Innermost {
  readonly script: Uint8Array
  readonly elements: ReadonlyArray<Uint8Array>
  readonly isWitness: boolean
}

const lastOf = (elements: ReadonlyArray<Uint8Array>): Uint8Array | undefined => {
  const last = elements.at(-1)
  return last === undefined || last.length === 0 ? undefined : last
}

/** Records the scripts that an input reveals. */
const noteScripts = (output: Uint8Array, { script, witness }: Spending, data: SignatureData): Innermost => {
  let inner: Innermost = { script: output, elements: pushedBy(script), isWitness: false }
  const redeem = lastOf(inner.elements)
  if (scriptKind(inner.script).type === "scripthash" && redeem !== undefined) {
    data.redeemScript = redeem
    inner = { script: redeem, elements: inner.elements.slice(0, -1), isWitness: false }
  }
  const behind = lastOf(witness)
  if (scriptKind(inner.script).type === "witness_v0_scripthash" && behind !== undefined) {
    data.witnessScript = behind
    inner = { script: behind, elements: witness.slice(0, -1), isWitness: true }
  }
  return inner
}

/** Maximum number of signatures of any script, which is that of keys in a multisig. */
const MAX_SIGNATURES = 20

/** Records signatures of an incomplete multisig, in any order. */
const noteMultisig = (spend: SpendToSign, inner: Innermost, data: SignatureData, crypto: Crypto): void => {
  const kind = scriptKind(inner.script)
  const signatures = inner.elements.filter(isEncodedSignature).slice(0, MAX_SIGNATURES)
  if (kind.type !== "multisig" || signatures.length === 0) return
  const digests = inputDigests(spend.tx, spend.index, outputsOf(spend), spend.digests, crypto)
  for (const signature of signatures) {
    const digest = (inner.isWitness ? digests.witness : digests.legacy)(inner.script, signature.at(-1)!)
    for (const key of kind.keys) {
      const id = hexOf(crypto.hash160(key))
      if (data.signatures.has(id) || key[0]! > 4 || !crypto.ecdsaVerify(compactOf(signature), key, digest)) continue
      data.signatures.set(id, { key, signature })
      break
    }
  }
}

/**
 * Returns the data that an input has for spending its output: scripts and valid signatures. Data that spends the output
 * is complete. As in Bitcoin Core a signature counts if executing the scripts reaches it.
 */
export const dataOfSpending = (spend: SpendToSign, spending: Spending, crypto: Crypto): SignatureData => {
  const data = emptyData()
  const verified = new Map<string, Uint8Array>()
  data.script = spending.script
  data.witness = spending.witness
  data.isComplete = isSpentBy(spend, spending.script, spending.witness, noting(crypto, verified))
  if (data.isComplete) return data
  const inner = noteScripts(spend.output.script, spending, data)
  for (const element of [...pushedBy(spending.script), ...spending.witness]) {
    const key = isEncodedSignature(element) ? verified.get(hexOf(compactOf(element))) : undefined
    const id = key && hexOf(crypto.hash160(key))
    if (key !== undefined && !data.signatures.has(id!)) data.signatures.set(id!, { key, signature: element })
  }
  noteMultisig(spend, inner, data, crypto)
  return data
}
