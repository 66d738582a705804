import * as Result from "effect/Result"
import { HOLDS, type Verdict, type Violation, violation } from "../verdict.ts"
import { MAX_STANDARD_TX_SIGOPS_COST } from "./constants.ts"

export type SigOpCostTooHigh = Violation<"POL-070", { readonly cost: number }>

/**
 * A transaction takes at most a fifth of a block's signature operations.
 *
 * @spec POL-070 #616ed3b8
 */
export const sigOpCostIsStandard = (cost: number): Verdict<void, SigOpCostTooHigh> =>
  cost <= MAX_STANDARD_TX_SIGOPS_COST ? HOLDS : Result.fail(violation("POL-070", { cost }))
