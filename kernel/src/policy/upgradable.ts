import type { Bytes } from "../quantities.ts"
import { type Fault, fault, NO_FAULT } from "../script/fault.ts"
import { ScriptFlag, type ScriptFlags } from "../script/flags.ts"
import { SigVersion } from "../machine/machine.ts"
import { ScriptError } from "../script/script-error.ts"

/** Pay to anchor: version 1, program 4e73. Known, so that it need not be discouraged; anyone can spend it. */
const isAnchor = (version: number, program: Uint8Array): boolean =>
  version === 1 && program.length === 2 && program[0] === 0x4e && program[1] === 0x73

/**
 * An executed NOP that a soft fork may give a meaning stays out of the mempool.
 *
 * @spec POL-008 #f523dce1
 */
export const upgradableNopIsUnused = (flags: ScriptFlags): Fault =>
  (flags & ScriptFlag.DISCOURAGE_UPGRADABLE_NOPS) === 0
    ? NO_FAULT
    : fault("POL-008", ScriptError.DISCOURAGE_UPGRADABLE_NOPS)

/**
 * A witness program whose meaning is still open stays out of the mempool, except a native pay to anchor.
 * Precondition: the program is of no form that witness version 0 or taproot gives a meaning.
 *
 * @spec POL-009 #d39c512a
 */
export const witnessVersionIsKnown = (version: number, program: Bytes, nested: boolean, flags: ScriptFlags): Fault =>
  (flags & ScriptFlag.DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM) === 0 || (!nested && isAnchor(version, program))
    ? NO_FAULT
    : fault("POL-009", ScriptError.DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM)

/**
 * In witness version 0 the argument of OP_IF and OP_NOTIF is empty or the byte 1.
 *
 * @spec POL-010 #7a80c073
 */
export const ifArgumentIsMinimal = (argument: Bytes, version: SigVersion, flags: ScriptFlags): Fault => {
  if ((flags & ScriptFlag.MINIMALIF) === 0 || version !== SigVersion.WITNESS_V0) return NO_FAULT
  return argument.length === 0 || (argument.length === 1 && argument[0] === 1)
    ? NO_FAULT
    : fault("POL-010", ScriptError.MINIMALIF)
}

/**
 * A leaf version whose meaning is still open stays out of the mempool. Precondition: the leaf is no tapscript.
 *
 * @spec POL-014 #cad9aa55
 */
export const leafVersionIsKnown = (flags: ScriptFlags): Fault =>
  (flags & ScriptFlag.DISCOURAGE_UPGRADABLE_TAPROOT_VERSION) === 0
    ? NO_FAULT
    : fault("POL-014", ScriptError.DISCOURAGE_UPGRADABLE_TAPROOT_VERSION)

/**
 * A script that succeeds by a success opcode stays out of the mempool. Precondition: the script has one.
 *
 * @spec POL-015 #73ec0091
 */
export const successOpcodeIsAbsent = (flags: ScriptFlags): Fault =>
  (flags & ScriptFlag.DISCOURAGE_OP_SUCCESS) === 0 ? NO_FAULT : fault("POL-015", ScriptError.DISCOURAGE_OP_SUCCESS)

/**
 * A key type whose meaning is still open stays out of the mempool. Precondition: the key is not 32 bytes long, nor
 * empty.
 *
 * @spec POL-016 #a6413362
 */
export const tapscriptKeyTypeIsKnown = (flags: ScriptFlags): Fault =>
  (flags & ScriptFlag.DISCOURAGE_UPGRADABLE_PUBKEYTYPE) === 0
    ? NO_FAULT
    : fault("POL-016", ScriptError.DISCOURAGE_UPGRADABLE_PUBKEYTYPE)
