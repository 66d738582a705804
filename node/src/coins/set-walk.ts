import { bytesEqual } from "@lockstep/kernel/bytes"
import type { Crypto } from "@lockstep/kernel/crypto"
import {
  coinBytes,
  EMPTY_MUHASH,
  muHashDigest,
  muHashElement,
  muHashInsert,
  serializedSetHash,
  setStatistics,
  type SetStatistics
} from "@lockstep/kernel/utxo-hash"
import type { PlacedCoin } from "@lockstep/kernel/utxo"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import { KeySpace, rangeOf } from "../storage/key-space.ts"
import type { KeyValue, KeyValueReader } from "../storage/key-value/key-value-store.ts"
import { StorageError } from "../storage/storage-error.ts"
import { brokenCoin, decodeCoin } from "./coin-codec.ts"
import { outPointOfKey } from "./coin-key.ts"

/** Hash types of the set of coins, with the names of `gettxoutsetinfo`. */
export type SetHashType = "none" | "muhash" | "hash_serialized_3"

/** The result of a walk over all coins. */
export interface SetWalk extends SetStatistics {
  /** Hash of the requested kind, in wire order. */
  readonly setHash: Uint8Array | undefined
  /** Bytes of keys and values as stored. */
  readonly bytes: number
}

export interface SetWalkOptions {
  readonly hashType: SetHashType
  readonly crypto: Crypto
  /** Called from time to time with the number of coins so far. */
  readonly onProgress?: (coins: number) => void
}

/** Number of coins hashed before other tasks get their turn: a few milliseconds of work. */
const AT_ONCE = 256

/** A hash of the set. It is fed in key order, the order of the serialized hash. */
interface Hashing {
  readonly add: (coin: PlacedCoin) => void
  readonly digest: () => Uint8Array | undefined
}

const HASHING: Readonly<Record<SetHashType, (crypto: Crypto) => Hashing>> = {
  none: () => ({ add: () => {}, digest: () => undefined }),
  muhash: (crypto) => {
    let hash = EMPTY_MUHASH
    return {
      add: ({ coin, outpoint }) => {
        hash = muHashInsert(hash, muHashElement(coinBytes(outpoint, coin), crypto))
      },
      digest: () => muHashDigest(hash, crypto)
    }
  },
  hash_serialized_3: (crypto) => {
    const stream = createHash("sha256")
    return {
      add: ({ coin, outpoint }) => void stream.update(coinBytes(outpoint, coin)),
      // The stream already contains all coins.
      digest: () => serializedSetHash([], stream, crypto)
    }
  }
}

const placedCoin = ([key, value]: KeyValue): PlacedCoin | StorageError => {
  const outpoint = outPointOfKey(key)
  const coin = decodeCoin(value)
  return coin === undefined ? brokenCoin("walk over the coins", outpoint) : { outpoint, coin }
}

const EMPTY: SetStatistics = { coins: 0, transactions: 0, bogoSize: 0, total: 0n }

/** Joins the statistics of two consecutive parts of a set. `isCut` is true if one transaction has coins in both. */
const joined = (a: SetStatistics, b: SetStatistics, isCut: boolean): SetStatistics => ({
  coins: a.coins + b.coins,
  transactions: a.transactions + b.transactions - (isCut ? 1 : 0),
  bogoSize: a.bogoSize + b.bogoSize,
  total: a.total + b.total
})

/**
 * Walks over all coins of a snapshot: number, transactions, size, value and the requested hash. Coins that the cache
 * has not flushed yet are not included.
 */
export const walkSet = Effect.fn("CoinSet.walk")(function*(
  snapshot: KeyValueReader,
  { crypto, hashType, onProgress }: SetWalkOptions
) {
  const hashing = HASHING[hashType](crypto)
  let statistics = EMPTY
  let last: Uint8Array | undefined
  let bytes = 0
  const take = (entries: ReadonlyArray<KeyValue>): StorageError | undefined => {
    const coins: Array<PlacedCoin> = []
    for (const entry of entries) {
      const coin = placedCoin(entry)
      if (coin instanceof StorageError) return coin
      hashing.add(coin)
      bytes += entry[0].length + entry[1].length
      coins.push(coin)
    }
    const isCut = last !== undefined && bytesEqual(last, coins[0]!.outpoint.txid)
    statistics = joined(statistics, setStatistics(coins), isCut)
    last = coins.at(-1)!.outpoint.txid
    return undefined
  }
  yield* Stream.runForEach(snapshot.range(rangeOf(KeySpace.coin)), (entries) =>
    Effect.gen(function*() {
      for (let from = 0; from < entries.length; from += AT_ONCE) {
        const broken = take(entries.slice(from, from + AT_ONCE))
        if (broken !== undefined) return yield* broken
        yield* Effect.yieldNow
      }
      onProgress?.(statistics.coins)
    }))
  const walk: SetWalk = { ...statistics, bytes, setHash: hashing.digest() }
  return walk
})
