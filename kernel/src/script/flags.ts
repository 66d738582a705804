/**
 * Which rules a script is judged under, as one bit each. The bits are Bitcoin Core's.
 * Consensus and policy flags share the word because one interpreter serves both; `CONSENSUS_FLAGS` separates them.
 */
export const ScriptFlag = {
  NONE: 0,
  P2SH: 1 << 0,
  STRICTENC: 1 << 1,
  DERSIG: 1 << 2,
  LOW_S: 1 << 3,
  NULLDUMMY: 1 << 4,
  SIGPUSHONLY: 1 << 5,
  MINIMALDATA: 1 << 6,
  DISCOURAGE_UPGRADABLE_NOPS: 1 << 7,
  CLEANSTACK: 1 << 8,
  CHECKLOCKTIMEVERIFY: 1 << 9,
  CHECKSEQUENCEVERIFY: 1 << 10,
  WITNESS: 1 << 11,
  DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM: 1 << 12,
  MINIMALIF: 1 << 13,
  NULLFAIL: 1 << 14,
  WITNESS_PUBKEYTYPE: 1 << 15,
  CONST_SCRIPTCODE: 1 << 16,
  TAPROOT: 1 << 17,
  DISCOURAGE_UPGRADABLE_TAPROOT_VERSION: 1 << 18,
  DISCOURAGE_OP_SUCCESS: 1 << 19,
  DISCOURAGE_UPGRADABLE_PUBKEYTYPE: 1 << 20
} as const

export type ScriptFlagName = keyof typeof ScriptFlag

/** A set of {@link ScriptFlag} bits. `WITNESS` implies `P2SH`, `TAPROOT` implies `WITNESS`: the caller sees to it. */
export type ScriptFlags = number

/** The flags that decide whether a block is valid; all others are policy. */
export const CONSENSUS_FLAGS: ScriptFlags = ScriptFlag.P2SH | ScriptFlag.DERSIG | ScriptFlag.NULLDUMMY |
  ScriptFlag.CHECKLOCKTIMEVERIFY | ScriptFlag.CHECKSEQUENCEVERIFY | ScriptFlag.WITNESS | ScriptFlag.TAPROOT
