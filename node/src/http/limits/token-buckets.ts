import type { Moment } from "../../quantities.ts"

/** Capacity of a bucket in tokens, and its refill rate in tokens per second. */
export interface BucketSize {
  readonly burst: number
  readonly rate: number
}

/** Token buckets, one per key. */
export interface TokenBuckets {
  /** Takes tokens and returns 0, or returns the seconds until enough tokens are available. */
  readonly take: (key: string, tokens: number, now: Moment) => number
  readonly size: () => number
}

interface Bucket {
  tokens: number
  /** Time of the last refill in milliseconds. */
  filled: number
}

/** Maximum number of keys. Keys unused for the longest time are dropped, as if their buckets were full. */
export const MOST_BUCKETS = 10_000

/** Returns token buckets. A call that costs more than a bucket holds takes a full bucket. */
export const tokenBuckets = ({ burst, rate }: BucketSize, most = MOST_BUCKETS): TokenBuckets => {
  // In the order of last use.
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
