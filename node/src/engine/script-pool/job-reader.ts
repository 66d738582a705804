import { type Cursor, cursorOn } from "@lockstep/kernel/bytes"
import type { ScriptJob } from "@lockstep/kernel/connect"
import { readTransaction } from "@lockstep/kernel/model"
import type { Coin } from "@lockstep/kernel/utxo"
import { JobField, type JobMemory, tableAt } from "./job-memory.ts"
import { JOB_COIN_HEAD } from "./job-writer.ts"

/** One range, decoded job by job. `firstJob` is its index among the jobs of the block. */
export interface JobRange {
  readonly firstJob: number
  readonly count: number
  /** Returns the next job. At most `count` calls; the job is invalid once the reader reads another range. */
  readonly next: () => ScriptJob
}

/** Copies ranges from shared memory into its own memory, because native code does not accept shared bytes everywhere. */
export type JobReader = (memory: JobMemory, range: number) => JobRange

const coinsFrom = (cursor: Cursor, count: number): ReadonlyArray<Coin> => {
  const { bytes, view } = cursor
  const coins: Array<Coin> = []
  for (let i = 0; i < count; i++) {
    const start = cursor.offset + JOB_COIN_HEAD
    const end = start + view.getUint32(cursor.offset, true)
    coins.push({
      value: view.getBigInt64(cursor.offset + 4, true),
      script: bytes.subarray(start, end),
      height: 0,
      isCoinbase: false
    })
    cursor.offset = end
  }
  return coins
}

/** Makes a reader that uses the same memory for all ranges. */
export const jobReader = (): JobReader => {
  let own = new Uint8Array(1 << 16)
  const copied = (source: Uint8Array, at: number): Cursor => {
    own.set(source, at)
    return cursorOn(own.subarray(at, at + source.length))
  }
  return ({ bytes, words }, range) => {
    const here = (what: number): number => words[tableAt(range, what)]!
    const behind = (what: number): number => words[tableAt(range + 1, what)]!
    const transactions = bytes.subarray(here(JobField.TRANSACTIONS), behind(JobField.TRANSACTIONS))
    const coins = bytes.subarray(here(JobField.COINS), behind(JobField.COINS))
    const size = transactions.length + coins.length
    if (own.length < size) own = new Uint8Array(size * 2)
    const transactionCursor = copied(transactions, 0)
    const coinCursor = copied(coins, transactions.length)
    const flags = here(JobField.FLAGS)
    return {
      firstJob: here(JobField.JOB),
      count: behind(JobField.JOB) - here(JobField.JOB),
      next: () => {
        const tx = readTransaction(transactionCursor)
        return { tx, coins: coinsFrom(coinCursor, tx.inputs.length), flags }
      }
    }
  }
}
