import type { Appraisal } from "@lockstep/kernel/relay"
import type { Transaction } from "@lockstep/kernel/model"
import type { Coin } from "@lockstep/kernel/utxo"
import { checkSpam } from "@lockstep/kernel/spam"
import { HOLDS, type Verdict, type Violation } from "@lockstep/kernel/verdict"
import type { MempoolSettings } from "../../options/settings.ts"

/** Checks the operator's spam rules; none applies by default. Precondition: one coin per input. */
export const spamVerdict = (
  { spam }: Pick<MempoolSettings, "spam">,
  tx: Transaction,
  coins: ReadonlyArray<Coin>,
  { fee, size }: Pick<Appraisal, "fee" | "size">
): Verdict<void, Violation> => spam === undefined ? HOLDS : checkSpam(tx, coins, fee, size, spam)
