import type { Bytes, Bytes32 } from "../quantities.ts"
import { type Fault, NO_FAULT } from "../script/fault.ts"
import type { Machine } from "../machine/machine.ts"
import { schnorrHashType, schnorrSignatureSize, schnorrSignatureVerifies } from "../signature/schnorr.ts"
import { SighashType } from "../sighash/hash-type.ts"
import { taprootSighash } from "../sighash/taproot.ts"

/**
 * Judges a Schnorr signature over the spend that `m` holds, by the x-only `key`: size, hash type, signature. It commits
 * to the annex and, when `m` runs a leaf, to that leaf. Serves both paths of taproot.
 *
 * @spec TAP-003 #5a5b4764
 */
export const checkTaprootSignature = (m: Machine, signature: Bytes, key: Bytes32): Fault => {
  const { digests, inputIndex, spentOutputs, tx } = m.spend
  const wrongSize = schnorrSignatureSize(signature)
  if (wrongSize !== NO_FAULT) return wrongSize
  const wrongType = schnorrHashType(signature, tx.outputs.length, inputIndex)
  if (wrongType !== NO_FAULT) return wrongType
  const hashType = signature.length === 64 ? SighashType.DEFAULT : signature[64]!
  // SIG-006 has excluded the hash types that have no hash.
  const digest = taprootSighash(tx, inputIndex, spentOutputs, hashType, m, digests, m.crypto, m.scratch)!
  return schnorrSignatureVerifies(m.crypto, signature, key, digest)
}
