import type { Settings } from "@lockstep/sdk"

export const SETTINGS = {
  /** A list of tables, which the node writes as JSON. */
  hooks: "" as string,
  timeout_seconds: 10 as number,
  longest_pause_seconds: 300 as number,
  failures_until_dead: 10 as number,
  most_waiting: 10_000 as number,
  oldest_block_seconds: 0 as number
}

/** Validated settings of the operator for all hooks. */
export interface DeliveryRules {
  readonly timeoutMs: number
  readonly longestPauseMs: number
  /** Consecutive failed attempts after which an endpoint counts as dead. */
  readonly failuresUntilDead: number
  /** Events that wait for one hook; beyond them the oldest are dropped. */
  readonly mostWaiting: number
  /** Age in seconds beyond which blocks are not sent; 0 sends all. */
  readonly oldestBlockSeconds: number
}

const SECOND = 1_000

/** Capacity of a module's database in events of the largest size, for a few hooks. */
const LARGEST_QUEUE = 100_000

const wholeIn = (settings: Settings<typeof SETTINGS>, name: keyof typeof SETTINGS, least: number, most: number) => {
  const value = settings[name]
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= least && value <= most) return value
  throw new Error(`the setting ${name} must be a whole number from ${least} to ${most}, and is ${value}`)
}

/** Validates the settings. Throws if one is invalid. */
export const rulesOf = (settings: Settings<typeof SETTINGS>): DeliveryRules => ({
  timeoutMs: SECOND * wholeIn(settings, "timeout_seconds", 1, 120),
  longestPauseMs: SECOND * wholeIn(settings, "longest_pause_seconds", 1, 86_400),
  failuresUntilDead: wholeIn(settings, "failures_until_dead", 1, 1_000_000),
  mostWaiting: wholeIn(settings, "most_waiting", 1, LARGEST_QUEUE),
  oldestBlockSeconds: wholeIn(settings, "oldest_block_seconds", 0, 2 ** 32)
})
