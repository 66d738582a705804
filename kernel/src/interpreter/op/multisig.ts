import { MAX_PUBKEYS_PER_MULTISIG } from "../../constants.ts"
import type { Bytes } from "../../quantities.ts"
import { signatureIsNotInScript } from "../../policy/script-code.ts"
import { failedSignatureIsEmpty } from "../../policy/signature.ts"
import { multisigIsNotTapscript } from "../../taproot/tapscript-rules.ts"
import { type Fault, fault, isBroken, NO_FAULT, type Outcome, YES } from "../../script/fault.ts"
import { ScriptFlag, type ScriptFlags } from "../../script/flags.ts"
import { opcodeCount } from "../../machine/limits.ts"
import { type Machine, peek, push } from "../../machine/machine.ts"
import { ScriptError } from "../../script/script-error.ts"
import { operand, operandFault, truth } from "../script-number.ts"
import { encodingFault, scriptCodeOf, signatureSigns, withoutSignature } from "../check-ecdsa.ts"

/**
 * The element that a multisig takes without using it is empty (BIP147). It is taken because of an off-by-one in the
 * first client.
 *
 * @spec SIG-008 #ac73831e
 */
export const multisigDummyIsNull = (dummy: Bytes, flags: ScriptFlags): Fault =>
  (flags & ScriptFlag.NULLDUMMY) === 0 || dummy.length === 0 ? NO_FAULT : fault("SIG-008", ScriptError.SIG_NULLDUMMY)

/** Positions below the top: the first (topmost) of `keys` keys and of `signatures` signatures, and the dummy. */
interface Layout {
  readonly keys: number
  readonly signatures: number
  readonly firstSignature: number
  readonly dummy: number
}

/** Topmost key: directly below the count of keys. */
const FIRST_KEY = 1

/** The script code without any of the signatures; in witness version 0 as it is. */
const multisigScriptCode = (m: Machine, layout: Layout): Uint8Array => {
  let scriptCode = scriptCodeOf(m)
  for (let i = 0; i < layout.signatures; i++) {
    scriptCode = withoutSignature(m, scriptCode, peek(m, layout.firstSignature + i))
  }
  return scriptCode
}

/**
 * Matches signatures with keys from the top down; a key that does not match is skipped for good. Returns {@link YES} if
 * all signatures found their key. Stops as soon as fewer keys than signatures are left, so that encodings further down
 * are not checked.
 */
const matchSignatures = (m: Machine, layout: Layout, scriptCode: Uint8Array): Outcome => {
  let signature = 0
  for (let key = 0; layout.signatures - signature > 0; key++) {
    if (layout.signatures - signature > layout.keys - key) return NO_FAULT
    const candidate = peek(m, layout.firstSignature + signature)
    const publicKey = peek(m, FIRST_KEY + key)
    const wrong = encodingFault(m, candidate, publicKey)
    if (wrong !== NO_FAULT) return wrong
    if (signatureSigns(m, candidate, publicKey, scriptCode)) signature++
  }
  return YES
}

const failedSignaturesAreEmpty = (m: Machine, layout: Layout): Fault => {
  for (let i = 0; i < layout.signatures; i++) {
    const wrong = failedSignatureIsEmpty(peek(m, layout.firstSignature + i), m.flags)
    if (wrong !== NO_FAULT) return wrong
  }
  return NO_FAULT
}

const judgeMultisig = (m: Machine, layout: Layout): Outcome => {
  const scriptCode = multisigScriptCode(m, layout)
  const inScript = signatureIsNotInScript(scriptCodeOf(m), scriptCode, m.flags)
  if (inScript !== NO_FAULT) return inScript
  const matched = matchSignatures(m, layout, scriptCode)
  if (isBroken(matched)) return matched
  if (matched !== YES) {
    const remains = failedSignaturesAreEmpty(m, layout)
    if (remains !== NO_FAULT) return remains
  }
  const notNull = multisigDummyIsNull(peek(m, layout.dummy), m.flags)
  if (notNull !== NO_FAULT) return notNull
  m.depth -= layout.dummy + 1
  return matched
}

/**
 * Judges a multisig: dummy sig₁…sigₘ m key₁…keyₙ n, 0 ≤ m ≤ n ≤ 20, and removes it from the stack. Returns {@link YES}
 * if every signature, in order, is by one of the keys, in order.
 *
 * @internal
 */
export const checkMultisig = (m: Machine): Outcome => {
  const inTapscript = multisigIsNotTapscript(m.version)
  if (inTapscript !== NO_FAULT) return inTapscript
  if (m.depth < 1) return fault("OPC-174", ScriptError.INVALID_STACK_OPERATION)
  const keys = operand(m, 0)
  if (Number.isNaN(keys)) return operandFault(m, 0)
  if (keys < 0 || keys > MAX_PUBKEYS_PER_MULTISIG) return fault("OPC-174", ScriptError.PUBKEY_COUNT)
  m.opcodes += keys
  const tooMany = opcodeCount(m.opcodes)
  if (tooMany !== NO_FAULT) return tooMany
  const signatureCount = FIRST_KEY + keys
  if (m.depth <= signatureCount) return fault("OPC-174", ScriptError.INVALID_STACK_OPERATION)
  const signatures = operand(m, signatureCount)
  if (Number.isNaN(signatures)) return operandFault(m, signatureCount)
  if (signatures < 0 || signatures > keys) return fault("OPC-174", ScriptError.SIG_COUNT)
  const firstSignature = signatureCount + 1
  const dummy = firstSignature + signatures
  if (m.depth <= dummy) return fault("OPC-174", ScriptError.INVALID_STACK_OPERATION)
  return judgeMultisig(m, { keys, signatures, firstSignature, dummy })
}

/**
 * OP_CHECKMULTISIG: dummy sig₁…sigₘ m key₁…keyₙ n → whether every signature, in order, is by one of the keys, in order.
 *
 * @spec OPC-174 #f280f160
 */
export const opCheckMultiSig = (m: Machine): Fault => {
  const checked = checkMultisig(m)
  if (isBroken(checked)) return checked
  push(m, truth(checked === YES))
  return NO_FAULT
}

/**
 * OP_CHECKMULTISIGVERIFY: the multisig holds.
 *
 * @spec OPC-175 #f34319d3
 */
export const opCheckMultiSigVerify = (m: Machine): Fault => {
  const checked = checkMultisig(m)
  if (isBroken(checked)) return checked
  return checked === YES ? NO_FAULT : fault("OPC-175", ScriptError.CHECKMULTISIGVERIFY)
}
