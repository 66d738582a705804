import { bytesEqual, concatBytes } from "@lockstep/kernel/bytes"
import { expandTarget, hashNumber } from "@lockstep/kernel/work"
import type { BlockTemplate } from "@lockstep/sdk"
import { type BlockContents, blockBytes, headerBytes } from "../../mining/block.ts"
import { type CoinbaseParts, coinbaseParts } from "../../mining/coinbase.ts"
import { merkleBranch, merkleRoot, sha256d } from "../../mining/merkle.ts"

/** Bytes of the coinbase that tell channels apart; an extended channel counts through the last ones itself. */
export const EXTRANONCE_BYTES = 16
export const EXTENDED_BYTES = 8

/** Jobs on one tip for which shares still count. */
const MOST_JOBS = 32

type OfTemplate =
  | "bits"
  | "current_time"
  | "default_witness_commitment"
  | "height"
  | "min_time"
  | "previous_hash"
  | "version"

/** What miners need of a template, whoever chose its transactions. */
export interface JobTemplate extends BlockContents, Pick<BlockTemplate, OfTemplate> {}

/** A template as miners work on it. */
export interface Job {
  readonly id: number
  readonly template: JobTemplate
  readonly coinbase: CoinbaseParts
  readonly branch: ReadonlyArray<Uint8Array>
  /** Of the block. */
  readonly target: bigint
}

/** The jobs of the present tip. */
export interface Jobs {
  readonly newest: () => Job | undefined
  /** That of the newest job. */
  readonly template: () => BlockTemplate | undefined
  readonly find: (id: number) => Job | undefined
  /** The id of a job that is made elsewhere. */
  readonly newId: () => number
  /** Whether some job had an id, at this tip or before. */
  readonly wasGiven: (id: number) => boolean
  /** Makes a job; answers whether it is on another tip, on which older ones are worth nothing. */
  readonly add: (template: BlockTemplate) => boolean
}

export const openJobs = (): Jobs => {
  const jobs = new Map<number, Job>()
  let newest: Job | undefined
  let latest: BlockTemplate | undefined
  let lastId = 0
  return {
    newest: () => newest,
    template: () => latest,
    find: (id) => jobs.get(id),
    newId: () => ++lastId,
    wasGiven: (id) => id > 0 && id <= lastId,
    add: (template) => {
      const isNewTip = latest === undefined || !bytesEqual(latest.previous_hash, template.previous_hash)
      if (isNewTip) jobs.clear()
      latest = template
      newest = {
        id: ++lastId,
        template,
        coinbase: coinbaseParts(template, template.coinbase_script!, EXTRANONCE_BYTES),
        branch: merkleBranch(template.transactions.map(({ txid }) => txid)),
        target: expandTarget(template.bits)!
      }
      jobs.set(newest.id, newest)
      for (const id of jobs.keys()) if (jobs.size > MOST_JOBS) jobs.delete(id)
      return isNewTip
    }
  }
}

const coinbaseWith = ({ coinbase }: Job, extranonce: Uint8Array): Uint8Array =>
  concatBytes([coinbase.before, extranonce, coinbase.after])

/** The root of a job for a standard channel, whose extranonce is all its own. */
export const rootOf = (job: Job, extranonce: Uint8Array): Uint8Array =>
  merkleRoot(sha256d(coinbaseWith(job, extranonce)), job.branch)

/** What a miner found. */
export interface Solution {
  readonly extranonce: Uint8Array
  readonly time: number
  readonly nonce: number
  readonly version: number
}

export interface Solved {
  readonly hash: Uint8Array
  readonly value: bigint
  readonly block: () => Uint8Array
}

export const solved = (job: Job, { extranonce, nonce, time, version }: Solution): Solved => {
  const header = headerBytes({
    version,
    previousHash: job.template.previous_hash,
    merkleRoot: rootOf(job, extranonce),
    time,
    bits: job.template.bits,
    nonce
  })
  const hash = sha256d(header)
  return { hash, value: hashNumber(hash), block: () => blockBytes(header, coinbaseWith(job, extranonce), job.template) }
}
