import type { OutPoint } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import type { KeyValueReader } from "../storage/key-value/key-value-store.ts"
import type { StorageError } from "../storage/storage-error.ts"
import { Mark, marksOf, setMarks } from "./cell-arena.ts"
import { findCell } from "./cell-index.ts"
import type { IsElsewhere } from "./coin-cache.ts"
import { brokenCoin, readCoinHead } from "./coin-codec.ts"
import { coinKey } from "./coin-key.ts"
import { type CoinSlots, loadCoin } from "./coin-slots.ts"
import { type TxidBloomFilter, mayContainTxid } from "./txid-bloom-filter.ts"
import { prefetchCells } from "./prefetch-cells.ts"

/** Counts of look-ups served from memory (hits) and from the store (misses). */
export interface LookUps {
  hits: number
  misses: number
}

export interface CoinPrefetch {
  readonly slots: CoinSlots
  readonly store: Pick<KeyValueReader, "getMany">
  readonly known: TxidBloomFilter
  readonly lookUps: LookUps
  /** Number of commits so far. */
  commits: number
}

interface Missing {
  readonly outpoint: OutPoint
  readonly key: Uint8Array
}

const compareKeys = (a: Missing, b: Missing): number => {
  for (let i = 1; i < a.key.length; i++) {
    const difference = a.key[i]! - b.key[i]!
    if (difference !== 0) return difference
  }
  return 0
}

/** Returns the outpoints that only the store can resolve, in key order, each once. */
const missingOf = (
  { known, lookUps, slots }: CoinPrefetch,
  outpoints: ReadonlyArray<OutPoint>,
  isElsewhere: IsElsewhere
): ReadonlyArray<Missing> => {
  const missing: Array<Missing> = []
  prefetchCells(slots.ahead, slots.index, outpoints)
  for (const outpoint of outpoints) {
    const cell = findCell(slots.index, outpoint)
    if (cell >= 0) setMarks(slots.arena, cell, marksOf(slots.arena, cell) | Mark.warm)
    else if (mayContainTxid(known, outpoint.txid) && !isElsewhere(outpoint)) {
      missing.push({ outpoint, key: coinKey(outpoint) })
    }
  }
  lookUps.misses += missing.length
  lookUps.hits += outpoints.length - missing.length
  missing.sort(compareKeys)
  return missing.filter((each, i) => i === 0 || compareKeys(each, missing[i - 1]!) !== 0)
}

/** Adds the coins from the store to the cache. Yields the first coin with invalid bytes. */
const addLoaded = (
  slots: CoinSlots,
  missing: ReadonlyArray<Missing>,
  answers: ReadonlyArray<Uint8Array | undefined>
): OutPoint | undefined => {
  for (let i = 0; i < missing.length; i++) {
    const bytes = answers[i]
    const { outpoint } = missing[i]!
    // Another fiber may have loaded it, and changed it, while the store was read.
    if (bytes === undefined || findCell(slots.index, outpoint) >= 0) continue
    const head = readCoinHead(bytes, slots.numbers)
    if (head < 0) return outpoint
    loadCoin(slots, outpoint, bytes, head)
  }
  return undefined
}

/** Loads those of `outpoints` that are in the store. */
export const prefetchCoins = (
  prefetch: CoinPrefetch,
  outpoints: ReadonlyArray<OutPoint>,
  isElsewhere: IsElsewhere
): Effect.Effect<void, StorageError> =>
  Effect.suspend(() => {
    const missing = missingOf(prefetch, outpoints, isElsewhere)
    if (missing.length === 0) return Effect.void
    const { commits, slots, store } = prefetch
    return Effect.flatMap(store.getMany(missing.map(({ key }) => key)), (answers) => {
      // The read overlapped a commit: its results may be stale.
      if (prefetch.commits !== commits) return prefetchCoins(prefetch, outpoints, isElsewhere)
      const broken = addLoaded(slots, missing, answers)
      return broken === undefined ? Effect.void : Effect.fail(brokenCoin("read", broken))
    })
  })
