import type { OutPoint } from "@lockstep/kernel/model/transaction.ts"
import * as Effect from "effect/Effect"
import type { KeyValueReader } from "../storage/key-value/key-value-store.ts"
import type { StorageError } from "../storage/storage-error.ts"
import { Mark, marksOf, setMarks } from "./cell-arena.ts"
import { findCell } from "./cell-index.ts"
import type { IsElsewhere } from "./coin-cache.ts"
import { brokenCoin, readCoinHead } from "./coin-codec.ts"
import { coinKey } from "./coin-key.ts"
import { type CoinPool, loadCoin } from "./coin-pool.ts"
import { type KnownTransactions, mayBeKnown } from "./known-transactions.ts"
import { prefetch } from "./prefetch.ts"

/** Look-ups answered from memory, and those that went to the store. */
export interface LookUps {
  hits: number
  misses: number
}

export interface Gathering {
  readonly pool: CoinPool
  readonly store: Pick<KeyValueReader, "getMany">
  readonly known: KnownTransactions
  readonly lookUps: LookUps
  /** Grows with every commit. */
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

/** What only the store can tell, in key order, each once. */
const missingOf = (
  { known, lookUps, pool }: Gathering,
  outpoints: ReadonlyArray<OutPoint>,
  isElsewhere: IsElsewhere
): ReadonlyArray<Missing> => {
  const missing: Array<Missing> = []
  prefetch(pool.ahead, pool.index, outpoints)
  for (const outpoint of outpoints) {
    const cell = findCell(pool.index, outpoint)
    if (cell >= 0) setMarks(pool.arena, cell, marksOf(pool.arena, cell) | Mark.warm)
    else if (mayBeKnown(known, outpoint.txid) && !isElsewhere(outpoint)) missing.push({ outpoint, key: coinKey(outpoint) })
  }
  lookUps.misses += missing.length
  lookUps.hits += outpoints.length - missing.length
  missing.sort(compareKeys)
  return missing.filter((each, i) => i === 0 || compareKeys(each, missing[i - 1]!) !== 0)
}

/** Takes in what the store answered; yields the first coin that is none. */
const takeIn = (
  pool: CoinPool,
  missing: ReadonlyArray<Missing>,
  answers: ReadonlyArray<Uint8Array | undefined>
): OutPoint | undefined => {
  for (let i = 0; i < missing.length; i++) {
    const bytes = answers[i]
    const { outpoint } = missing[i]!
    // Somebody else may have brought it, and changed it, while the store was asked.
    if (bytes === undefined || findCell(pool.index, outpoint) >= 0) continue
    const head = readCoinHead(bytes, pool.numbers)
    if (head < 0) return outpoint
    loadCoin(pool, outpoint, bytes, head)
  }
  return undefined
}

/** Brings into memory whatever of `outpoints` is in the store. */
export const gather = (
  gathering: Gathering,
  outpoints: ReadonlyArray<OutPoint>,
  isElsewhere: IsElsewhere
): Effect.Effect<void, StorageError> =>
  Effect.suspend(() => {
    const missing = missingOf(gathering, outpoints, isElsewhere)
    if (missing.length === 0) return Effect.void
    const { commits, pool, store } = gathering
    return Effect.flatMap(store.getMany(missing.map(({ key }) => key)), (answers) => {
      // The store was asked before a commit and answered after it, or the other way round: the answers may be of the past.
      if (gathering.commits !== commits) return gather(gathering, outpoints, isElsewhere)
      const broken = takeIn(pool, missing, answers)
      return broken === undefined ? Effect.void : Effect.fail(brokenCoin("read", broken))
    })
  })
