import { type Fault, fault, type InputFailure, ScriptError, violationOf } from "@lockstep/kernel/script"
import { violation } from "@lockstep/kernel/verdict"
import { FAILURE, type JobMemory } from "./job-memory.ts"
import type { JobFailure } from "./script-pool.ts"

// A failure is one number, so that threads can find the earliest one without a lock: the job, 20 bits of the input, and
// 20 bits of the error. A block holds fewer jobs than 2²¹ and its transactions fewer inputs than 2²⁰, because each
// takes at least 41 bytes.
const INPUT_SHIFT = 20n
const JOB_SHIFT = 40n
const FIELD_BITS = 20

/** A number above that of every failure. */
const NONE = 1n << 62n

/** A number below that of every failure: verification itself went wrong, so failures do not count. */
const DEFECT = -1n

/** Clears the failure. */
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

/** Reports that `job` failed. The earliest failure is kept. */
export const reportFailure = (memory: JobMemory, job: number, { detail, rule }: InputFailure): void => {
  const what = BigInt(fault(rule, ScriptError[detail.error]))
  lower(memory, (BigInt(job) << JOB_SHIFT) + (BigInt(detail.input) << INPUT_SHIFT) + what)
}

/** Reports that an internal error prevented a result. */
export const reportDefect = (memory: JobMemory): void => lower(memory, DEFECT)

/** Reports whether a failure before `job` is known. Verifying `job` is then useless. */
export const failsBefore = ({ numbers }: JobMemory, job: number): boolean =>
  Atomics.load(numbers, FAILURE) >> JOB_SHIFT < BigInt(job)

export const hasDefect = ({ numbers }: JobMemory): boolean => Atomics.load(numbers, FAILURE) === DEFECT

/** Returns the earliest reported failure, or `undefined`. Precondition: no internal error was reported. */
export const failureIn = ({ numbers }: JobMemory): JobFailure | undefined => {
  const number = Atomics.load(numbers, FAILURE)
  if (number === NONE) return undefined
  const { detail: { error }, rule } = violationOf(Number(BigInt.asUintN(FIELD_BITS, number)) as Fault)
  const input = Number(BigInt.asUintN(FIELD_BITS, number >> INPUT_SHIFT))
  return violation(rule, { error, input, job: Number(number >> JOB_SHIFT) })
}
