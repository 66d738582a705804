import { checkMultisig, checkSignature } from "./check-signature.ts"
import { instructionAt, isMinimalPush } from "./instructions.ts"
import { lockTimeHolds, relativeLockHolds } from "./locks.ts"
import { bytesOfNumber, operand, truth } from "./script-number.ts"
import type { NaiveSpend } from "./spend.ts"
import { DISABLED, type NaiveStack, STACK_FUNCTIONS } from "./stack-functions.ts"

export type NaiveVersion = "base" | "witness_v0" | "tapscript"

/** What only tapscript has: the leaf, the annex, and the budget that signatures use up. */
export interface NaiveTapscript {
  readonly leafHash: Uint8Array
  readonly annex: Uint8Array | undefined
  readonly budget: number
}

/** Everything the loop knows between two instructions. */
export interface NaiveState {
  readonly script: Uint8Array
  readonly version: NaiveVersion
  readonly spend: NaiveSpend
  readonly tapscript: NaiveTapscript
  readonly stack: NaiveStack
  readonly alt: NaiveStack
  /** Open conditionals, outermost first: whether the branch is taken. */
  readonly branches: ReadonlyArray<boolean>
  readonly opcodes: number
  /** Where the code that signatures sign starts; the position of that separator in instructions. */
  readonly codeStart: number
  readonly separator: number
}

/** The next state, or what is broken: rule and reference error name; the name alone where the rule is the opcode's own. */
export type Step = NaiveState | string

const bool = (value: boolean): Uint8Array => value ? Uint8Array.of(1) : new Uint8Array(0)

const opIf = (state: NaiveState, opcode: number): Step => {
  if (state.branches.includes(false)) return { ...state, branches: [...state.branches, false] }
  const argument = state.stack.at(-1)
  if (argument === undefined) return "INVALID_STACK_OPERATION"
  const isMinimal = argument.length === 0 || (argument.length === 1 && argument[0] === 1)
  if (state.version === "tapscript" && !isMinimal) return "TAP-014 TAPSCRIPT_MINIMALIF"
  if (state.version === "witness_v0" && state.spend.flags.has("MINIMALIF") && !isMinimal) return "POL-010 MINIMALIF"
  return { ...state, stack: state.stack.slice(0, -1), branches: [...state.branches, truth(argument) === (opcode === 99)] }
}

const opCheckLockTime = (state: NaiveState): Step => {
  if (!state.spend.flags.has("CHECKLOCKTIMEVERIFY")) return state
  if (state.stack.length < 1) return "INVALID_STACK_OPERATION"
  const required = operand(state.stack.at(-1)!, 5, state.spend.flags.has("MINIMALDATA"))
  if (typeof required === "string") return required
  if (required < 0n) return "NEGATIVE_LOCKTIME"
  return lockTimeHolds(required, state.spend) ? state : "UNSATISFIED_LOCKTIME"
}

const opCheckSequence = (state: NaiveState): Step => {
  if (!state.spend.flags.has("CHECKSEQUENCEVERIFY")) return state
  if (state.stack.length < 1) return "INVALID_STACK_OPERATION"
  const required = operand(state.stack.at(-1)!, 5, state.spend.flags.has("MINIMALDATA"))
  if (typeof required === "string") return required
  if (required < 0n) return "NEGATIVE_LOCKTIME"
  return relativeLockHolds(required, state.spend) ? state : "UNSATISFIED_LOCKTIME"
}

const opCheckSig = (state: NaiveState, verify: boolean): Step => {
  if (state.stack.length < 2) return "INVALID_STACK_OPERATION"
  const checked = checkSignature(state, state.stack.at(-2)!, state.stack.at(-1)!)
  if (typeof checked === "string") return checked
  const stack = state.stack.slice(0, -2)
  if (!verify) return { ...state, tapscript: checked.tapscript, stack: [...stack, bool(checked.success)] }
  return checked.success ? { ...state, tapscript: checked.tapscript, stack } : "CHECKSIGVERIFY"
}

const opCheckSigAdd = (state: NaiveState): Step => {
  if (state.version !== "tapscript") return "SCR-012 BAD_OPCODE"
  if (state.stack.length < 3) return "INVALID_STACK_OPERATION"
  const count = operand(state.stack.at(-2)!, 4, state.spend.flags.has("MINIMALDATA"))
  if (typeof count === "string") return count
  const checked = checkSignature(state, state.stack.at(-3)!, state.stack.at(-1)!)
  if (typeof checked === "string") return checked
  const sum = bytesOfNumber(checked.success ? count + 1n : count)
  return { ...state, tapscript: checked.tapscript, stack: [...state.stack.slice(0, -3), sum] }
}

