import type { Fault } from "../script/fault.ts"
import type { Machine } from "../machine/machine.ts"
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
import { Opcode } from "../script/opcode.ts"

/** The effect of one opcode on the machine. */
export type OpcodeHandler = (m: Machine) => Fault

const NAMED: Readonly<Record<number, OpcodeHandler>> = {
  [Opcode.OP_1NEGATE]: op1Negate,
  [Opcode.OP_NOP]: opNop,
  [Opcode.OP_IF]: opIf,
  [Opcode.OP_NOTIF]: opNotIf,
  [Opcode.OP_ELSE]: opElse,
  [Opcode.OP_ENDIF]: opEndIf,
  [Opcode.OP_VERIFY]: opVerify,
  [Opcode.OP_RETURN]: opReturn,
  [Opcode.OP_TOALTSTACK]: opToAltStack,
  [Opcode.OP_FROMALTSTACK]: opFromAltStack,
  [Opcode.OP_2DROP]: op2Drop,
  [Opcode.OP_2DUP]: op2Dup,
  [Opcode.OP_3DUP]: op3Dup,
  [Opcode.OP_2OVER]: op2Over,
  [Opcode.OP_2ROT]: op2Rot,
  [Opcode.OP_2SWAP]: op2Swap,
  [Opcode.OP_IFDUP]: opIfDup,
  [Opcode.OP_DEPTH]: opDepth,
  [Opcode.OP_DROP]: opDrop,
  [Opcode.OP_DUP]: opDup,
  [Opcode.OP_NIP]: opNip,
  [Opcode.OP_OVER]: opOver,
  [Opcode.OP_PICK]: opPick,
  [Opcode.OP_ROLL]: opRoll,
  [Opcode.OP_ROT]: opRot,
  [Opcode.OP_SWAP]: opSwap,
  [Opcode.OP_TUCK]: opTuck,
  [Opcode.OP_SIZE]: opSize,
  [Opcode.OP_EQUAL]: opEqual,
  [Opcode.OP_EQUALVERIFY]: opEqualVerify,
  [Opcode.OP_1ADD]: op1Add,
  [Opcode.OP_1SUB]: op1Sub,
  [Opcode.OP_NEGATE]: opNegate,
  [Opcode.OP_ABS]: opAbs,
  [Opcode.OP_NOT]: opNot,
  [Opcode.OP_0NOTEQUAL]: op0NotEqual,
  [Opcode.OP_ADD]: opAdd,
  [Opcode.OP_SUB]: opSub,
  [Opcode.OP_BOOLAND]: opBoolAnd,
  [Opcode.OP_BOOLOR]: opBoolOr,
  [Opcode.OP_NUMEQUAL]: opNumEqual,
  [Opcode.OP_NUMEQUALVERIFY]: opNumEqualVerify,
  [Opcode.OP_NUMNOTEQUAL]: opNumNotEqual,
  [Opcode.OP_LESSTHAN]: opLessThan,
  [Opcode.OP_GREATERTHAN]: opGreaterThan,
  [Opcode.OP_LESSTHANOREQUAL]: opLessThanOrEqual,
  [Opcode.OP_GREATERTHANOREQUAL]: opGreaterThanOrEqual,
  [Opcode.OP_MIN]: opMin,
  [Opcode.OP_MAX]: opMax,
  [Opcode.OP_WITHIN]: opWithin,
  [Opcode.OP_RIPEMD160]: opRipemd160,
  [Opcode.OP_SHA1]: opSha1,
  [Opcode.OP_SHA256]: opSha256,
  [Opcode.OP_HASH160]: opHash160,
  [Opcode.OP_HASH256]: opHash256,
  [Opcode.OP_CODESEPARATOR]: opCodeSeparator,
  [Opcode.OP_CHECKSIG]: opCheckSig,
  [Opcode.OP_CHECKSIGVERIFY]: opCheckSigVerify,
  [Opcode.OP_CHECKMULTISIG]: opCheckMultiSig,
  [Opcode.OP_CHECKMULTISIGVERIFY]: opCheckMultiSigVerify,
  [Opcode.OP_NOP1]: opUpgradableNop,
  [Opcode.OP_CHECKLOCKTIMEVERIFY]: opCheckLockTimeVerify,
  [Opcode.OP_CHECKSEQUENCEVERIFY]: opCheckSequenceVerify,
  [Opcode.OP_CHECKSIGADD]: opCheckSigAdd
}

const handlerOf = (opcode: number): OpcodeHandler => {
  if (opcode <= Opcode.OP_PUSHDATA4) return pushData
  if (opcode >= Opcode.OP_1 && opcode <= Opcode.OP_16) return opSmallInteger
  if (opcode >= Opcode.OP_NOP4 && opcode <= Opcode.OP_NOP10) return opUpgradableNop
  return NAMED[opcode] ?? opUnknown
}

/** The handler of every opcode, by its byte. @internal */
export const HANDLERS: ReadonlyArray<OpcodeHandler> = Array.from({ length: 256 }, (_, opcode) => handlerOf(opcode))
