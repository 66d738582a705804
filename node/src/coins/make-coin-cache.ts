import type { Overlay } from "@lockstep/kernel/utxo"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { randomInt } from "node:crypto"
import { monotonicClock, type ReadClock } from "../clock.ts"
import { KeySpace, rangeOf } from "../storage/key-space.ts"
import type { KeyValueReader } from "../storage/key-value/key-value-store.ts"
import type { StorageError } from "../storage/storage-error.ts"
import { arenaBytes, CELL_BYTES } from "./cell-arena.ts"
import type { CoinCache } from "./coin-cache.ts"
import { setCoin, coinOf, coinSlots, markFlushed } from "./coin-slots.ts"
import { commitPace, learn } from "./commit-pace.ts"
import { type CoinEviction, evict, type ClockHand } from "./eviction.ts"
import { prefetchCoins, type CoinPrefetch } from "./prefetch-coins.ts"
import { txidBloomFilter, mayContainTxid } from "./txid-bloom-filter.ts"
import { writeChanges } from "./write-changes.ts"

export interface CoinCacheOptions {
  /** Memory for coins and for writing them, in bytes. It is exceeded at most by the changes of one block. */
  readonly dbcacheBytes: number
  /** `dynamic` by default. */
  readonly eviction?: CoinEviction | undefined
  /** Any secret 32-bit number; random by default. */
  readonly seed?: number
  /** A monotonic clock in milliseconds. */
  readonly now?: ReadClock
}

/** The share of the memory that the Bloom filter of transactions may take. */
const FILTER_SHARE = 1 / 16
/** The share in use after an eviction, so that space remains until the next one. */
const AFTER_COMMIT = 1 / 2
/** The initial size of the index, as a share of the coins that would fill the memory. Each growth refills it. */
const EXPECTED_SHARE = 1 / 32
/** Bytes that a store takes for each change while it writes a batch, in memory that counts towards the limit. */
const WRITING_BYTES = 256

const NOWHERE = (): boolean => false

const isEmpty = (store: KeyValueReader): Effect.Effect<boolean, StorageError> =>
  Effect.map(Stream.runHead(store.range({ ...rangeOf(KeySpace.coin), limit: 1 })), ({ _tag }) => _tag === "None")

/** Makes the coins cache over a store. Only the cache writes coins to the store. */
export const makeCoinCache = Effect.fn("CoinCache.make")(function*(
  store: KeyValueReader,
  { dbcacheBytes, eviction = "dynamic", now: given, seed = randomInt(2 ** 32) }: CoinCacheOptions
) {
  const now = given ?? (yield* monotonicClock)
  const slots = coinSlots(seed, dbcacheBytes / CELL_BYTES * EXPECTED_SHARE)
  const { arena, index } = slots
  const startsEmpty = yield* isEmpty(store)
  const known = txidBloomFilter(seed, dbcacheBytes * FILTER_SHARE, startsEmpty)
  const prefetch: CoinPrefetch = { slots, store, known, lookUps: { hits: 0, misses: 0 }, commits: 0 }
  const clockHand: ClockHand = { hand: 0 }
  const pace = commitPace(startsEmpty)
  const written = { version: 0, at: 0 }

  const tables = (): number => index.slots.byteLength + slots.dirtyList.byteLength + known.bytes

  const apply = ({ changes }: Overlay): void => {
    for (let i = 0; i < changes.values.length; i++) setCoin(slots, changes.outpoints[i]!, changes.values[i]!.after)
  }

  const committed = (): void => {
    if (slots.version !== written.version) throw new Error("coins changed after their changes had been written")
    learn(pace, slots.changes, now() - written.at)
    prefetch.commits++
    markFlushed(slots)
    evict(slots, clockHand, (dbcacheBytes * AFTER_COMMIT - tables()) / CELL_BYTES, eviction)
  }

  const cache: CoinCache = {
    coinAt: (outpoint) => coinOf(slots, outpoint),
    prefetchCoins: (outpoints, isElsewhere = NOWHERE) => prefetchCoins(prefetch, outpoints, isElsewhere),
    mayBeStored: (txid) => mayContainTxid(known, txid),
    apply,
    writeChanges: (batch) => {
      written.version = slots.version
      written.at = now()
      writeChanges(slots, known, batch)
    },
    committed,
    changes: () => slots.changes,
    bytes: () => arenaBytes(arena) + tables(),
    isFull: () =>
      slots.changes >= pace.changes ||
      arena.used * CELL_BYTES + slots.changes * WRITING_BYTES + tables() >= dbcacheBytes,
    statistics: () => ({ ...prefetch.lookUps })
  }
  return cache
})