/** One opcode above OP_PUSHDATA4, executed (or a conditional that is not). `next` is where the following one starts. */
const executed = (state: NaiveState, opcode: number, next: number, position: number): Step => {
  const minimal = state.spend.flags.has("MINIMALDATA")
  switch (opcode) {
    case 99:
    case 100: return opIf(state, opcode)
    case 103:
      if (state.branches.length === 0) return "UNBALANCED_CONDITIONAL"
      return { ...state, branches: [...state.branches.slice(0, -1), !state.branches.at(-1)!] }
    case 104:
      return state.branches.length === 0 ? "UNBALANCED_CONDITIONAL" : { ...state, branches: state.branches.slice(0, -1) }
    case 107:
      if (state.stack.length < 1) return "INVALID_STACK_OPERATION"
      return { ...state, stack: state.stack.slice(0, -1), alt: [...state.alt, state.stack.at(-1)!] }
    case 108:
      if (state.alt.length < 1) return "INVALID_ALTSTACK_OPERATION"
      return { ...state, stack: [...state.stack, state.alt.at(-1)!], alt: state.alt.slice(0, -1) }
    case 171: return { ...state, codeStart: next, separator: position }
    case 172: return opCheckSig(state, false)
    case 173: return opCheckSig(state, true)
    case 174: return checkMultisig(state, false)
    case 175: return checkMultisig(state, true)
    case 177: return opCheckLockTime(state)
    case 178: return opCheckSequence(state)
    case 186: return opCheckSigAdd(state)
    case 176:
    case 179:
    case 180:
    case 181:
    case 182:
    case 183:
    case 184:
    case 185: return state.spend.flags.has("DISCOURAGE_UPGRADABLE_NOPS") ? "POL-008 DISCOURAGE_UPGRADABLE_NOPS" : state
  }
  const stackFunction = STACK_FUNCTIONS[opcode]
  if (stackFunction === undefined) return "SCR-012 BAD_OPCODE"
  const outcome = stackFunction(state.stack, minimal)
  return typeof outcome === "string" ? outcome : { ...state, stack: outcome }
}

const isLimited = (state: NaiveState): boolean => state.version !== "tapscript"

/** The state after the instruction at `at` and where the next one starts, or rule and error name. */
const step = (state: NaiveState, at: number, position: number): readonly [NaiveState, number] | string => {
  const flags = state.spend.flags
  const instruction = instructionAt(state.script, at)
  if (instruction === undefined) return "SCR-006 BAD_OPCODE"
  const { opcode, data, end } = instruction
  if (data.length > 520) return "SCR-002 PUSH_SIZE"
  const opcodes = state.opcodes + (opcode > 96 ? 1 : 0)
  if (isLimited(state) && opcodes > 201) return "SCR-003 OP_COUNT"
  if (DISABLED.includes(opcode)) return "SCR-005 DISABLED_OPCODE"
  if (opcode === 171 && state.version === "base" && flags.has("CONST_SCRIPTCODE")) return "POL-013 OP_CODESEPARATOR"
  const executes = !state.branches.includes(false)
  const counted = { ...state, opcodes }
  let after: Step = counted
  if (opcode <= 78) {
    if (executes && flags.has("MINIMALDATA") && !isMinimalPush(opcode, data)) return "POL-004 MINIMALDATA"
    if (executes) after = { ...counted, stack: [...state.stack, data] }
  } else if (executes || (opcode >= 99 && opcode <= 104)) {
    after = executed(counted, opcode, end, position)
  }
  if (typeof after === "string") return after.includes(" ") ? after : `OPC-${String(opcode).padStart(3, "0")} ${after}`
  return after.stack.length + after.alt.length > 1000 ? "SCR-004 STACK_SIZE" : [after, end]
}

export const NO_TAPSCRIPT: NaiveTapscript = { leafHash: new Uint8Array(32), annex: undefined, budget: 0 }

/** The state before the first instruction. */
export const initialState = (
  stack: NaiveStack, script: Uint8Array, version: NaiveVersion, spend: NaiveSpend, tapscript: NaiveTapscript = NO_TAPSCRIPT
): NaiveState =>
  ({ script, version, spend, tapscript, stack, alt: [], branches: [], opcodes: 0, codeStart: 0, separator: 0xffffffff })

/** The state behind the last instruction of the script, or rule and error name of the first that fails. */
export const stateAfter = (...args: Parameters<typeof initialState>): Step => {
  let state = initialState(...args)
  const { script, version } = state
  if (version !== "tapscript" && script.length > 10_000) return "SCR-001 SCRIPT_SIZE"
  let at = 0
  for (let position = 0; at < script.length; position++) {
    const next = step(state, at, position)
    if (typeof next === "string") return next
    ;[state, at] = next
  }
  return state
}

/** `OK` with the stack that evaluation leaves, or rule and error name with none. */
export interface NaiveResult {
  readonly error: string
  readonly stack: NaiveStack
}

/** Evaluates `script` on `stack`, instruction by instruction. */
export const evaluate = (...args: Parameters<typeof stateAfter>): NaiveResult => {
  const state = stateAfter(...args)
  if (typeof state === "string") return { error: state, stack: [] }
  return state.branches.length > 0 ? { error: "SCR-010 UNBALANCED_CONDITIONAL", stack: [] } : { error: "OK", stack: state.stack }
}
