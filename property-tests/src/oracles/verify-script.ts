import { sameBytes } from "./byte-string.ts"
import { schnorrError } from "./check-signature.ts"
import { evaluate, NO_TAPSCRIPT, type NaiveTapscript, type NaiveVersion } from "./evaluate.ts"
import { sha256 } from "./hash.ts"
import { instructionsOf, isPushOnly, pushOf } from "./instructions.ts"
import { truth } from "./script-number.ts"
import type { NaiveSpend } from "./spend.ts"
import type { NaiveStack } from "./stack-functions.ts"
import { commits, isControlSize, isSuccess, rootOfPath, tapLeafHash } from "./taproot.ts"
import { serializeWitness } from "./transaction.ts"

/** OP_HASH160, a push of 20 bytes, OP_EQUAL, and nothing else. */
export const isPayToScriptHash = (script: Uint8Array): boolean =>
  script.length === 23 && script[0] === 169 && script[1] === 20 && script[22] === 135

/** A version (OP_0, OP_1 to OP_16) and one direct push of 2 to 40 bytes, and nothing else. */
export const witnessProgram = (script: Uint8Array): { readonly version: number; readonly program: Uint8Array } | undefined => {
  if (script.length < 4 || script.length > 42 || script[1] !== script.length - 2) return undefined
  const opcode = script[0]!
  if (opcode !== 0 && (opcode < 81 || opcode > 96)) return undefined
  return { version: opcode === 0 ? 0 : opcode - 80, program: script.subarray(2) }
}

const isAnchor = (version: number, program: Uint8Array): boolean => version === 1 && sameBytes(program, Uint8Array.of(0x4e, 0x73))

/** The top decides. */
const isTrueOnTop = (stack: NaiveStack): boolean => stack.length > 0 && truth(stack.at(-1)!)

const executeWitnessScript = (
  stack: NaiveStack, script: Uint8Array, version: NaiveVersion, spend: NaiveSpend, tapscript: NaiveTapscript
): string => {
  if (version === "tapscript") {
    const { instructions, rest } = instructionsOf(script)
    if (instructions.some(({ opcode }) => isSuccess(opcode))) {
      return spend.flags.has("DISCOURAGE_OP_SUCCESS") ? "POL-015 DISCOURAGE_OP_SUCCESS" : "OK"
    }
    if (rest < script.length) return "TAP-008 BAD_OPCODE"
    if (stack.length > 1000) return "TAP-010 STACK_SIZE"
  }
  if (stack.some((element) => element.length > 520)) return "WIT-008 PUSH_SIZE"
  const result = evaluate(stack, script, version, spend, tapscript)
  if (result.error !== "OK") return result.error
  if (result.stack.length !== 1) return "WIT-009 CLEANSTACK"
  return isTrueOnTop(result.stack) ? "OK" : "WIT-009 EVAL_FALSE"
}

const verifyVersionZero = (spend: NaiveSpend, program: Uint8Array, witness: NaiveStack): string => {
  if (program.length === 32) {
    if (witness.length === 0) return "WIT-007 WITNESS_PROGRAM_WITNESS_EMPTY"
    const script = witness.at(-1)!
    if (!sameBytes(sha256(script), program)) return "WIT-007 WITNESS_PROGRAM_MISMATCH"
    return executeWitnessScript(witness.slice(0, -1), script, "witness_v0", spend, NO_TAPSCRIPT)
  }
  if (program.length !== 20) return "WIT-005 WITNESS_PROGRAM_WRONG_LENGTH"
  if (witness.length !== 2) return "WIT-006 WITNESS_PROGRAM_MISMATCH"
  const script = Uint8Array.of(118, 169, 20, ...program, 136, 172)
  return executeWitnessScript(witness, script, "witness_v0", spend, NO_TAPSCRIPT)
}

