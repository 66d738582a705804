import type { Collected } from "@lockstep/kernel/connect"
import type { RuleId } from "@lockstep/kernel/rule-ids"
import type { Block } from "@lockstep/kernel/model"
import type { ScriptErrorName } from "@lockstep/kernel/script"
import type { Violation } from "@lockstep/kernel/verdict"
import type * as Effect from "effect/Effect"

/** A failure of the pool, such as a dead script worker. It never makes the block invalid. */
export interface ScriptPoolFailure {
  readonly _tag: "ScriptPoolFailure"
  readonly message: string
}

/** The first invalid script of a block: its job and input. */
export type JobFailure = Violation<
  RuleId,
  { readonly error: ScriptErrorName; readonly input: number; readonly job: number }
>

/** Threads that verify scripts. Several blocks may be verified at a time; each result is for its block alone. */
export interface ScriptPool {
  readonly workers: number
  /** Name and details of the crypto provider that the workers use. */
  readonly provider: string
  /**
   * Starts on the jobs of `collected` at once, before the effect runs. Yields the failure of the earliest job in block
   * order, as if they had been verified one after another. The memory of the jobs is released only when no worker reads
   * it any more.
   */
  readonly judge: (
    block: Block,
    collected: Pick<Collected, "jobs">
  ) => Effect.Effect<JobFailure | undefined, ScriptPoolFailure>
  readonly close: Effect.Effect<void>
}
