import { fault, type ScriptFailure, violationOf } from "@lockstep/kernel/script/fault.ts"
import { ScriptError } from "@lockstep/kernel/script/script-error.ts"
import { FAILURE, type JobMemory } from "./job-memory.ts"

// A failure is one number, so that threads can find the earliest one without a lock: the job, and 32 bits of what failed.

/** Later than any failure. */
const NONE = 1n << 62n

/** Before any failure: judging itself went wrong, so what else was found is worth nothing. */
const DEFECT = -1n

/** No failure yet. */
export const clearFailure = ({ numbers }: JobMemory): void => {
  Atomics.store(numbers, FAILURE, NONE)
}

const lower = ({ numbers }: JobMemory, number: bigint): void => {
  for (let known = Atomics.load(numbers, FAILURE); number < known;) {
    const seen = Atomics.compareExchange(numbers, FAILURE, known, number)
    if (seen === known) return
    known = seen
  }
}

/** `job` fails: kept unless an earlier one does. */
export const reportFailure = (memory: JobMemory, job: number, { detail, rule }: ScriptFailure): void =>
  lower(memory, (BigInt(job) << 32n) + BigInt(fault(rule, ScriptError[detail.error])))

/** Whatever the answer would be, it cannot be had. */
export const reportDefect = (memory: JobMemory): void => lower(memory, DEFECT)

/** Whether a failure is known that comes before `job`: then judging `job` tells nothing. */
export const failsBefore = ({ numbers }: JobMemory, job: number): boolean => Atomics.load(numbers, FAILURE) >> 32n < BigInt(job)

export const hasDefect = ({ numbers }: JobMemory): boolean => Atomics.load(numbers, FAILURE) === DEFECT

/** The earliest failure that was reported. Precondition: no defect. */
export const failureIn = ({ numbers }: JobMemory): ScriptFailure | undefined => {
  const number = Atomics.load(numbers, FAILURE)
  return number === NONE ? undefined : violationOf(Number(BigInt.asUintN(32, number)))
}
