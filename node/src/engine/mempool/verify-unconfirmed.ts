import { concatBytes } from "@lockstep/kernel/bytes"
import type { ScriptJob } from "@lockstep/kernel/connect"
import * as Effect from "effect/Effect"
import type { ChainEngine } from "../state/chain-engine.ts"
import type { JobFailure, ScriptPoolFailure } from "../script-pool/script-pool.ts"

type Answer = Effect.Effect<JobFailure | undefined, ScriptPoolFailure>

/** Verifies the scripts of unconfirmed transactions in workers. */
export interface UnconfirmedScripts {
  /**
   * Starts on the transaction before this thread waits for anything. Yields its failure, as if it were the only
   * transaction of a block.
   */
  readonly verify: (job: ScriptJob) => Answer
}

/** Starts work at once, in a fiber that ends with the engine at the latest. */
export type Fork = (work: Effect.Effect<void>) => unknown

/** Maximum number of transactions sent to the workers together; each message costs as much as some checks. */
const TOGETHER = 16

/** The largest transaction that is verified together with others. A larger one would delay them. */
const MOST_INPUTS = 4
const MOST_BYTES = 4_000

const isSmall = ({ tx: { bytes, inputs } }: ScriptJob): boolean =>
  inputs.length <= MOST_INPUTS && bytes.length <= MOST_BYTES

interface Waiting {
  readonly job: ScriptJob
  answer: Answer | undefined
  resume: ((answer: Answer) => void) | undefined
}

/** A failure as that of the only job. */
const ofOne = (failure: JobFailure): JobFailure => ({ ...failure, detail: { ...failure.detail, job: 0 } })

const settle = (each: Waiting, answer: Answer): void => {
  each.answer = answer
  each.resume?.(answer)
}

/** Jobs whose transactions are concatenated in `bytes`. */
const laidOut = (jobs: ReadonlyArray<ScriptJob>) => {
  const bytes = concatBytes(jobs.map(({ tx }) => tx.bytes))
  let end = 0
  const moved = jobs.map((job): ScriptJob => ({
    ...job,
    tx: { ...job.tx, bytes: bytes.subarray(end, end += job.tx.bytes.length) }
  }))
  return { bytes, jobs: moved }
}

/**
 * Sends transactions that arrive together to the workers together. Those after a failed one have no result, and each is
 * verified again alone. So none is verified more than twice.
 */
export const unconfirmedScripts = (
  { pool, tree }: Pick<ChainEngine, "pool" | "tree">,
  fork: Fork
): UnconfirmedScripts => {
  let waiting: Array<Waiting> = []

  const judge = (all: ReadonlyArray<ScriptJob>): Answer => {
    const { bytes, jobs } = all.length === 1 ? { bytes: all[0]!.tx.bytes, jobs: all } : laidOut(all)
    return pool.judge({ header: tree.tip.header, transactions: jobs.map(({ tx }) => tx), bytes }, { jobs })
  }

  /** Sends jobs to the workers and settles each with its result. */
  const start = (some: ReadonlyArray<Waiting>): void => {
    const answer = Effect.matchCauseEffect(judge(some.map(({ job }) => job)), {
      // An internal error settles them too, so that no call waits for ever.
      onFailure: (cause) => Effect.sync(() => some.forEach((each) => settle(each, Effect.failCause(cause)))),
      onSuccess: (failure) =>
        Effect.sync(() => {
          const failed = failure?.detail.job ?? some.length
          some.forEach((each, place) => {
            if (place > failed) start([each])
            else settle(each, Effect.succeed(place < failed ? undefined : ofOne(failure!)))
          })
        })
    })
    fork(answer)
  }

  const startWaiting = (): void => {
    if (waiting.length === 0) return
    const some = waiting
    waiting = []
    start(some)
  }

  return {
    verify: (job) => {
      const own: Waiting = { job, answer: undefined, resume: undefined }
      if (isSmall(job)) {
        if (waiting.length === 0) setImmediate(startWaiting)
        waiting.push(own)
        if (waiting.length === TOGETHER) startWaiting()
      } else start([own])
      return Effect.callback((resume) => {
        if (own.answer === undefined) own.resume = resume
        else resume(own.answer)
      })
    }
  }
}
