import { judgeScripts } from "@lockstep/kernel/connect/judge.ts"
import type { Crypto } from "@lockstep/kernel/crypto/crypto.ts"
import { createMachine } from "@lockstep/kernel/script/machine.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ScriptPool } from "./script-pool.ts"

/** A pool without threads, for tests and for machines that can have none: scripts are judged where they are asked for. */
export const inThreadPool = (crypto: Crypto): ScriptPool => {
  const machine = createMachine(crypto)
  return {
    workers: 0,
    provider: "in thread",
    judge: (_block, { jobs }) =>
      Effect.sync(() => {
        for (const job of jobs) {
          const verdict = judgeScripts(machine, job)
          if (Result.isFailure(verdict)) return verdict.failure
        }
        return undefined
      }),
    close: Effect.void
  }
}
