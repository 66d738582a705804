import { bytesEqual } from "@lockstep/kernel/bytes"
import { solvedBlock } from "../../../mining/solved-block.ts"
import type { FoundBlock } from "../found-block.ts"
import { EXTRANONCE_BYTES, type Job } from "../jobs.ts"
import type { MessageOf } from "../wire/messages.ts"
import type { DeclaredJobs } from "./declared-jobs.ts"

/** Maximum number of valid declared jobs of a client; older ones expire. */
const MOST_JOBS = 32

/** The declared jobs of one client. */
export interface OwnJobs {
  /** Stores a job for all connections. Returns its token. */
  readonly keep: (job: Job) => Uint8Array
  /**
   * Returns the block of a solution. The message does not name its job; it is the one for which the solution has the
   * proof of work of a block.
   */
  readonly solve: (solution: MessageOf<"PushSolution">) => FoundBlock | undefined
  /** Called when the client has disconnected. */
  readonly end: () => void
}

export const openOwnJobs = (declared: DeclaredJobs): OwnJobs => {
  const own: Array<{ readonly token: Uint8Array; readonly job: Job }> = []
  return {
    keep: (job) => {
      const token = declared.add(job)
      own.push({ token, job })
      if (own.length > MOST_JOBS) declared.remove(own.shift()!.token)
      return token
    },
    solve: ({ extranonce, nbits, nonce, ntime, prev_hash, version }) => {
      if (extranonce.length !== EXTRANONCE_BYTES) return undefined
      for (const { job } of own) {
        const { bits, height, previous_hash } = job.template
        if (bits !== nbits || !bytesEqual(previous_hash, prev_hash)) continue
        const { block, hash, value } = solvedBlock(job, { extranonce, time: ntime, nonce, version })
        if (value <= job.target) return { hash, height, finder: "a client of job declaration", block }
      }
      return undefined
    },
    end: () => {
      for (const { token } of own) declared.remove(token)
      own.length = 0
    }
  }
}
