/** Scripts as data: opcodes, instructions, flags, errors. */
export { type Fault, fault, type InputFailure, NO_FAULT, type ScriptFailure, violationOf } from "./script/fault.ts"
export { CONSENSUS_FLAGS, ScriptFlag, type ScriptFlagName, type ScriptFlags } from "./script/flags.ts"
export { instructionEnd, isPushOnly, lengthFieldSize } from "./script/instruction.ts"
export { Opcode } from "./script/opcode.ts"
export { SCRIPT_ERROR_NAMES, ScriptError, type ScriptErrorName } from "./script/script-error.ts"
export { witnessProgram } from "./script/witness-program.ts"
