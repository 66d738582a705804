import { judgeScripts } from "@lockstep/kernel/connect"
import type { Crypto } from "@lockstep/kernel/crypto"
import { createMachine } from "@lockstep/kernel/machine"
import { violation } from "@lockstep/kernel/verdict"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ScriptPool } from "./script-pool.ts"

/**
 * Makes a pool without threads, for tests and for machines without worker threads. Scripts are verified in the calling
 * thread.
 */
export const inThreadPool = (crypto: Crypto): ScriptPool => {
  const machine = createMachine(crypto)
  return {
    workers: 0,
    provider: "in thread",
    judge: (_block, { jobs }) =>
      Effect.sync(() => {
        for (const [job, each] of jobs.entries()) {
          const verdict = judgeScripts(machine, each)
          if (Result.isFailure(verdict)) return violation(verdict.failure.rule, { ...verdict.failure.detail, job })
        }
        return undefined
      }),
    close: Effect.void
  }
}