const verifyTaproot = (spend: NaiveSpend, program: Uint8Array, witness: NaiveStack): string => {
  if (witness.length === 0) return "TAP-001 WITNESS_PROGRAM_WITNESS_EMPTY"
  const last = witness.at(-1)!
  const annex = witness.length >= 2 && last[0] === 0x50 ? last : undefined
  const items = annex ? witness.slice(0, -1) : witness
  if (items.length === 1) return schnorrError(spend, items[0]!, program, annex, undefined) ?? "OK"
  const control = items.at(-1)!
  const script = items.at(-2)!
  if (!isControlSize(control.length)) return "TAP-004 TAPROOT_WRONG_CONTROL_SIZE"
  const leafVersion = control[0]! & 0xfe
  const leafHash = tapLeafHash(leafVersion, script)
  if (!commits(program, control, rootOfPath(control, leafHash))) return "TAP-007 WITNESS_PROGRAM_MISMATCH"
  if (leafVersion !== 0xc0) {
    return spend.flags.has("DISCOURAGE_UPGRADABLE_TAPROOT_VERSION") ? "POL-014 DISCOURAGE_UPGRADABLE_TAPROOT_VERSION" : "OK"
  }
  const budget = serializeWitness(witness).length + 50
  return executeWitnessScript(items.slice(0, -2), script, "tapscript", spend, { leafHash, annex, budget })
}

const verifyProgram = (spend: NaiveSpend, version: number, program: Uint8Array, isNested: boolean): string => {
  const witness = spend.tx.inputs[spend.index]!.witness
  if (version === 0) return verifyVersionZero(spend, program, witness)
  if (version === 1 && program.length === 32 && !isNested) {
    return spend.flags.has("TAPROOT") ? verifyTaproot(spend, program, witness) : "OK"
  }
  if (!isNested && isAnchor(version, program)) return "OK"
  return spend.flags.has("DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM") ? "POL-009 DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM" : "OK"
}

/** Rule and reference name of the first error of an input, or `OK`. Precondition: the flags are closed. */
export const verifyScript = (spend: NaiveSpend): string => {
  const { flags } = spend
  const { script: scriptSig, witness } = spend.tx.inputs[spend.index]!
  const scriptPubKey = spend.spent[spend.index]!.script
  if (flags.has("SIGPUSHONLY") && !isPushOnly(scriptSig)) return "POL-007 SIG_PUSHONLY"
  const pushed = evaluate([], scriptSig, "base", spend)
  if (pushed.error !== "OK") return pushed.error
  const result = evaluate(pushed.stack, scriptPubKey, "base", spend)
  if (result.error !== "OK") return result.error
  if (!isTrueOnTop(result.stack)) return "SCR-011 EVAL_FALSE"
  let final = result.stack
  let hadProgram = false
  const native = flags.has("WITNESS") ? witnessProgram(scriptPubKey) : undefined
  if (native !== undefined) {
    hadProgram = true
    if (scriptSig.length > 0) return "WIT-002 WITNESS_MALLEATED"
    const error = verifyProgram(spend, native.version, native.program, false)
    if (error !== "OK") return error
    final = [final[0]!]
  }
  if (flags.has("P2SH") && isPayToScriptHash(scriptPubKey)) {
    if (!isPushOnly(scriptSig)) return "SCR-021 SIG_PUSHONLY"
    const redeemScript = pushed.stack.at(-1)!
    const redeemed = evaluate(pushed.stack.slice(0, -1), redeemScript, "base", spend)
    if (redeemed.error !== "OK") return redeemed.error
    if (!isTrueOnTop(redeemed.stack)) return "SCR-011 EVAL_FALSE"
    final = redeemed.stack
    const nested = flags.has("WITNESS") ? witnessProgram(redeemScript) : undefined
    if (nested !== undefined) {
      hadProgram = true
      if (!sameBytes(scriptSig, pushOf(redeemScript))) return "WIT-003 WITNESS_MALLEATED_P2SH"
      const error = verifyProgram(spend, nested.version, nested.program, true)
      if (error !== "OK") return error
      final = [final[0]!]
    }
  }
  if (flags.has("CLEANSTACK") && final.length !== 1) return "POL-006 CLEANSTACK"
  if (flags.has("WITNESS") && !hadProgram && witness.length > 0) return "WIT-004 WITNESS_UNEXPECTED"
  return "OK"
}
