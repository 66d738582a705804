import { concatBytes } from "@lockstep/kernel/bytes"
import { type SolvedBlock, solvedBlock } from "../../mining/solved-block.ts"
import { type Job, EXTRANONCE2_BYTES } from "./job.ts"
import type { Jobs } from "./jobs.ts"

/** Error codes of Stratum. */
export const StratumError = {
  OTHER: 20,
  JOB_NOT_FOUND: 21,
  DUPLICATE: 22,
  LOW_DIFFICULTY: 23,
  UNAUTHORIZED: 24,
  NOT_SUBSCRIBED: 25
} as const

export type Refusal = readonly [code: number, message: string, null]

/** Seconds by which a miner's time may be ahead of the template's. */
const MOST_AHEAD_SECONDS = 7_200

/** Terms by which a share is judged. */
export interface ShareTerms {
  readonly find: Jobs["find"]
  readonly extranonce1: Uint8Array
  /** Bits of the version that this miner may change. */
  readonly versionMask: number
  /** Returns the target of a share, or `undefined` if the job was not sent to this miner. */
  readonly targetOf: (job: Job) => bigint | undefined
  /** Records the hash of a block. Returns true if it is new; the same block may be submitted under several jobs. */
  readonly isNew: (hash: string) => boolean
}

/** An accepted share. `isBlock` is true if it meets the target of the block. */
export interface Share {
  readonly job: Job
  readonly solved: SolvedBlock
  readonly isBlock: boolean
}

const refusal = (code: number, message: string): Refusal => [code, message, null]

const isDigits = (value: unknown, bytes: number): value is string =>
  typeof value === "string" && value.length === 2 * bytes && /^[0-9a-f]+$/i.test(value)

const number = (digits: string): number => Number.parseInt(digits, 16)

const versionOf = (job: Job, bits: unknown, mask: number): number | Refusal => {
  if (bits === undefined) return job.template.version
  if (!isDigits(bits, 4)) return refusal(StratumError.OTHER, "version bits are 8 hexadecimal digits")
  if ((number(bits) & ~mask) !== 0) return refusal(StratumError.OTHER, "version bits beyond the mask")
  return ((job.template.version & ~mask) | (number(bits) & mask)) >>> 0
}

/** Judges the parameters of `mining.submit`. */
export const judgedShare = (params: ReadonlyArray<unknown>, terms: ShareTerms): Share | Refusal => {
  const [, id, extranonce2, time, nonce, bits] = params
  const job = typeof id === "string" ? terms.find(id) : undefined
  const target = job === undefined ? undefined : terms.targetOf(job)
  if (job === undefined || target === undefined) return refusal(StratumError.JOB_NOT_FOUND, "Job not found")
  if (!isDigits(extranonce2, EXTRANONCE2_BYTES) || !isDigits(time, 4) || !isDigits(nonce, 4)) {
    return refusal(StratumError.OTHER, "extranonce2, time or nonce have not the right length")
  }
  const version = versionOf(job, bits, terms.versionMask)
  if (typeof version !== "number") return version
  const { current_time, min_time } = job.template
  if (number(time) < min_time || number(time) > current_time + MOST_AHEAD_SECONDS) {
    return refusal(StratumError.OTHER, "the time is out of range")
  }
  const extranonce = concatBytes([terms.extranonce1, Buffer.from(extranonce2, "hex")])
  const found = solvedBlock(job, { extranonce, time: number(time), nonce: number(nonce), version })
  if (!terms.isNew(Buffer.from(found.hash).toString("hex"))) return refusal(StratumError.DUPLICATE, "Duplicate share")
  const isBlock = found.value <= job.target
  return isBlock || found.value <= target
    ? { job, solved: found, isBlock }
    : refusal(StratumError.LOW_DIFFICULTY, "Low difficulty share")
}
