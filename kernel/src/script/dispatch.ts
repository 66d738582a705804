import type { Fault } from "./fault.ts"
import type { Machine } from "./machine.ts"
import { opFromAltStack, opToAltStack } from "./op/alt-stack.ts"
import {
  opAdd,
  opBoolAnd,
  opBoolOr,
  opGreaterThan,
  opGreaterThanOrEqual,
  opLessThan,
  opLessThanOrEqual,
  opMax,
  opMin,
  opNumEqual,
  opNumEqualVerify,
  opNumNotEqual,
  opSub
} from "./op/arithmetic-binary.ts"
import { op0NotEqual, op1Add, op1Sub, opAbs, opNegate, opNot } from "./op/arithmetic-unary.ts"
import { opEqual, opEqualVerify } from "./op/equality.ts"
import { opElse, opEndIf, opIf, opNop, opNotIf, opReturn, opVerify } from "./op/flow.ts"
import { opHash160, opHash256, opRipemd160, opSha1, opSha256 } from "./op/hash.ts"
import { opCheckLockTimeVerify, opCheckSequenceVerify } from "./op/locktime.ts"
import { opCheckMultiSig, opCheckMultiSigVerify } from "./op/multisig.ts"
import { opPick, opRoll } from "./op/pick.ts"
import { op1Negate, opSmallInteger, pushData } from "./op/push.ts"
import { opUnknown, opUpgradableNop } from "./op/reserved.ts"
import { opCheckSig, opCheckSigAdd, opCheckSigVerify, opCodeSeparator } from "./op/signature.ts"
import {
  op2Drop,
  op2Dup,
  op2Over,
  op2Rot,
  op2Swap,
  op3Dup,
  opDepth,
  opDrop,
  opDup,
  opIfDup,
  opNip,
  opOver,
  opRot,
  opSize,
  opSwap,
  opTuck
} from "./op/stack.ts"
import { opWithin } from "./op/within.ts"

/** What one opcode does to the machine. */
export type OpcodeHandler = (m: Machine) => Fault

const NAMED: Readonly<Record<number, OpcodeHandler>> = {
  79: op1Negate,
  97: opNop,
  99: opIf,
  100: opNotIf,
  103: opElse,
  104: opEndIf,
  105: opVerify,
  106: opReturn,
  107: opToAltStack,
  108: opFromAltStack,
  109: op2Drop,
  110: op2Dup,
  111: op3Dup,
  112: op2Over,
  113: op2Rot,
  114: op2Swap,
  115: opIfDup,
  116: opDepth,
  117: opDrop,
  118: opDup,
  119: opNip,
  120: opOver,
  121: opPick,
  122: opRoll,
  123: opRot,
  124: opSwap,
  125: opTuck,
  130: opSize,
  135: opEqual,
  136: opEqualVerify,
  139: op1Add,
  140: op1Sub,
  143: opNegate,
  144: opAbs,
  145: opNot,
  146: op0NotEqual,
  147: opAdd,
  148: opSub,
  154: opBoolAnd,
  155: opBoolOr,
  156: opNumEqual,
  157: opNumEqualVerify,
  158: opNumNotEqual,
  159: opLessThan,
  160: opGreaterThan,
  161: opLessThanOrEqual,
  162: opGreaterThanOrEqual,
  163: opMin,
  164: opMax,
  165: opWithin,
  166: opRipemd160,
  167: opSha1,
  168: opSha256,
  169: opHash160,
  170: opHash256,
  171: opCodeSeparator,
  172: opCheckSig,
  173: opCheckSigVerify,
  174: opCheckMultiSig,
  175: opCheckMultiSigVerify,
  176: opUpgradableNop,
  177: opCheckLockTimeVerify,
  178: opCheckSequenceVerify,
  186: opCheckSigAdd
}

const handlerOf = (opcode: number): OpcodeHandler => {
  if (opcode <= 78) return pushData
  if (opcode >= 81 && opcode <= 96) return opSmallInteger
  if (opcode >= 179 && opcode <= 185) return opUpgradableNop
  return NAMED[opcode] ?? opUnknown
}

/** The handler of every opcode, by its byte. The numbers are those of the rule ids `OPC-nnn`. @internal */
export const HANDLERS: ReadonlyArray<OpcodeHandler> = Array.from({ length: 256 }, (_, opcode) => handlerOf(opcode))
