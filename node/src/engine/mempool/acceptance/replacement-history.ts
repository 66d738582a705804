import type { UnixSeconds } from "@lockstep/kernel/quantities"
import type { OutPoint, Transaction } from "@lockstep/kernel/model"
import type { ReplacementTerms } from "@lockstep/kernel/relay"

/** Maximum number of remembered coins whose spenders were replaced. Beyond it the longest unchanged are forgotten. */
export const MAX_REMEMBERED_COINS = 100_000

interface Replaced {
  readonly count: number
  /** Time of the last replacement. */
  readonly time: UnixSeconds
}

/** The history that the terms of a mode check: how often and when the spenders of coins were replaced. */
export interface ReplacementHistory {
  /** Returns the highest count of replacements among these coins and the last time, or `undefined` without any. */
  readonly of: (spent: ReadonlyArray<OutPoint>) => Replaced | undefined
  /** Records that all these transactions were replaced together. */
  readonly record: (replaced: ReadonlyArray<Transaction>, time: UnixSeconds) => void
}

const keyOf = ({ txid, vout }: OutPoint): string =>
  `${Buffer.from(txid.buffer, txid.byteOffset, txid.length).toString("latin1")}${vout}`

/** Makes a history. It records nothing if the terms never use it. */
export const replacementHistory = (
  { cooldown, maxReplacements }: Pick<ReplacementTerms, "cooldown" | "maxReplacements">,
  limit = MAX_REMEMBERED_COINS
): ReplacementHistory => {
  const coins = new Map<string, Replaced>()
  const isAsked = cooldown > 0 || maxReplacements !== undefined

  const recordCoin = (key: string, time: UnixSeconds): void => {
    const count = (coins.get(key)?.count ?? 0) + 1
    // A map keeps its keys in insertion order.
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
