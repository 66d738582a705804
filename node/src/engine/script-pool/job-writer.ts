import type { ScriptJob } from "@lockstep/kernel/connect"
import type { Block } from "@lockstep/kernel/model"
import type { Coin } from "@lockstep/kernel/utxo"
import { clearFailure } from "./job-failure.ts"
import { JobField, headLength, type JobMemory, tableAt, Word } from "./job-memory.ts"
import type { RangeStarts } from "./job-ranges.ts"

/**
 * Bytes before the script of a coin: its length (4) and the value (8). Scripts do not depend on the height and origin
 * of a coin.
 */
export const JOB_COIN_HEAD = 12

/** The jobs of a block, contiguous and split into ranges. */
export interface JobPlan {
  readonly block: Block
  readonly jobs: ReadonlyArray<ScriptJob>
  readonly starts: RangeStarts
}

const rangeCount = ({ starts }: JobPlan): number => starts.length - 1

const startOf = (block: Block, { tx }: ScriptJob): number => tx.bytes.byteOffset - block.bytes.byteOffset

const stretchOf = ({ block, jobs }: JobPlan): { readonly from: number; readonly to: number } => {
  const last = jobs[jobs.length - 1]!
  return { from: startOf(block, jobs[0]!), to: startOf(block, last) + last.tx.bytes.length }
}

/** Bytes of memory that a plan needs. */
export const planLength = (plan: JobPlan): number => {
  const { from, to } = stretchOf(plan)
  let size = headLength(rangeCount(plan)) + to - from
  for (const { coins } of plan.jobs) for (const { script } of coins) size += JOB_COIN_HEAD + script.length
  return size
}

const writeCoins = ({ bytes, view }: JobMemory, coins: ReadonlyArray<Coin>, start: number): number => {
  let at = start
  for (const { script, value } of coins) {
    view.setUint32(at, script.length, true)
    view.setBigInt64(at + 4, value, true)
    bytes.set(script, at + JOB_COIN_HEAD)
    at += JOB_COIN_HEAD + script.length
  }
  return at
}

/**
 * Writes a plan and opens it for workers. Preconditions: no range of the previous plan is claimed or can be, and the
 * memory is large enough.
 */
export const writePlan = (memory: JobMemory, plan: JobPlan, order: number): void => {
  const { bytes, words } = memory
  const { block, jobs, starts } = plan
  const ranges = rangeCount(plan)
  const { from, to } = stretchOf(plan)
  const transactions = headLength(ranges)
  bytes.set(block.bytes.subarray(from, to), transactions)
  let coinsAt = transactions + to - from
  for (let range = 0; range <= ranges; range++) {
    const first = starts[range]!
    const job = jobs[first]
    words[tableAt(range, JobField.JOB)] = first
    words[tableAt(range, JobField.TRANSACTIONS)] = transactions - from + (job === undefined ? to : startOf(block, job))
    words[tableAt(range, JobField.COINS)] = coinsAt
    words[tableAt(range, JobField.FLAGS)] = job?.flags ?? 0
    if (range === ranges) break
    for (let i = first; i < starts[range + 1]!; i++) coinsAt = writeCoins(memory, jobs[i]!.coins, coinsAt)
  }
  clearFailure(memory)
  words[Word.ORDER] = order
  Atomics.store(words, Word.DONE, 0)
  Atomics.store(words, Word.RANGES, ranges)
  // Written last: from here on workers may claim ranges.
  Atomics.store(words, Word.TO_CLAIM, ranges)
}
