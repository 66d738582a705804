import * as Result from "effect/Result"
import type { ScriptFailure } from "../script/fault.ts"
import type { Verdict, Violation } from "../verdict.ts"
import type { Collected } from "./collect.ts"

/**
 * The verdict on a block, once its scripts are judged. `scriptFailure` is that of the earliest job that failed, none
 * when all hold or when they are assumed to.
 *
 * A failed script comes before whatever else was found: it stands in an earlier transaction, or before the coinbase is
 * weighed against the fees. Of what was collected nothing else is looked at, so no more of it need be kept till then.
 *
 * @spec UTX-011 #7b2cff68
 */
export const concludeBlock = <A extends Pick<Collected, "failure">>(
  collected: A,
  scriptFailure: ScriptFailure | undefined
): Verdict<A, Violation> => {
  const failure = scriptFailure ?? collected.failure
  return failure === undefined ? Result.succeed(collected) : Result.fail(failure)
}
