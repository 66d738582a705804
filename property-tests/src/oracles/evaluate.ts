import { checkMultisig, checkSignature } from "./check-signature.ts"
import { instructionAt, isMinimalPush, type NaiveInstruction } from "./instructions.ts"
import { lockTimeHolds, relativeLockHolds } from "./locks.ts"
import type { NaiveState, NaiveTapscript, NaiveVersion, Step } from "./machine.ts"
import { bytesOfNumber, operand, truth } from "./script-number.ts"
import type { NaiveSpend } from "./spend.ts"
import { DISABLED, type NaiveStack, STACK_FUNCTIONS } from "./stack-functions.ts"

/** What an opcode does to more than the main stack; `next` is where the following instruction starts. */
type Handler = (state: NaiveState, next: number, position: number) => Step

const bool = (value: boolean): Uint8Array => (value ? Uint8Array.of(1) : new Uint8Array(0))

const opIf = (state: NaiveState, opcode: number): Step => {
  if (state.branches.includes(false)) return { ...state, branches: [...state.branches, false] }
  const argument = state.stack.at(-1)
  if (argument === undefined) return "INVALID_STACK_OPERATION"
  const isMinimal = argument.length === 0 || (argument.length === 1 && argument[0] === 1)
  if (state.version === "tapscript" && !isMinimal) return "TAP-014 TAPSCRIPT_MINIMALIF"
  if (state.version === "witness_v0" && state.spend.flags.has("MINIMALIF") && !isMinimal) return "POL-010 MINIMALIF"
  return {
    ...state,
    stack: state.stack.slice(0, -1),
    branches: [...state.branches, truth(argument) === (opcode === 99)]
  }
}

const opCheckLockTime: Handler = (state) => {
  if (!state.spend.flags.has("CHECKLOCKTIMEVERIFY")) return state
  if (state.stack.length < 1) return "INVALID_STACK_OPERATION"
  const required = operand(state.stack.at(-1)!, 5, state.spend.flags.has("MINIMALDATA"))
  if (typeof required === "string") return required
  if (required < 0n) return "NEGATIVE_LOCKTIME"
  return lockTimeHolds(required, state.spend) ? state : "UNSATISFIED_LOCKTIME"
}

