import type { Moment } from "../../quantities.ts"

/** How many tokens a bucket holds, and how many it gets a second. */
export interface BucketSize {
  readonly burst: number
  readonly rate: number
}

/** Buckets of tokens, one for each key that took some. */
export interface TokenBuckets {
  /** Takes tokens; or answers after how many seconds there will be enough of them. */
  readonly take: (key: string, tokens: number, now: Moment) => number
  readonly size: () => number
}

interface Bucket {
  tokens: number
  /** Milliseconds. */
  filled: number
}

/** Keys kept at most: those that took nothing for the longest time are forgotten, as if their buckets were full. */
export const MOST_BUCKETS = 10_000

/** A call that costs more than a bucket holds takes a full one. */
export const tokenBuckets = ({ burst, rate }: BucketSize, most = MOST_BUCKETS): TokenBuckets => {
  // In the order of the last taking.
  const buckets = new Map<string, Bucket>()

  const filled = (key: string, now: Moment): Bucket => {
    const bucket = buckets.get(key) ?? { tokens: burst, filled: now }
    bucket.tokens = Math.min(burst, bucket.tokens + Math.max(0, now - bucket.filled) / 1_000 * rate)
    bucket.filled = now
    return bucket
  }

  return {
    take: (key, tokens, now) => {
      const bucket = filled(key, now)
      buckets.delete(key)
      buckets.set(key, bucket)
      if (buckets.size > most) buckets.delete(buckets.keys().next().value!)
      const wanted = Math.min(tokens, burst)
      if (bucket.tokens < wanted) return (wanted - bucket.tokens) / rate
      bucket.tokens -= wanted
      return 0
    },
    size: () => buckets.size
  }
}
