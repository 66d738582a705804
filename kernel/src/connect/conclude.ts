import * as Result from "effect/Result"
import type { ScriptFailure } from "../script/fault.ts"
import type { Verdict, Violation } from "../verdict.ts"
import type { Collected } from "./collect.ts"

/**
 * The verdict on a block, once its scripts are judged. `scriptFailure` is that of the earliest job that failed;
 * `undefined` if all hold or are assumed to.
 *
 * A failed script precedes any other failure found: it is in an earlier transaction, or comes before the coinbase is
 * weighed against the fees. Nothing else that was collected is read, so no more of it need be kept until then.
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
