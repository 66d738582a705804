import type { Bytes } from "../quantities.ts"
import { type Fault, fault, NO_FAULT } from "../script/fault.ts"
import { ScriptFlag, type ScriptFlags } from "../script/flags.ts"
import { ScriptError } from "../script/script-error.ts"
import { SigVersion } from "../machine/machine.ts"
import { isHighS, parseLaxDer } from "../signature/der.ts"

/**
 * The hash type byte is ALL, NONE or SINGLE, with or without ANYONECANPAY. Precondition: `signature` is not empty.
 *
 * @spec POL-001 #ae06758f
 */
export const hashTypeIsDefined = (signature: Bytes, flags: ScriptFlags): Fault => {
  if ((flags & ScriptFlag.STRICTENC) === 0) return NO_FAULT
  const output = signature[signature.length - 1]! & ~0x80
  return output >= 1 && output <= 3 ? NO_FAULT : fault("POL-001", ScriptError.SIG_HASHTYPE)
}

/**
 * A public key is compressed (02, 03) or uncompressed (04), with the length of its form; hybrid forms are out.
 *
 * @spec POL-002 #ed0ec623
 */
export const publicKeyIsStandardForm = (key: Bytes, flags: ScriptFlags): Fault => {
  if ((flags & ScriptFlag.STRICTENC) === 0) return NO_FAULT
  const compressed = key.length === 33 && (key[0] === 2 || key[0] === 3)
  const uncompressed = key.length === 65 && key[0] === 4
  return compressed || uncompressed ? NO_FAULT : fault("POL-002", ScriptError.PUBKEYTYPE)
}

/**
 * s is at most half the group order: of the two signatures that convert into each other without the key, only one is
 * relayed. Precondition: `signature` is strict DER with its hash type.
 *
 * @spec POL-003 #8481be08
 */
export const signatureIsLowS = (signature: Bytes, flags: ScriptFlags): Fault => {
  if ((flags & ScriptFlag.LOW_S) === 0) return NO_FAULT
  // The lax reading takes every strict encoding and ignores what follows s: here the hash type.
  return isHighS(parseLaxDer(signature)!) ? fault("POL-003", ScriptError.SIG_HIGH_S) : NO_FAULT
}

/**
 * A signature that does not verify is empty, so that no third party can replace it by another one.
 *
 * @spec POL-011 #dcf66481
 */
export const failedSignatureIsEmpty = (signature: Bytes, flags: ScriptFlags): Fault =>
  (flags & ScriptFlag.NULLFAIL) === 0 || signature.length === 0 ? NO_FAULT : fault("POL-011", ScriptError.NULLFAIL)

/**
 * In witness version 0 keys are compressed. In a block others are valid.
 *
 * @spec POL-012 #a3ee40ea
 */
export const witnessKeyIsCompressed = (key: Bytes, version: SigVersion, flags: ScriptFlags): Fault => {
  if ((flags & ScriptFlag.WITNESS_PUBKEYTYPE) === 0 || version !== SigVersion.WITNESS_V0) return NO_FAULT
  return key.length === 33 && (key[0] === 2 || key[0] === 3)
    ? NO_FAULT
    : fault("POL-012", ScriptError.WITNESS_PUBKEYTYPE)
}
