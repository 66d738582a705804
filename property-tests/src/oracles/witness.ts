import { sameBytes } from "./byte-string.ts"
import { schnorrError } from "./check-signature.ts"
import { evaluate, NO_TAPSCRIPT } from "./evaluate.ts"
import type { NaiveTapscript, NaiveVersion } from "./machine.ts"
import { sha256 } from "./hash.ts"
import { instructionsOf } from "./instructions.ts"
import { truth } from "./script-number.ts"
import type { NaiveSpend } from "./spend.ts"
import type { NaiveStack } from "./stack-functions.ts"
import { commits, isControlSize, isSuccess, rootOfPath, tapLeafHash } from "./taproot.ts"
import { serializeWitness } from "./transaction.ts"

/** A version (OP_0, OP_1 to OP_16) and one direct push of 2 to 40 bytes, and nothing else. */
export const witnessProgram = (
  script: Uint8Array
): { readonly version: number; readonly program: Uint8Array } | undefined => {
  if (script.length < 4 || script.length > 42 || script[1] !== script.length - 2) return undefined
  const opcode = script[0]!
  if (opcode !== 0 && (opcode < 81 || opcode > 96)) return undefined
  return { version: opcode === 0 ? 0 : opcode - 80, program: script.subarray(2) }
}

const isAnchor = (version: number, program: Uint8Array): boolean =>
  version === 1 && sameBytes(program, Uint8Array.of(0x4e, 0x73))

/** Sizes of the items, then the script, then what it leaves: exactly one element, which is true. */
export const executeWitnessScript = (
  stack: NaiveStack,
  script: Uint8Array,
  version: NaiveVersion,
  spend: NaiveSpend,
  tapscript: NaiveTapscript
): string => {
  if (stack.some((element) => element.length > 520)) return "WIT-008 PUSH_SIZE"
  const result = evaluate(stack, script, version, spend, tapscript)
  if (result.error !== "OK") return result.error
  if (result.stack.length !== 1) return "WIT-009 CLEANSTACK"
  return truth(result.stack[0]!) ? "OK" : "WIT-009 EVAL_FALSE"
}

/** Whether a success opcode stands in the script, or the rule that a cut push in front of every one breaks. */
export const scanForSuccess = (script: Uint8Array): boolean | string => {
  const { instructions, rest } = instructionsOf(script)
  if (instructions.some(({ opcode }) => isSuccess(opcode))) return true
  return rest < script.length ? "TAP-008 BAD_OPCODE" : false
}

const executeTapscript = (
  stack: NaiveStack,
  script: Uint8Array,
  spend: NaiveSpend,
  tapscript: NaiveTapscript
): string => {
  const succeeds = scanForSuccess(script)
  if (typeof succeeds === "string") return succeeds
  if (succeeds) return spend.flags.has("DISCOURAGE_OP_SUCCESS") ? "POL-015 DISCOURAGE_OP_SUCCESS" : "OK"
  if (stack.length > 1000) return "TAP-010 STACK_SIZE"
  return executeWitnessScript(stack, script, "tapscript", spend, tapscript)
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

/** The last of two or more items, when it begins with 0x50. */
export const annexOf = (witness: NaiveStack): Uint8Array | undefined =>
  witness.length >= 2 && witness.at(-1)![0] === 0x50 ? witness.at(-1) : undefined

export const verifyTaproot = (spend: NaiveSpend, program: Uint8Array, witness: NaiveStack): string => {
  if (witness.length === 0) return "TAP-001 WITNESS_PROGRAM_WITNESS_EMPTY"
  const annex = annexOf(witness)
  const items = annex ? witness.slice(0, -1) : witness
  if (items.length === 1) return schnorrError(spend, items[0]!, program, annex, undefined) ?? "OK"
  return verifyScriptPath(spend, program, witness, items, annex)
}

/** `items` is `witness` without its annex. */
export const verifyScriptPath = (
  spend: NaiveSpend,
  program: Uint8Array,
  witness: NaiveStack,
  items: NaiveStack,
  annex: Uint8Array | undefined
): string => {
  const control = items.at(-1)!
  const script = items.at(-2)!
  if (!isControlSize(control.length)) return "TAP-004 TAPROOT_WRONG_CONTROL_SIZE"
  const leafVersion = control[0]! & 0xfe
  const leafHash = tapLeafHash(leafVersion, script)
  if (!commits(program, control, rootOfPath(control, leafHash))) return "TAP-007 WITNESS_PROGRAM_MISMATCH"
  if (leafVersion !== 0xc0) {
    return spend.flags.has("DISCOURAGE_UPGRADABLE_TAPROOT_VERSION")
      ? "POL-014 DISCOURAGE_UPGRADABLE_TAPROOT_VERSION"
      : "OK"
  }
  const budget = serializeWitness(witness).length + 50
  return executeTapscript(items.slice(0, -2), script, spend, { leafHash, annex, budget })
}

/** What a witness program asks; versions and lengths without a meaning hold. */
export const verifyProgram = (spend: NaiveSpend, version: number, program: Uint8Array, isNested: boolean): string => {
  const witness = spend.tx.inputs[spend.index]!.witness
  if (version === 0) return verifyVersionZero(spend, program, witness)
  if (version === 1 && program.length === 32 && !isNested) {
    return spend.flags.has("TAPROOT") ? verifyTaproot(spend, program, witness) : "OK"
  }
  if (!isNested && isAnchor(version, program)) return "OK"
  return spend.flags.has("DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM")
    ? "POL-009 DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM"
    : "OK"
}
