import { bytesEqual } from "@lockstep/kernel/bytes"
import type { BlockTemplate } from "@lockstep/sdk"
import { type Job, jobOf } from "./job.ts"

/** Jobs on one tip for which shares are accepted. */
const MOST_JOBS = 32

/** The jobs of the current tip. */
export interface Jobs {
  readonly newest: () => Job | undefined
  readonly find: (id: string) => Job | undefined
  /** Adds a job. Returns true if it is on another tip, so that older jobs are stale. */
  readonly add: (template: BlockTemplate) => boolean
  /**
   * Copies the newest job under a new id with a time this many seconds later, for one miner that restarts its work.
   * `find` does not know the copy.
   */
  readonly later: (seconds: number) => Job | undefined
}

export const openJobs = (): Jobs => {
  const jobs = new Map<string, Job>()
  let newest: Job | undefined
  let made = 0
  return {
    newest: () => newest,
    find: (id) => jobs.get(id),
    add: (template) => {
      const isClean = newest === undefined || !bytesEqual(newest.template.previous_hash, template.previous_hash)
      if (isClean) jobs.clear()
      newest = jobOf((++made).toString(16), template)
      jobs.set(newest.id, newest)
      for (const id of jobs.keys()) if (jobs.size > MOST_JOBS) jobs.delete(id)
      return isClean
    },
    later: (seconds) =>
      newest && {
        ...newest,
        id: (++made).toString(16),
        template: { ...newest.template, current_time: newest.template.current_time + seconds }
      }
  }
}
