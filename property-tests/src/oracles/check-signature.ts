import { isStrictDer, parseLax } from "./der.ts"
import { fromBigEndian } from "./byte-string.ts"
import { GROUP_ORDER } from "./curve.ts"
import type { NaiveState, NaiveTapscript, Step } from "./machine.ts"
import { findAndDelete } from "./find-and-delete.ts"
import { pushOf } from "./instructions.ts"
import { operand } from "./script-number.ts"
import {
  isTaprootHashType,
  legacySighash,
  type TapscriptExtension,
  taprootSighash,
  witnessV0Sighash
} from "./sighash.ts"
import { laxEcdsaVerifies, schnorrVerifies } from "./signature.ts"
import type { NaiveSpend } from "./spend.ts"
import type { NaiveStack } from "./stack-functions.ts"

/** Whether the signature verified, and the tapscript state after it; or rule and reference error name. */
export type Checked = { readonly success: boolean; readonly tapscript: NaiveTapscript } | string

const isLowS = (signature: Uint8Array): boolean => {
  const rs = parseLax(signature.subarray(0, -1))
  return rs !== undefined && fromBigEndian(rs.subarray(32)) <= GROUP_ORDER / 2n
}

const isDefinedHashType = (signature: Uint8Array): boolean => [1, 2, 3].includes(signature.at(-1)! & 0x7f)

/** What the flags ask of the form of an ECDSA signature; undefined: nothing is wrong. */
export const signatureFormError = (signature: Uint8Array, flags: ReadonlySet<string>): string | undefined => {
  if (signature.length === 0) return undefined
  const strict = flags.has("DERSIG") || flags.has("LOW_S") || flags.has("STRICTENC")
  if (strict && !isStrictDer(signature)) return "SIG-001 SIG_DER"
  if (flags.has("LOW_S") && !isLowS(signature)) return "POL-003 SIG_HIGH_S"
  if (flags.has("STRICTENC") && !isDefinedHashType(signature)) return "POL-001 SIG_HASHTYPE"
  return undefined
}

const isCompressed = (key: Uint8Array): boolean => key.length === 33 && (key[0] === 2 || key[0] === 3)
const isUncompressed = (key: Uint8Array): boolean => key.length === 65 && key[0] === 4

/** What the flags ask of the form of a public key; undefined: nothing is wrong. */
const keyFormError = (key: Uint8Array, flags: ReadonlySet<string>, version: string): string | undefined => {
  if (flags.has("STRICTENC") && !isCompressed(key) && !isUncompressed(key)) return "POL-002 PUBKEYTYPE"
  if (flags.has("WITNESS_PUBKEYTYPE") && version === "witness_v0" && !isCompressed(key)) {
    return "POL-012 WITNESS_PUBKEYTYPE"
  }
  return undefined
}

const ecdsaSuccess = (state: NaiveState, signature: Uint8Array, key: Uint8Array, scriptCode: Uint8Array): boolean => {
  if (signature.length === 0) return false
  const { tx, index, spent } = state.spend
  const hashType = signature.at(-1)!
  const digest = state.version === "base"
    ? legacySighash(tx, index, scriptCode, hashType)
    : witnessV0Sighash(tx, index, scriptCode, spent[index]!.value, hashType)
  return laxEcdsaVerifies(signature.subarray(0, -1), key, digest)
}

/** The Schnorr check of a key path (no extension) or a tapscript; undefined: it verifies. */
export const schnorrError = (
  spend: NaiveSpend,
  signature: Uint8Array,
  key: Uint8Array,
  annex: Uint8Array | undefined,
  extension: TapscriptExtension | undefined
): string | undefined => {
  if (signature.length !== 64 && signature.length !== 65) return "SIG-005 SCHNORR_SIG_SIZE"
  const hashType = signature.length === 65 ? signature[64]! : 0
  if (signature.length === 65 && hashType === 0) return "SIG-006 SCHNORR_SIG_HASHTYPE"
  if (!isTaprootHashType(hashType, spend.tx.outputs.length, spend.index)) return "SIG-006 SCHNORR_SIG_HASHTYPE"
  const digest = taprootSighash(spend.tx, spend.index, spend.spent, hashType, annex, extension)
  return schnorrVerifies(signature.subarray(0, 64), key, digest) ? undefined : "SIG-007 SCHNORR_SIG"
}

const checkTapscript = (state: NaiveState, signature: Uint8Array, key: Uint8Array): Checked => {
  const success = signature.length > 0
  const tapscript = { ...state.tapscript, budget: state.tapscript.budget - (success ? 50 : 0) }
  if (success && tapscript.budget < 0) return "TAP-011 TAPSCRIPT_VALIDATION_WEIGHT"
  if (key.length === 0) return "TAP-012 TAPSCRIPT_EMPTY_PUBKEY"
  if (key.length !== 32) {
    return state.spend.flags.has("DISCOURAGE_UPGRADABLE_PUBKEYTYPE")
      ? "POL-016 DISCOURAGE_UPGRADABLE_PUBKEYTYPE"
      : { success, tapscript }
  }
  if (!success) return { success, tapscript }
  const extension = { leafHash: tapscript.leafHash, separator: state.separator }
  return schnorrError(state.spend, signature, key, tapscript.annex, extension) ?? { success, tapscript }
}

