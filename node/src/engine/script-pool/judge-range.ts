import { judgeScripts } from "@lockstep/kernel/connect"
import type { Machine } from "@lockstep/kernel/machine"
import * as Result from "effect/Result"
import { failsBefore, reportFailure } from "./job-failure.ts"
import type { JobMemory } from "./job-memory.ts"
import type { JobReader } from "./job-reader.ts"

/** Verifies the jobs of a range up to the first failure, as long as no earlier failure makes the result useless. */
export const judgeRange = (machine: Machine, reader: JobReader, memory: JobMemory, range: number): void => {
  const { count, firstJob, next } = reader(memory, range)
  for (let job = firstJob; job < firstJob + count; job++) {
    if (failsBefore(memory, job)) return
    const verdict = judgeScripts(machine, next())
    if (Result.isFailure(verdict)) return reportFailure(memory, job, verdict.failure)
  }
}
