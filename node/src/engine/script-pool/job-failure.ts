import { type Fault, fault, type InputFailure, ScriptError, violationOf } from "@lockstep/kernel/script"
import { violation } from "@lockstep/kernel/verdict"
import { FAILURE, type JobMemory } from "./job-memory.ts"
import type { JobFailure } from "./script-pool.ts"

// A failure is one number, so that threads can find the earliest one without a lock: the job, 20 bits of the input, and
// 20 bits of what failed. A block holds fewer jobs than 2²¹ and its transactions fewer inputs than 2²⁰: each takes 41
// bytes and more.
const INPUT_SHIFT = 20n
const JOB_SHIFT = 40n
const FIELD_BITS = 20

/** Later than any failure. */
const NONE = 1n << 62n

/** Before any failure: verification itself went wrong, so other failures do not count. */
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
export const reportFailure = (memory: JobMemory, job: number, { detail, rule }: InputFailure): void => {
  const what = BigInt(fault(rule, ScriptError[detail.error]))
  lower(memory, (BigInt(job) << JOB_SHIFT) + (BigInt(detail.input) << INPUT_SHIFT) + what)
}

/** No answer can be had: a defect. */
export const reportDefect = (memory: JobMemory): void => lower(memory, DEFECT)

/** Whether a failure is known that comes before `job`: then verifying `job` is of no use. */
export const failsBefore = ({ numbers }: JobMemory, job: number): boolean =>
  Atomics.load(numbers, FAILURE) >> JOB_SHIFT < BigInt(job)

export const hasDefect = ({ numbers }: JobMemory): boolean => Atomics.load(numbers, FAILURE) === DEFECT

/** The earliest failure that was reported. Precondition: no defect. */
export const failureIn = ({ numbers }: JobMemory): JobFailure | undefined => {
  const number = Atomics.load(numbers, FAILURE)
  if (number === NONE) return undefined
  const { detail: { error }, rule } = violationOf(Number(BigInt.asUintN(FIELD_BITS, number)) as Fault)
  const input = Number(BigInt.asUintN(FIELD_BITS, number >> INPUT_SHIFT))
  return violation(rule, { error, input, job: Number(number >> JOB_SHIFT) })
}