const opCheckSequence: Handler = (state) => {
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

const opCheckSigAdd: Handler = (state) => {
  if (state.version !== "tapscript") return "SCR-012 BAD_OPCODE"
  if (state.stack.length < 3) return "INVALID_STACK_OPERATION"
  const count = operand(state.stack.at(-2)!, 4, state.spend.flags.has("MINIMALDATA"))
  if (typeof count === "string") return count
  const checked = checkSignature(state, state.stack.at(-3)!, state.stack.at(-1)!)
  if (typeof checked === "string") return checked
  const sum = bytesOfNumber(checked.success ? count + 1n : count)
  return { ...state, tapscript: checked.tapscript, stack: [...state.stack.slice(0, -3), sum] }
}

const opElse: Handler = (state) =>
  state.branches.length === 0
    ? "UNBALANCED_CONDITIONAL"
    : { ...state, branches: [...state.branches.slice(0, -1), !state.branches.at(-1)!] }

const opEndIf: Handler = (state) =>
  state.branches.length === 0 ? "UNBALANCED_CONDITIONAL" : { ...state, branches: state.branches.slice(0, -1) }

const opToAltStack: Handler = (state) =>
  state.stack.length < 1
    ? "INVALID_STACK_OPERATION"
    : { ...state, stack: state.stack.slice(0, -1), alt: [...state.alt, state.stack.at(-1)!] }

const opFromAltStack: Handler = (state) =>
  state.alt.length < 1
    ? "INVALID_ALTSTACK_OPERATION"
    : { ...state, stack: [...state.stack, state.alt.at(-1)!], alt: state.alt.slice(0, -1) }

const opUpgradable: Handler = (state) =>
  state.spend.flags.has("DISCOURAGE_UPGRADABLE_NOPS") ? "POL-008 DISCOURAGE_UPGRADABLE_NOPS" : state

const HANDLERS: Readonly<Record<number, Handler>> = {
  99: (state) => opIf(state, 99),
  100: (state) => opIf(state, 100),
  103: opElse,
  104: opEndIf,
  107: opToAltStack,
  108: opFromAltStack,
  171: (state, next, position) => ({ ...state, codeStart: next, separator: position }),
  172: (state) => opCheckSig(state, false),
  173: (state) => opCheckSig(state, true),
  174: (state) => checkMultisig(state, false),
  175: (state) => checkMultisig(state, true),
  177: opCheckLockTime,
  178: opCheckSequence,
  186: opCheckSigAdd,
  ...Object.fromEntries([176, 179, 180, 181, 182, 183, 184, 185].map((opcode) => [opcode, opUpgradable]))
}

/** One opcode above OP_PUSHDATA4, executed (or a conditional that is not). */
const executed = (state: NaiveState, opcode: number, next: number, position: number): Step => {
  const handler = HANDLERS[opcode]
  if (handler !== undefined) return handler(state, next, position)
  const stackFunction = STACK_FUNCTIONS[opcode]
  if (stackFunction === undefined) return "SCR-012 BAD_OPCODE"
  const outcome = stackFunction(state.stack, state.spend.flags.has("MINIMALDATA"))
  return typeof outcome === "string" ? outcome : { ...state, stack: outcome }
}

/** What an instruction may not be, executed or not; `opcodes` counts it. */
const formError = (
  { version, spend }: NaiveState,
  { opcode, data }: NaiveInstruction,
  opcodes: number
): string | undefined => {
  if (data.length > 520) return "SCR-002 PUSH_SIZE"
  if (version !== "tapscript" && opcodes > 201) return "SCR-003 OP_COUNT"
  if (DISABLED.includes(opcode)) return "SCR-005 DISABLED_OPCODE"
  const separates = opcode === 171 && version === "base"
  return separates && spend.flags.has("CONST_SCRIPTCODE") ? "POL-013 OP_CODESEPARATOR" : undefined
}

const run = (state: NaiveState, { opcode, data, end }: NaiveInstruction, position: number): Step => {
  const executes = !state.branches.includes(false)
  if (opcode > 78) return executes || (opcode >= 99 && opcode <= 104) ? executed(state, opcode, end, position) : state
  if (!executes) return state
  if (state.spend.flags.has("MINIMALDATA") && !isMinimalPush(opcode, data)) return "POL-004 MINIMALDATA"
  return { ...state, stack: [...state.stack, data] }
}

/** The state after the instruction at `at` and where the next one starts, or rule and error name. */
const step = (state: NaiveState, at: number, position: number): readonly [NaiveState, number] | string => {
  const instruction = instructionAt(state.script, at)
  if (instruction === undefined) return "SCR-006 BAD_OPCODE"
  const opcodes = state.opcodes + (instruction.opcode > 96 ? 1 : 0)
  const wrong = formError(state, instruction, opcodes)
  if (wrong !== undefined) return wrong
  const after = run({ ...state, opcodes }, instruction, position)
  if (typeof after === "string") {
    return after.includes(" ") ? after : `OPC-${String(instruction.opcode).padStart(3, "0")} ${after}`
  }
  return after.stack.length + after.alt.length > 1000 ? "SCR-004 STACK_SIZE" : [after, instruction.end]
}

export const NO_TAPSCRIPT: NaiveTapscript = { leafHash: new Uint8Array(32), annex: undefined, budget: 0 }

/** The state before the first instruction. */
export const initialState = (
  stack: NaiveStack,
  script: Uint8Array,
  version: NaiveVersion,
  spend: NaiveSpend,
  tapscript: NaiveTapscript = NO_TAPSCRIPT
): NaiveState => ({
  script,
  version,
  spend,
  tapscript,
  stack,
  alt: [],
  branches: [],
  opcodes: 0,
  codeStart: 0,
  separator: 0xffffffff
})

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
  return state.branches.length > 0
    ? { error: "SCR-010 UNBALANCED_CONDITIONAL", stack: [] }
    : { error: "OK", stack: state.stack }
}
