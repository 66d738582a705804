import type { NaiveOutput, NaiveTransaction } from "./transaction.ts"

/** One input to judge: the transaction, the outputs it spends in input order, the names of the flags that are on. */
export interface NaiveSpend {
  readonly tx: NaiveTransaction
  readonly index: number
  readonly spent: ReadonlyArray<NaiveOutput>
  readonly flags: ReadonlySet<string>
}

export const FLAG_NAMES: ReadonlyArray<string> = [
  "P2SH",
  "STRICTENC",
  "DERSIG",
  "LOW_S",
  "NULLDUMMY",
  "SIGPUSHONLY",
  "MINIMALDATA",
  "DISCOURAGE_UPGRADABLE_NOPS",
  "CLEANSTACK",
  "CHECKLOCKTIMEVERIFY",
  "CHECKSEQUENCEVERIFY",
  "WITNESS",
  "DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM",
  "MINIMALIF",
  "NULLFAIL",
  "WITNESS_PUBKEYTYPE",
  "CONST_SCRIPTCODE",
  "TAPROOT",
  "DISCOURAGE_UPGRADABLE_TAPROOT_VERSION",
  "DISCOURAGE_OP_SUCCESS",
  "DISCOURAGE_UPGRADABLE_PUBKEYTYPE"
]

export const CONSENSUS_FLAG_NAMES: ReadonlyArray<string> = [
  "P2SH",
  "DERSIG",
  "NULLDUMMY",
  "CHECKLOCKTIMEVERIFY",
  "CHECKSEQUENCEVERIFY",
  "WITNESS",
  "TAPROOT"
]

/** `flags` with those that they presuppose: TAPROOT and CLEANSTACK need WITNESS, WITNESS needs P2SH. */
export const closed = (flags: Iterable<string>): ReadonlySet<string> => {
  const all = new Set(flags)
  if (all.has("TAPROOT") || all.has("CLEANSTACK")) all.add("WITNESS")
  if (all.has("WITNESS")) all.add("P2SH")
  return all
}
