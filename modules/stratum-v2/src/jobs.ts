import { bytesEqual } from "@lockstep/kernel/bytes"
import { expandTarget } from "@lockstep/kernel/work"
import type { BlockTemplate } from "@lockstep/sdk"
import type { BlockContents } from "../../mining/block.ts"
import { type CoinbaseParts, coinbaseParts } from "../../mining/coinbase.ts"
import { merkleBranch } from "../../mining/merkle.ts"

/** Bytes of the coinbase that differ between channels. An extended channel iterates the last ones itself. */
export const EXTRANONCE_BYTES = 16
export const EXTENDED_BYTES = 8

/** Jobs on one tip for which shares are accepted. */
const MOST_JOBS = 32

type OfTemplate =
  | "bits"
  | "current_time"
  | "default_witness_commitment"
  | "height"
  | "min_time"
  | "previous_hash"
  | "version"

/** Fields of a template that miners need; made by the node or declared by a client. */
export interface JobTemplate extends BlockContents, Pick<BlockTemplate, OfTemplate> {}

/** A template in the form that miners work on. */
export interface Job {
  readonly id: number
  readonly template: JobTemplate
  readonly coinbase: CoinbaseParts
  readonly branch: ReadonlyArray<Uint8Array>
  /** Target of the block. */
  readonly target: bigint
}

/** The jobs of the current tip. */
export interface Jobs {
  readonly newest: () => Job | undefined
  /** Returns the template of the newest job. */
  readonly template: () => BlockTemplate | undefined
  readonly find: (id: number) => Job | undefined
  /** Reserves the id of a job that is created elsewhere. */
  readonly newId: () => number
  /** Reports whether a job had this id, on this tip or an earlier one. */
  readonly wasGiven: (id: number) => boolean
  /** Adds a job. Returns true if it is on another tip, so that older jobs are stale. */
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
