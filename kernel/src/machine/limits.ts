import { MAX_OPS_PER_SCRIPT, MAX_SCRIPT_ELEMENT_SIZE, MAX_SCRIPT_SIZE, MAX_STACK_SIZE } from "../constants.ts"
import type { Bytes } from "../quantities.ts"
import { type Fault, fault, NO_FAULT } from "../script/fault.ts"
import { SigVersion } from "./machine.ts"
import { Opcode } from "../script/opcode.ts"
import { ScriptError } from "../script/script-error.ts"

/** Reports whether the limits on script length and opcode count apply: BIP342 lifted both. @internal */
export const hasLegacyLimits = (version: SigVersion): boolean =>
  version === SigVersion.BASE || version === SigVersion.WITNESS_V0

/**
 * A script that is evaluated outside tapscript has at most {@link MAX_SCRIPT_SIZE} bytes.
 *
 * Creating a longer output is valid; it can only never be spent.
 *
 * @spec SCR-001 #a3c2ce59
 */
export const scriptSize = (script: Bytes, version: SigVersion): Fault =>
  script.length > MAX_SCRIPT_SIZE && hasLegacyLimits(version) ? fault("SCR-001", ScriptError.SCRIPT_SIZE) : NO_FAULT

/**
 * A push has at most {@link MAX_SCRIPT_ELEMENT_SIZE} bytes, also in a branch that is not executed.
 *
 * @spec SCR-002 #2f7d9b2e
 */
export const pushSize = (length: number): Fault =>
  length > MAX_SCRIPT_ELEMENT_SIZE ? fault("SCR-002", ScriptError.PUSH_SIZE) : NO_FAULT

/**
 * Outside tapscript a script has at most {@link MAX_OPS_PER_SCRIPT} opcodes above OP_16, executed or not; a multisig
 * counts each of its keys in addition.
 *
 * @spec SCR-003 #4792213d
 */
export const opcodeCount = (count: number): Fault =>
  count > MAX_OPS_PER_SCRIPT ? fault("SCR-003", ScriptError.OP_COUNT) : NO_FAULT

/**
 * After every instruction both stacks together hold at most {@link MAX_STACK_SIZE} elements.
 *
 * @spec SCR-004 #a33960df
 */
export const stackSize = (depth: number, altDepth: number): Fault =>
  depth + altDepth > MAX_STACK_SIZE ? fault("SCR-004", ScriptError.STACK_SIZE) : NO_FAULT

const isDisabled = (opcode: number): boolean =>
  (opcode >= Opcode.OP_CAT && opcode <= Opcode.OP_RIGHT) || (opcode >= Opcode.OP_INVERT && opcode <= Opcode.OP_XOR) ||
  opcode === Opcode.OP_2MUL || opcode === Opcode.OP_2DIV || (opcode >= Opcode.OP_MUL && opcode <= Opcode.OP_RSHIFT)

/**
 * A disabled opcode fails the script at any position, also in a branch that is not executed (CVE-2010-5137).
 *
 * In tapscript the same bytes are success opcodes, found before evaluation starts.
 *
 * @spec SCR-005 #dfbc404c
 */
export const opcodeIsEnabled = (opcode: number): Fault =>
  isDisabled(opcode) ? fault("SCR-005", ScriptError.DISABLED_OPCODE) : NO_FAULT
