import type { Transaction } from "@lockstep/kernel/model"
import type * as Effect from "effect/Effect"
import { unixSeconds, type UnixSeconds } from "../../../quantities.ts"
import type { TransactionOutcome } from "../../api/mempool-calls.ts"
import type { ScriptPoolFailure } from "../../script-pool/script-pool.ts"
import type { Acceptance, MempoolContext } from "../contract.ts"
import type { Fork } from "../verify-unconfirmed.ts"
import { acceptAncestorPackage } from "./ancestor-package.ts"
import { acceptPackage } from "./package.ts"
import { makeRig, singly } from "./rig.ts"
import { acceptSingle, inThisTurn, type Turn } from "./single.ts"
import { testPackage } from "./test-package.ts"

/** Acceptance that need not hold the writer's turn all the time. */
export interface TurnTakingAcceptance extends Acceptance {
  /**
   * Accepts a transaction and takes the writer's turn itself when it needs it. Several may run at a time: workers
   * verify their scripts in parallel.
   */
  readonly acceptInTurns: <E>(
    turn: Turn<E>,
    tx: Transaction,
    options?: { readonly time?: UnixSeconds; readonly isTest?: boolean }
  ) => Effect.Effect<TransactionOutcome, E | ScriptPoolFailure>
}

/** Acceptance to the mempool with the rules of Bitcoin Core. `fork` supervises the verification of scripts. */
export const makeAcceptance = (context: MempoolContext, fork: Fork): TurnTakingAcceptance => {
  const rig = makeRig(context, fork)
  const now = () => unixSeconds(context.engine.clock.now())
  return {
    accept: (tx, { bypassLimits = false, isSaved = false, time = now() } = {}) =>
      acceptSingle(rig, inThisTurn, tx, {
        manner: singly(rig, bypassLimits),
        time,
        isTest: false,
        isInPackage: false,
        isSaved
      }),
    test: (tx) =>
      acceptSingle(rig, inThisTurn, tx, { manner: singly(rig), time: now(), isTest: true, isInPackage: false }),
    acceptInTurns: (turn, tx, { isTest = false, time = now() } = {}) =>
      acceptSingle(rig, turn, tx, { manner: singly(rig), time, isTest, isInPackage: false }),
    acceptPackage: (transactions, maxFeerate) => acceptPackage(rig, transactions, maxFeerate),
    acceptAncestorPackage: (transactions, maxFeerate) => acceptAncestorPackage(rig, transactions, maxFeerate),
    testPackage: (transactions) => testPackage(rig, transactions)
  }
}
