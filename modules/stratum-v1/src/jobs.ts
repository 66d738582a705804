import { bytesEqual } from "@lockstep/kernel/bytes"
import type { BlockTemplate } from "@lockstep/sdk"
import { type Job, jobOf } from "./job.ts"

/** Jobs on one tip for which shares still count. */
const MOST_JOBS = 32

/** The jobs of the present tip. */
export interface Jobs {
  readonly newest: () => Job | undefined
  readonly find: (id: string) => Job | undefined
  /** Makes a job; answers whether it is on another tip, on which older ones are worth nothing. */
  readonly add: (template: BlockTemplate) => boolean
  /**
   * The newest job under a new id, so many seconds later: for one miner that begins with other work. It is not found by
   * its id here.
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
