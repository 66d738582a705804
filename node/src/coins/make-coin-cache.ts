import type { Overlay } from "@lockstep/kernel/utxo/overlay.ts"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { randomInt } from "node:crypto"
import { KeySpace, rangeOf } from "../storage/key-space.ts"
import type { KeyValueReader } from "../storage/key-value/key-value-store.ts"
import type { StorageError } from "../storage/storage-error.ts"
import { arenaBytes, CELL_BYTES } from "./cell-arena.ts"
import type { CoinCache } from "./coin-cache.ts"
import { changeCoin, coinOf, coinPool, settle } from "./coin-pool.ts"
import { commitPace, learn } from "./commit-pace.ts"
import { type CoinEviction, evict, type Sweep } from "./eviction.ts"
import { gather, type Gathering } from "./gather.ts"
import { knownTransactions, mayBeKnown } from "./known-transactions.ts"
import { writeChanges } from "./write-changes.ts"

export interface CoinCacheOptions {
  /** Memory for coins and for writing them, in bytes; it is exceeded by what one block changes, not by more. */
  readonly dbcacheBytes: number
  /** None: `dynamic`. */
  readonly eviction?: CoinEviction | undefined
  /** Any 32-bit number that nobody else knows; none: drawn. */
  readonly seed?: number
  /** Milliseconds that only grow. */
  readonly now?: () => number
}

/** Of the memory, what the filter of known transactions may take. */
const FILTER_SHARE = 1 / 16
/** What is left in use after a commit, so that there is room until the next. */
const AFTER_COMMIT = 1 / 2
/** Of the coins that would fill the memory, those that find place before the index grows: each time it is filled anew. */
const EXPECTED_SHARE = 1 / 32
/** What a store takes for each change while it writes a batch, in memory that counts as ours. */
const WRITING_BYTES = 256

const NOWHERE = (): boolean => false

const isEmpty = (store: KeyValueReader): Effect.Effect<boolean, StorageError> =>
  Effect.map(Stream.runHead(store.range({ ...rangeOf(KeySpace.coin), limit: 1 })), ({ _tag }) => _tag === "None")

/** The coins of a store that nobody else writes coins to. */
export const makeCoinCache = Effect.fn("CoinCache.make")(function*(
  store: KeyValueReader,
  { dbcacheBytes, eviction = "dynamic", now = () => performance.now(), seed = randomInt(2 ** 32) }: CoinCacheOptions
) {
  const pool = coinPool(seed, dbcacheBytes / CELL_BYTES * EXPECTED_SHARE)
  const { arena, index } = pool
  const startsEmpty = yield* isEmpty(store)
  const known = knownTransactions(seed, dbcacheBytes * FILTER_SHARE, startsEmpty)
  const gathering: Gathering = { pool, store, known, lookUps: { hits: 0, misses: 0 }, commits: 0 }
  const sweep: Sweep = { hand: 0 }
  const pace = commitPace(startsEmpty)
  const written = { version: 0, at: 0 }

  const tables = (): number => index.slots.byteLength + pool.listed.byteLength + known.bytes

  const apply = ({ changes }: Overlay): void => {
    for (let i = 0; i < changes.values.length; i++) changeCoin(pool, changes.outpoints[i]!, changes.values[i]!.after)
  }

  const committed = (): void => {
    if (pool.version !== written.version) throw new Error("coins changed after their changes had been written")
    learn(pace, pool.changes, now() - written.at)
    gathering.commits++
    settle(pool)
    evict(pool, sweep, (dbcacheBytes * AFTER_COMMIT - tables()) / CELL_BYTES, eviction)
  }

  const cache: CoinCache = {
    coinAt: (outpoint) => coinOf(pool, outpoint),
    gather: (outpoints, isElsewhere = NOWHERE) => gather(gathering, outpoints, isElsewhere),
    mayBeStored: (txid) => mayBeKnown(known, txid),
    apply,
    writeChanges: (batch) => {
      written.version = pool.version
      written.at = now()
      writeChanges(pool, known, batch)
    },
    committed,
    changes: () => pool.changes,
    bytes: () => arenaBytes(arena) + tables(),
    isFull: () =>
      pool.changes >= pace.changes || arena.used * CELL_BYTES + pool.changes * WRITING_BYTES + tables() >= dbcacheBytes,
    statistics: () => ({ ...gathering.lookUps })
  }
  return cache
})
