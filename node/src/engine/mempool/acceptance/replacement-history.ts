import type { UnixSeconds } from "@lockstep/kernel/quantities"
import type { OutPoint, Transaction } from "@lockstep/kernel/model"
import type { ReplacementTerms } from "@lockstep/kernel/relay"

/** Coins whose spenders were replaced are remembered up to this number; then the longest unchanged are forgotten. */
export const MAX_REMEMBERED_COINS = 100_000

interface Replaced {
  readonly count: number
  /** When it happened last. */
  readonly time: UnixSeconds
}

/** What the terms of a mode look back at: how often and when the spenders of coins were replaced. */
export interface ReplacementHistory {
  /** The most that the spenders of one of these coins were replaced, and the last time; none: they never were. */
  readonly of: (spent: ReadonlyArray<OutPoint>) => Replaced | undefined
  /** All these transactions were replaced together. */
  readonly record: (replaced: ReadonlyArray<Transaction>, time: UnixSeconds) => void
}

const keyOf = ({ txid, vout }: OutPoint): string =>
  `${Buffer.from(txid.buffer, txid.byteOffset, txid.length).toString("latin1")}${vout}`

/** Remembers nothing where the terms never ask. */
export const replacementHistory = (
  { cooldown, maxReplacements }: Pick<ReplacementTerms, "cooldown" | "maxReplacements">,
  limit = MAX_REMEMBERED_COINS
): ReplacementHistory => {
  const coins = new Map<string, Replaced>()
  const isAsked = cooldown > 0 || maxReplacements !== undefined

  const recordCoin = (key: string, time: UnixSeconds): void => {
    const count = (coins.get(key)?.count ?? 0) + 1
    // A map has its keys in the order in which they came.
    coins.delete(key)
    coins.set(key, { count, time })
    if (coins.size > limit) coins.delete(coins.keys().next().value!)
  }

  return {
    of: (spent) => {
      let found: Replaced | undefined
      for (const outpoint of coins.size === 0 ? [] : spent) {
        const each = coins.get(keyOf(outpoint))
        if (each === undefined) continue
        found = { count: Math.max(found?.count ?? 0, each.count), time: Math.max(found?.time ?? 0, each.time) }
      }
      return found
    },
    record: (replaced, time) => {
      if (!isAsked) return
      for (const { inputs } of replaced) for (const { prevout } of inputs) recordCoin(keyOf(prevout), time)
    }
  }
}
