/** Names of the opcodes from OP_NOP (97) on, in order, as Bitcoin Core writes them; a gap is an opcode without one. */
const NAMES_FROM_NOP =
  `NOP VER IF NOTIF VERIF VERNOTIF ELSE ENDIF VERIFY RETURN TOALTSTACK FROMALTSTACK 2DROP 2DUP 3DUP 2OVER 2ROT 2SWAP IFDUP
   DEPTH DROP DUP NIP OVER PICK ROLL ROT SWAP TUCK CAT SUBSTR LEFT RIGHT SIZE INVERT AND OR XOR EQUAL EQUALVERIFY RESERVED1
   RESERVED2 1ADD 1SUB 2MUL 2DIV NEGATE ABS NOT 0NOTEQUAL ADD SUB MUL DIV MOD LSHIFT RSHIFT BOOLAND BOOLOR NUMEQUAL
   NUMEQUALVERIFY NUMNOTEQUAL LESSTHAN GREATERTHAN LESSTHANOREQUAL GREATERTHANOREQUAL MIN MAX WITHIN RIPEMD160 SHA1 SHA256
   HASH160 HASH256 CODESEPARATOR CHECKSIG CHECKSIGVERIFY CHECKMULTISIG CHECKMULTISIGVERIFY NOP1 CHECKLOCKTIMEVERIFY
   CHECKSEQUENCEVERIFY NOP4 NOP5 NOP6 NOP7 NOP8 NOP9 NOP10 CHECKSIGADD`.split(/\s+/)

const NOP = 97

const OTHER_NAMES: ReadonlyArray<readonly [string, number]> = [
  ["FALSE", 0],
  ["TRUE", 81],
  ["PUSHDATA1", 76],
  ["PUSHDATA2", 77],
  ["PUSHDATA4", 78],
  ["1NEGATE", 79],
  ["RESERVED", 80],
  ["NOP2", 177],
  ["NOP3", 178]
]

const withPrefix = (names: ReadonlyArray<readonly [string, number]>): ReadonlyArray<readonly [string, number]> =>
  names.map(([name, opcode]) => [`OP_${name}`, opcode])

const NAMES = [...OTHER_NAMES, ...NAMES_FROM_NOP.map((name, i) => [name, NOP + i] as const)]
const SMALL_NUMBERS = Array.from({ length: 16 }, (_, i) => [`OP_${i + 1}`, 81 + i] as const)

/**
 * Opcodes by name, with and without `OP_`; bare numbers are not names, since in scripts they stand for the number
 * pushed.
 */
export const OPCODES: ReadonlyMap<string, number> = new Map([
  ...NAMES,
  ...withPrefix(NAMES),
  ["OP_0", 0],
  ...SMALL_NUMBERS
])
