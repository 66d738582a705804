import { concatBytes } from "@lockstep/kernel/bytes"
import { type KnownShares, openKnownShares } from "../../mining/known-shares.ts"
import { type SolvedBlock, solvedBlock } from "../../mining/solved-block.ts"
import { difficultyOfTarget, targetOfDifficulty } from "../../mining/target.ts"
import { nextDifficulty, type VardiffRules } from "../../mining/vardiff.ts"
import { EXTENDED_BYTES, EXTRANONCE_BYTES, type Job, type Jobs } from "./jobs.ts"
import type { MessageOf } from "./wire/messages.ts"

/** Bits of the version that miners may change (BIP323). */
const VERSION_MASK = 0x1fffe000

/** Seconds by which a miner's time may be ahead of the template's. */
export const MOST_AHEAD_SECONDS = 7_200

/** Private jobs that a channel keeps on one tip. */
const MOST_OWN_JOBS = 32

const HASHES_OF_ONE = 2 ** 32

type Submitted = MessageOf<"SubmitSharesStandard"> | MessageOf<"SubmitSharesExtended">

/** An accepted share. `isBlock` is true if it meets the target of the block. */
export interface Share {
  readonly job: Job
  readonly solved: SolvedBlock
  readonly isBlock: boolean
  readonly difficulty: number
}

/** A mining session within a connection. */
export interface Channel {
  readonly id: number
  readonly user: string
  readonly isExtended: boolean
  readonly prefix: Uint8Array
  readonly target: () => bigint
  /**
   * Records the miner's speed in hashes per second and the easiest target that it can work with. Returns whether the
   * target changed.
   */
  readonly describe: (hashRate: number, easiest: bigint) => boolean
  /** Judges a share. Returns it, or the code of its error. */
  readonly judge: (share: Submitted, jobs: Jobs) => Share | string
  /** Adds a job for this channel only. */
  readonly offer: (job: Job) => void
  /** Adjusts the target to the rate of shares. Returns whether the target changed. */
  readonly judgePace: () => boolean
  /** Discards jobs and shares after a change of the tip. */
  readonly forget: () => void
}

/** Options for opening a channel. */
export interface ChannelOptions {
  readonly id: number
  readonly user: string
  readonly isExtended: boolean
  /** Four bytes that no other connection has. */
  readonly connection: Uint8Array
  readonly vardiff: VardiffRules
  readonly hashRate: number
  readonly easiest: bigint
  readonly now: () => number
  /** Shares on this tip. */
  readonly known?: KnownShares
}

const uint32 = (value: number): Uint8Array => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

export const openChannel = (
  { connection, easiest, hashRate, id, isExtended, known = openKnownShares(), now, user, vardiff }: ChannelOptions
): Channel => {
  const own = concatBytes([connection, uint32(id)])
  const prefix = isExtended ? own : concatBytes([own, new Uint8Array(EXTRANONCE_BYTES - EXTENDED_BYTES)])
  const offered = new Map<number, Job>()
  let [difficulty, limit] = [vardiff.least, easiest]
  let counted = { shares: 0, since: now() }

  const target = (): bigint => {
    const wanted = targetOfDifficulty(difficulty)
    return wanted < limit ? wanted : limit
  }

  const describe: Channel["describe"] = (rate, most) => {
    const before = target()
    limit = most
    difficulty = Math.max(vardiff.least, (rate * vardiff.shareSeconds) / HASHES_OF_ONE)
    counted = { shares: 0, since: now() }
    return target() !== before
  }
  describe(hashRate, easiest)

  const extranonceOf = (share: Submitted): Uint8Array | undefined => {
    if (share._tag === "SubmitSharesStandard") return isExtended ? undefined : prefix
    return isExtended && share.extranonce.length === EXTENDED_BYTES
      ? concatBytes([prefix, share.extranonce])
      : undefined
  }

  const judge: Channel["judge"] = (share, jobs) => {
    const job = offered.get(share.job_id) ?? jobs.find(share.job_id)
    if (job === undefined) return jobs.wasGiven(share.job_id) ? "stale-share" : "invalid-job-id"
    const extranonce = extranonceOf(share)
    if (extranonce === undefined) return "bad-extranonce-size"
    const { template } = job
    if (((share.version ^ template.version) & ~VERSION_MASK) !== 0) return "invalid-version"
    if (share.ntime < template.min_time || share.ntime > template.current_time + MOST_AHEAD_SECONDS) {
      return "invalid-ntime"
    }
    const key = [share.job_id, Buffer.from(extranonce).toString("hex"), share.ntime, share.nonce, share.version].join(
      ":"
    )
    if (known.isFull() || !known.isNew(key)) return "duplicate-share"
    const found = solvedBlock(job, { extranonce, time: share.ntime, nonce: share.nonce, version: share.version })
    const isBlock = found.value <= job.target
    if (!isBlock && found.value > target()) return "difficulty-too-low"
    counted.shares++
    return { job, solved: found, isBlock, difficulty: difficultyOfTarget(target()) }
  }

  return {
    id,
    user,
    isExtended,
    prefix,
    target,
    describe,
    judge,
    offer: (job) => {
      offered.set(job.id, job)
      for (const each of offered.keys()) if (offered.size > MOST_OWN_JOBS) offered.delete(each)
    },
    judgePace: () => {
      const next = nextDifficulty(vardiff, difficulty, counted.shares, (now() - counted.since) / 1_000)
      if (next === undefined) return false
      const before = target()
      difficulty = next
      counted = { shares: 0, since: now() }
      return target() !== before
    },
    forget: () => {
      known.clear()
      offered.clear()
    }
  }
}
