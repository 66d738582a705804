const pushes = Array.from({ length: 76 }, (_, n) => n === 0 ? "0" : `PUSHBYTES_${n}`)
const small = Array.from({ length: 16 }, (_, n) => String(n + 1))
const nops = Array.from({ length: 7 }, (_, n) => `NOP${n + 4}`)

/** The name of every opcode that has one, by number. */
export const OPCODE_NAMES: ReadonlyArray<string> = [
  ...pushes, "PUSHDATA1", "PUSHDATA2", "PUSHDATA4", "1NEGATE", "RESERVED", ...small,
  "NOP", "VER", "IF", "NOTIF", "VERIF", "VERNOTIF", "ELSE", "ENDIF", "VERIFY", "RETURN",
  "TOALTSTACK", "FROMALTSTACK", "2DROP", "2DUP", "3DUP", "2OVER", "2ROT", "2SWAP", "IFDUP", "DEPTH", "DROP", "DUP", "NIP", "OVER",
  "PICK", "ROLL", "ROT", "SWAP", "TUCK", "CAT", "SUBSTR", "LEFT", "RIGHT", "SIZE", "INVERT", "AND", "OR", "XOR",
  "EQUAL", "EQUALVERIFY", "RESERVED1", "RESERVED2", "1ADD", "1SUB", "2MUL", "2DIV", "NEGATE", "ABS", "NOT", "0NOTEQUAL",
  "ADD", "SUB", "MUL", "DIV", "MOD", "LSHIFT", "RSHIFT", "BOOLAND", "BOOLOR", "NUMEQUAL", "NUMEQUALVERIFY", "NUMNOTEQUAL",
  "LESSTHAN", "GREATERTHAN", "LESSTHANOREQUAL", "GREATERTHANOREQUAL", "MIN", "MAX", "WITHIN",
  "RIPEMD160", "SHA1", "SHA256", "HASH160", "HASH256", "CODESEPARATOR", "CHECKSIG", "CHECKSIGVERIFY", "CHECKMULTISIG",
  "CHECKMULTISIGVERIFY", "NOP1", "CHECKLOCKTIMEVERIFY", "CHECKSEQUENCEVERIFY", ...nops, "CHECKSIGADD"
]
