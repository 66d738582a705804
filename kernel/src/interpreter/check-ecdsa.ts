import {
  failedSignatureIsEmpty,
  hashTypeIsDefined,
  publicKeyIsStandardForm,
  signatureIsLowS,
  witnessKeyIsCompressed
} from "../policy/signature.ts"
import { signatureIsNotInScript } from "../policy/script-code.ts"
import { concatBytes } from "../bytes/equal.ts"
import type { Bytes } from "../quantities.ts"
import { legacySighash } from "../sighash/legacy.ts"
import { witnessV0Sighash } from "../sighash/witness-v0.ts"
import { findAndDelete } from "../script/find-and-delete.ts"
import { type Fault, NO_FAULT, type Outcome, YES } from "../script/fault.ts"
import { type Machine, SigVersion } from "../machine/machine.ts"
import { Opcode } from "../script/opcode.ts"
import { ecdsaVerifies } from "../signature/ecdsa.ts"
import { signatureIsStrictDer } from "../signature/der.ts"

/** The encodings of signature and key, in the order whose first failure is reported. @internal */
export const encodingFault = (m: Machine, signature: Uint8Array, key: Uint8Array): Fault => {
  let wrong: Fault = NO_FAULT
  if (signature.length > 0) {
    wrong = signatureIsStrictDer(signature, m.flags)
    if (wrong === NO_FAULT) wrong = signatureIsLowS(signature, m.flags)
    if (wrong === NO_FAULT) wrong = hashTypeIsDefined(signature, m.flags)
  }
  if (wrong === NO_FAULT) wrong = publicKeyIsStandardForm(key, m.flags)
  return wrong === NO_FAULT ? witnessKeyIsCompressed(key, m.version, m.flags) : wrong
}

/** The shortest push of `data` by length alone; small integers are not special here. @internal */
export const pushOf = (data: Uint8Array): Uint8Array => {
  const { length } = data
  const opcode = length < Opcode.OP_PUSHDATA1
    ? Uint8Array.of(length)
    : length <= 0xff
    ? Uint8Array.of(Opcode.OP_PUSHDATA1, length)
    : length <= 0xffff
    ? Uint8Array.of(Opcode.OP_PUSHDATA2, length & 0xff, length >> 8)
    : Uint8Array.of(Opcode.OP_PUSHDATA4, length & 0xff, length >> 8 & 0xff, length >> 16 & 0xff, length >> 24)
  return concatBytes([opcode, data])
}

/** Returns the script after the last executed separator. @internal */
export const scriptCodeOf = (m: Machine): Uint8Array => m.script.subarray(m.separatorOffset)

/**
 * `scriptCode` without pushes of `signature`: legacy signatures could never sign themselves, so they are cut out. A
 * script that is no longer than the signature has no push of it.
 *
 * @internal
 */
export const withoutSignature = (m: Machine, scriptCode: Uint8Array, signature: Uint8Array): Uint8Array =>
  m.version === SigVersion.BASE && scriptCode.length > signature.length
    ? findAndDelete(scriptCode, pushOf(signature))
    : scriptCode

/**
 * Reports whether the signature, hash type included, signs the spend that `m` holds. An empty signature does not.
 *
 * @internal
 */
export const signatureSigns = (m: Machine, signature: Uint8Array, key: Uint8Array, scriptCode: Uint8Array): boolean => {
  const last = signature.length - 1
  if (last < 0) return false
  const { digests, inputIndex, spentOutputs, tx } = m.spend
  const hashType = signature[last]!
  const digest = m.version === SigVersion.BASE
    ? legacySighash(tx, inputIndex, scriptCode, hashType, digests, m.crypto, m.scratch)
    : witnessV0Sighash(
      tx,
      inputIndex,
      scriptCode,
      spentOutputs[inputIndex]!.value,
      hashType,
      digests,
      m.crypto,
      m.scratch
    )
  return ecdsaVerifies(m.crypto, signature.subarray(0, last), key, digest)
}

/**
 * Judges one ECDSA signature: removes it from the script code, checks the encodings, then verifies it. Returns
 * {@link YES} if it verifies, no fault if it merely does not.
 *
 * @spec SIG-009 #4ebc27df
 */
export const checkEcdsaSignature = (m: Machine, signature: Bytes, key: Bytes): Outcome => {
  const whole = scriptCodeOf(m)
  const scriptCode = withoutSignature(m, whole, signature)
  const inScript = signatureIsNotInScript(whole, scriptCode, m.flags)
  if (inScript !== NO_FAULT) return inScript
  const wrong = encodingFault(m, signature, key)
  if (wrong !== NO_FAULT) return wrong
  return signatureSigns(m, signature, key, scriptCode) ? YES : failedSignatureIsEmpty(signature, m.flags)
}
