import { randomBytes } from "node:crypto"
import type { Job } from "../jobs.ts"

/** Jobs that clients have declared and the node has accepted, by their tokens. */
export interface DeclaredJobs {
  readonly find: (token: Uint8Array) => Job | undefined
  /** Stores a job. Returns its token. */
  readonly add: (job: Job) => Uint8Array
  readonly remove: (token: Uint8Array) => void
}

const TOKEN_BYTES = 16

export const newToken = (): Uint8Array => new Uint8Array(randomBytes(TOKEN_BYTES))

/** Returns a token in the form of a map's key. */
export const tokenKey = (token: Uint8Array): string => Buffer.from(token).toString("hex")

export const openDeclaredJobs = (): DeclaredJobs => {
  const jobs = new Map<string, Job>()
  return {
    find: (token) => jobs.get(tokenKey(token)),
    add: (job) => {
      const token = newToken()
      jobs.set(tokenKey(token), job)
      return token
    },
    remove: (token) => void jobs.delete(tokenKey(token))
  }
}
