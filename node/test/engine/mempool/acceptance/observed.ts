import type { OutPoint, Transaction } from "@lockstep/kernel/model"
import type { PackageOutcome } from "../../../../src/engine/api/mempool-calls.ts"
import { displayHash } from "../../../../src/hex.ts"
import { idOf } from "../loose-transactions.ts"
import { pay, said } from "./payments.ts"

export const shown = (tx: Transaction): string => displayHash(idOf(tx))

export const named = (tx: Transaction): string => `tx ${shown(tx)} (wtxid=${shown(tx)})`

export interface Observed {
  readonly failure: ReadonlyArray<string | boolean | undefined> | undefined
  readonly outcomes: ReadonlyArray<string>
}

export const observed = ({ failure, outcomes }: PackageOutcome): Observed => ({
  failure: failure && [failure.reason, failure.debug, failure.isPolicy],
  outcomes: outcomes.map(said)
})

export const failed = (reason: string, ...outcomes: ReadonlyArray<string>): Observed => ({
  failure: [reason, undefined, false],
  outcomes
})

export const policy = (reason: string, debug: string | undefined, ...outcomes: ReadonlyArray<string>): Observed => ({
  failure: [reason, debug, true],
  outcomes
})

export const passed = (...outcomes: ReadonlyArray<string>): Observed => ({ failure: undefined, outcomes })

export const spend = (
  from: ReadonlyArray<OutPoint>,
  worth: bigint,
  fee: bigint,
  changes: Partial<Parameters<typeof pay>[0]> = {}
) => pay({ from, to: [worth - fee], ...changes })

export const FREE = "min relay fee not met | 0 < 9 [reconsiderable]"
export const MISSING = "bad-txns-inputs-missingorspent [missing inputs]"
