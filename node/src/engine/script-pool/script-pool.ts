import type { Collected } from "@lockstep/kernel/connect"
import type { RuleId } from "@lockstep/kernel/rule-ids"
import type { Block } from "@lockstep/kernel/model"
import type { ScriptErrorName } from "@lockstep/kernel/script"
import type { Violation } from "@lockstep/kernel/verdict"
import type * as Effect from "effect/Effect"

/** A script worker died or did not answer: our fault, never the block's. */
export interface ScriptPoolFailure {
  readonly _tag: "ScriptPoolFailure"
  readonly message: string
}

/** A script of a block fails: that of this input of the transaction of this job, and none before it. */
export type JobFailure = Violation<
  RuleId,
  { readonly error: ScriptErrorName; readonly input: number; readonly job: number }
>

/** Threads that verify scripts. Several blocks may be verified at once; each answer is for its block alone. */
export interface ScriptPool {
  readonly workers: number
  /** Name and detail of the crypto provider the workers run on. */
  readonly provider: string
  /**
   * Starts on the jobs of `collected` at once, before the effect runs. Yields the failure of the earliest job, by place
   * in the block, that fails, as if they had been verified one after another. The memory of the jobs is released only
   * when no worker reads it any more.
   */
  readonly judge: (
    block: Block,
    collected: Pick<Collected, "jobs">
  ) => Effect.Effect<JobFailure | undefined, ScriptPoolFailure>
  readonly close: Effect.Effect<void>
}
