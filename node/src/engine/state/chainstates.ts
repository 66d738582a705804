import * as Effect from "effect/Effect"
import type { CoinCache } from "../../coins/coin-cache.ts"
import { type CoinSpace, otherSpace, readerIn, storeIn } from "../../coins/coin-space.ts"
import { makeCoinCache } from "../../coins/make-coin-cache.ts"
import { type SwitchedCoins, switchedCoins } from "../../coins/switched-coins.ts"
import { KeySpace } from "../../storage/key-space.ts"
import type { KeyValueStore } from "../../storage/key-value/key-value-store.ts"
import { StorageError } from "../../storage/storage-error.ts"
import { asTyped } from "../../typed-command.ts"
import type { EngineOptions } from "../options/engine-options.ts"
import { type BackgroundRecord, COINS_RECORD_KEY, type CoinsRecord, decodeCoinsRecord } from "./coins-record.ts"

/** The sets of coins in the store, and which of them is that of the active chain. */
export interface Chainstates {
  /** The whole store. `store` of the engine shows only the coins of the active chain. */
  readonly whole: KeyValueStore
  /** The coins of the active chain. */
  readonly coins: SwitchedCoins
  active: CoinSpace
  /** True if the other set is unused and being removed. */
  hasLeftover: boolean
  /** True if the store has a record of this, or is to get one. */
  isRecorded: boolean
  /** The background chain of the last run. */
  readonly atStart: (BackgroundRecord & { readonly coins: CoinCache }) | undefined
}

/** Share of the memory for coins that each of two chains gets. */
const HALF = 1 / 2

type CacheOptions = Pick<EngineOptions, "coinEviction" | "dbcacheBytes">

/** Makes a coins cache over one of the two sets. `isShared` is true if two chains share the memory. */
export const cacheIn = (
  whole: KeyValueStore,
  space: CoinSpace,
  { coinEviction, dbcacheBytes }: CacheOptions,
  isShared: boolean
): Effect.Effect<CoinCache, StorageError> =>
  makeCoinCache(readerIn(whole, () => space), {
    dbcacheBytes: isShared ? dbcacheBytes * HALF : dbcacheBytes,
    eviction: coinEviction
  })

const FIRST: CoinsRecord = { active: KeySpace.coin, hasLeftover: false, background: undefined }

/** Reads the record of a store, or the default without one. */
export const readCoinsRecord = Effect.fnUntraced(
  function*(whole: KeyValueStore): Effect.fn.Return<CoinsRecord, StorageError> {
    const bytes = yield* whole.get(COINS_RECORD_KEY)
    if (bytes === undefined) return FIRST
    return decodeCoinsRecord(bytes) ?? (yield* new StorageError({
      part: "key-value",
      operation: "start",
      reason: "corrupt",
      message: "The database of the chain does not say which of its coins are in use: its record of them is damaged. " +
        `Run ${asTyped("rebuild")}, which makes it anew from the block files.`
    }))
  }
)

/** Opens the sets of coins as the last run left them. */
export const openChainstates = Effect.fnUntraced(function*(
  whole: KeyValueStore,
  options: CacheOptions
): Effect.fn.Return<Chainstates, StorageError> {
  const found = yield* readCoinsRecord(whole)
  const { active, background, hasLeftover } = found
  const isShared = background !== undefined
  const coins = switchedCoins(yield* cacheIn(whole, active, options, isShared))
  const atStart = background && { ...background, coins: yield* cacheIn(whole, otherSpace(active), options, true) }
  return { whole, coins, active, hasLeftover, isRecorded: found !== FIRST, atStart }
})

/** The store as the active chain sees it. */
export const activeStore = (chainstates: Chainstates): KeyValueStore =>
  storeIn(chainstates.whole, () => chainstates.active)
