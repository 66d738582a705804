/** Names of the opcodes from OP_NOP (97) on, in order, as the reference implementation writes them; a gap is an opcode without one. */
const NAMES_FROM_NOP =
  `NOP VER IF NOTIF VERIF VERNOTIF ELSE ENDIF VERIFY RETURN TOALTSTACK FROMALTSTACK 2DROP 2DUP 3DUP 2OVER 2ROT 2SWAP IFDUP
   DEPTH DROP DUP NIP OVER PICK ROLL ROT SWAP TUCK CAT SUBSTR LEFT RIGHT SIZE INVERT AND OR XOR EQUAL EQUALVERIFY RESERVED1
   RESERVED2 1ADD 1SUB 2MUL 2DIV NEGATE ABS NOT 0NOTEQUAL ADD SUB MUL DIV MOD LSHIFT RSHIFT BOOLAND BOOLOR NUMEQUAL
   NUMEQUALVERIFY NUMNOTEQUAL LESSTHAN GREATERTHAN LESSTHANOREQUAL GREATERTHANOREQUAL MIN MAX WITHIN RIPEMD160 SHA1 SHA256
   HASH160 HASH256 CODESEPARATOR CHECKSIG CHECKSIGVERIFY CHECKMULTISIG CHECKMULTISIGVERIFY NOP1 CHECKLOCKTIMEVERIFY
   CHECKSEQUENCEVERIFY NOP4 NOP5 NOP6 NOP7 NOP8 NOP9 NOP10 CHECKSIGADD`.split(/\s+/)

const NOP = 97

const table = (): ReadonlyMap<string, number> => {
  const opcodes = new Map<string, number>([
    ["FALSE", 0], ["TRUE", 81], ["PUSHDATA1", 76], ["PUSHDATA2", 77], ["PUSHDATA4", 78], ["1NEGATE", 79], ["RESERVED", 80],
    ["NOP2", 177], ["NOP3", 178], ["OP_0", 0]
  ])
  for (let n = 1; n <= 16; n++) opcodes.set(`OP_${n}`, 80 + n)
  NAMES_FROM_NOP.forEach((name, i) => opcodes.set(name, NOP + i))
  for (const [name, opcode] of [...opcodes]) if (!name.startsWith("OP_")) opcodes.set(`OP_${name}`, opcode)
  return opcodes
}

/** Opcodes by name, with and without `OP_`; bare numbers are not names, since in scripts they stand for the number pushed. */
export const OPCODES = table()
