/** The opcodes that code refers to by name; all others are reached through the dispatch table. @internal */
export const Opcode = {
  OP_0: 0,
  PUSHDATA1: 76,
  PUSHDATA2: 77,
  PUSHDATA4: 78,
  OP_1: 81,
  OP_16: 96,
  IF: 99,
  ENDIF: 104,
  DUP: 118,
  EQUAL: 135,
  EQUALVERIFY: 136,
  HASH160: 169,
  CODESEPARATOR: 171,
  CHECKSIG: 172,
  CHECKSIGVERIFY: 173,
  CHECKMULTISIG: 174,
  CHECKMULTISIGVERIFY: 175
} as const
