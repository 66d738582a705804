import type { Crypto } from "../crypto/crypto.ts"
import type { Bytes, Bytes32 } from "../quantities.ts"
import { isDefinedTaprootHashType, SighashType } from "../sighash/hash-type.ts"
import { type Fault, fault, NO_FAULT } from "../script/fault.ts"
import { ScriptError } from "../script/script-error.ts"

/**
 * A taproot signature has 64 bytes, or 65 with an explicit hash type.
 *
 * @spec SIG-005 #97090986
 */
export const schnorrSignatureSize = (signature: Bytes): Fault =>
  signature.length === 64 || signature.length === 65 ? NO_FAULT : fault("SIG-005", ScriptError.SCHNORR_SIG_SIZE)

/**
 * The hash type of a taproot signature is defined, is not an explicit default, and SINGLE has an output to sign.
 * Precondition: SIG-005.
 *
 * @spec SIG-006 #0892e86e
 */
export const schnorrHashType = (signature: Bytes, outputCount: number, inputIndex: number): Fault => {
  if (signature.length === 64) return NO_FAULT
  const hashType = signature[64]!
  if (hashType === SighashType.DEFAULT || !isDefinedTaprootHashType(hashType)) {
    return fault("SIG-006", ScriptError.SCHNORR_SIG_HASHTYPE)
  }
  return (hashType & 3) === SighashType.SINGLE && inputIndex >= outputCount
    ? fault("SIG-006", ScriptError.SCHNORR_SIG_HASHTYPE)
    : NO_FAULT
}

/**
 * The signature is one of `digest` by the x-only `key` (BIP340). Precondition: SIG-005.
 *
 * @spec SIG-007 #d81c5653
 */
export const schnorrSignatureVerifies = (crypto: Crypto, signature: Bytes, key: Bytes32, digest: Bytes32): Fault =>
  crypto.schnorrVerify(signature.subarray(0, 64), key, digest) ? NO_FAULT : fault("SIG-007", ScriptError.SCHNORR_SIG)