/** The check that OP_CHECKSIG, OP_CHECKSIGVERIFY and OP_CHECKSIGADD share. */
export const checkSignature = (state: NaiveState, signature: Uint8Array, key: Uint8Array): Checked => {
  if (state.version === "tapscript") return checkTapscript(state, signature, key)
  const flags = state.spend.flags
  let scriptCode = state.script.subarray(state.codeStart)
  if (state.version === "base") {
    const deleted = findAndDelete(scriptCode, pushOf(signature))
    if (deleted.found > 0 && flags.has("CONST_SCRIPTCODE")) return "POL-017 SIG_FINDANDDELETE"
    scriptCode = deleted.script
  }
  const formError = signatureFormError(signature, flags) ?? keyFormError(key, flags, state.version)
  if (formError !== undefined) return formError
  const success = ecdsaSuccess(state, signature, key, scriptCode)
  if (!success && signature.length > 0 && flags.has("NULLFAIL")) return "POL-011 NULLFAIL"
  return { success, tapscript: state.tapscript }
}

/** Signatures and keys in script order; every signature must match a key, in order, and both are tried from the top. */
const multisigSuccess = (
  state: NaiveState,
  signatures: ReadonlyArray<Uint8Array>,
  keys: ReadonlyArray<Uint8Array>,
  scriptCode: Uint8Array
): boolean | string => {
  const flags = state.spend.flags
  let signaturesLeft = signatures.length
  let keysLeft = keys.length
  while (signaturesLeft > 0) {
    if (signaturesLeft > keysLeft) return false
    const signature = signatures[signaturesLeft - 1]!
    const key = keys[keysLeft - 1]!
    const formError = signatureFormError(signature, flags) ?? keyFormError(key, flags, state.version)
    if (formError !== undefined) return formError
    if (ecdsaSuccess(state, signature, key, scriptCode)) signaturesLeft--
    keysLeft--
  }
  return true
}

/** The elements of a multisig, taken apart, and what lies below them. */
interface Multisig {
  readonly below: NaiveStack
  readonly dummy: Uint8Array
  readonly signatures: NaiveStack
  readonly keys: NaiveStack
  readonly opcodes: number
}

/** dummy sig… m key… n, read from the top. */
const multisigOnTop = ({ stack, spend: { flags }, ...state }: NaiveState): Multisig | string => {
  const minimal = flags.has("MINIMALDATA")
  if (stack.length < 1) return "OPC-174 INVALID_STACK_OPERATION"
  const keyCount = operand(stack.at(-1)!, 4, minimal)
  if (typeof keyCount === "string") return keyCount
  if (keyCount < 0n || keyCount > 20n) return "OPC-174 PUBKEY_COUNT"
  const opcodes = state.opcodes + Number(keyCount)
  if (opcodes > 201) return "SCR-003 OP_COUNT"
  const keysAt = stack.length - 1 - Number(keyCount)
  if (keysAt < 1) return "OPC-174 INVALID_STACK_OPERATION"
  const signatureCount = operand(stack[keysAt - 1]!, 4, minimal)
  if (typeof signatureCount === "string") return signatureCount
  if (signatureCount < 0n || signatureCount > keyCount) return "OPC-174 SIG_COUNT"
  const signaturesAt = keysAt - 1 - Number(signatureCount)
  if (signaturesAt < 1) return "OPC-174 INVALID_STACK_OPERATION"
  return {
    below: stack.slice(0, signaturesAt - 1),
    dummy: stack[signaturesAt - 1]!,
    signatures: stack.slice(signaturesAt, keysAt - 1),
    keys: stack.slice(keysAt, -1),
    opcodes
  }
}

/** The script code without any of the signatures; only base scripts delete them. */
const multisigCode = (
  { script, codeStart, version, spend }: NaiveState,
  signatures: NaiveStack
): Uint8Array | string => {
  let scriptCode = script.subarray(codeStart)
  if (version !== "base") return scriptCode
  for (const signature of [...signatures].reverse()) {
    const deleted = findAndDelete(scriptCode, pushOf(signature))
    if (deleted.found > 0 && spend.flags.has("CONST_SCRIPTCODE")) return "POL-017 SIG_FINDANDDELETE"
    scriptCode = deleted.script
  }
  return scriptCode
}

/** OP_CHECKMULTISIG and, with `verify`, OP_CHECKMULTISIGVERIFY. */
export const checkMultisig = (state: NaiveState, verify: boolean): Step => {
  const { flags } = state.spend
  if (state.version === "tapscript") return "TAP-013 TAPSCRIPT_CHECKMULTISIG"
  const multisig = multisigOnTop(state)
  if (typeof multisig === "string") return multisig
  const { below, dummy, signatures, keys, opcodes } = multisig
  const scriptCode = multisigCode(state, signatures)
  if (typeof scriptCode === "string") return scriptCode
  const success = multisigSuccess(state, signatures, keys, scriptCode)
  if (typeof success === "string") return success
  if (!success && flags.has("NULLFAIL") && signatures.some((signature) => signature.length > 0)) {
    return "POL-011 NULLFAIL"
  }
  if (flags.has("NULLDUMMY") && dummy.length > 0) return "SIG-008 SIG_NULLDUMMY"
  if (!verify) return { ...state, opcodes, stack: [...below, success ? Uint8Array.of(1) : new Uint8Array(0)] }
  return success ? { ...state, opcodes, stack: below } : "CHECKMULTISIGVERIFY"
}
