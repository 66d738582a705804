import type { Collected } from "@lockstep/kernel/connect/collect.ts"
import type { Block } from "@lockstep/kernel/model/block.ts"
import type { ScriptFailure } from "@lockstep/kernel/script/fault.ts"
import type * as Effect from "effect/Effect"

/** A script worker died or did not answer: our fault, never the block's. */
export interface ScriptPoolFailure {
  readonly _tag: "ScriptPoolFailure"
  readonly message: string
}

/** Threads that judge scripts. Several blocks may be under way at once; each answer is for its block alone. */
export interface ScriptPool {
  readonly workers: number
  /** Name and detail of the crypto provider the workers run on. */
  readonly provider: string
  /**
   * Starts on the jobs of `collected` at once, before the effect runs. Yields the failure of the earliest job, by place in
   * the block, that fails, as if they had been judged one after another. The memory of the jobs is let go only when no
   * worker looks at it any more.
   */
  readonly judge: (block: Block, collected: Collected) => Effect.Effect<ScriptFailure | undefined, ScriptPoolFailure>
  readonly close: Effect.Effect<void>
}
