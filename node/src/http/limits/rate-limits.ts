import { hash } from "node:crypto"
import { type ReadClock } from "../../clock.ts"
import type { RateLimits as Limits } from "../../config/config.ts"
import type { Caller } from "../auth/caller.ts"
import { limitedAddress, isLoopbackAddress } from "./address-key.ts"
import { recentCounts } from "./recent-counts.ts"
import { type BucketSize, tokenBuckets } from "./token-buckets.ts"

/** The caller of a request. */
export interface Asker {
  readonly address: string
  readonly caller: Caller
  /** The credential that identifies the caller. */
  readonly authorization: string | undefined
}

/** Rate limits of callers. Results in seconds are the time to wait; 0 means accepted. */
export interface CallerLimits {
  /** Reports whether an address may open one more connection. */
  readonly connect: (address: string) => boolean
  /** Returns the seconds for which an address is blocked after too many wrong credentials. */
  readonly blocked: (address: string) => number
  readonly failed: (address: string) => void
  readonly admit: (asker: Asker) => number
  /** Charges the calls of a batch beyond the first, which its request has paid for. */
  readonly charge: (asker: Asker, calls: number) => number
}

const buckets = ({ burst, rate }: BucketSize) => burst === 0 || rate === 0 ? undefined : tokenBuckets({ burst, rate })

/** Returns the key of a user. Only valid credentials get here, so there are no more keys than credentials. */
const userKey = (authorization: string | undefined): string => hash("sha256", authorization ?? "")

export const rateLimits = (
  limits: Limits,
  hasCredentials: boolean,
  now: ReadClock
): CallerLimits => {
  const { batchCap, blockSeconds, connections, connectionWindowSeconds, failures, ofAdmins, ofLoopback } = limits
  const addresses = buckets(limits.address)
  const users = buckets(limits.user)
  const connected = recentCounts(connectionWindowSeconds * 1_000)
  const wrong = recentCounts(blockSeconds * 1_000)

  const isExempt = (address: string): boolean => !ofLoopback && isLoopbackAddress(address)

  const take = ({ address, authorization, caller }: Asker, tokens: number): number => {
    if (tokens === 0 || isExempt(address) || (caller === "admin" && !ofAdmins)) return 0
    if (caller !== "anonymous") return users?.take(userKey(authorization), tokens, now()) ?? 0
    if (!hasCredentials && !limits.whenAuthDisabled) return 0
    return addresses?.take(limitedAddress(address), tokens, now()) ?? 0
  }

  return {
    connect: (address) =>
      connections === 0 || isExempt(address) || connected.add(limitedAddress(address), now()) <= connections,
    blocked: (address) => {
      if (failures === 0 || isExempt(address)) return 0
      const key = limitedAddress(address)
      return wrong.count(key, now()) >= failures ? wrong.secondsLeft(key, now()) : 0
    },
    failed: (address) => {
      if (failures > 0 && !isExempt(address)) wrong.add(limitedAddress(address), now())
    },
    admit: (asker) => take(asker, 1),
    charge: (asker, calls) => take(asker, Math.max(0, Math.min(calls, batchCap) - 1))
  }
}
