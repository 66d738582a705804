import type { Crypto } from "@lockstep/kernel/crypto/crypto.ts"
import { coinBytes } from "@lockstep/kernel/utxo-hash/coin-serialization.ts"
import { EMPTY_MUHASH, muHashDigest, muHashElement, muHashInsert } from "@lockstep/kernel/utxo-hash/muhash.ts"
import { bogoSize } from "@lockstep/kernel/utxo-hash/statistics.ts"
import { bytesEqual } from "@lockstep/kernel/bytes/equal.ts"
import type { PlacedCoin } from "@lockstep/kernel/utxo/coin.ts"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import { brokenCoin, decodeCoin } from "../../coins/coin-codec.ts"
import { outPointOfKey } from "../../coins/coin-key.ts"
import { KeySpace, rangeOf } from "../../storage/key-space.ts"
import type { KeyValue, KeyValueReader } from "../../storage/key-value/key-value-store.ts"
import type { StorageError } from "../../storage/storage-error.ts"
import type { SetHashType } from "../calls/engine-calls.ts"

/** What the coins of a set add up to, with the hash that was asked for. */
export interface WalkedSet {
  readonly txouts: number
  readonly transactions: number
  readonly bogoSize: bigint
  readonly total: bigint
  readonly setHash: Uint8Array | undefined
}

interface SetHasher {
  readonly add: (placed: PlacedCoin) => void
  readonly digest: () => Uint8Array | undefined
}

const muHasher = (crypto: Crypto): SetHasher => {
  let hash = EMPTY_MUHASH
  return {
    add: ({ coin, outpoint }) => {
      hash = muHashInsert(hash, muHashElement(coinBytes(outpoint, coin), crypto))
    },
    digest: () => muHashDigest(hash, crypto)
  }
}

const serialHasher = (crypto: Crypto): SetHasher => {
  const stream = createHash("sha256")
  return {
    add: ({ coin, outpoint }) => stream.update(coinBytes(outpoint, coin)),
    digest: () => crypto.sha256(stream.digest())
  }
}

const NO_HASHER: SetHasher = { add: () => {}, digest: () => undefined }

const hasherFor = (type: SetHashType, crypto: Crypto): SetHasher =>
  type === "muhash" ? muHasher(crypto) : type === "hash_serialized_3" ? serialHasher(crypto) : NO_HASHER

/** Walks over all coins of a store, or of a snapshot of it, in the order of their keys. */
export const walkSet = Effect.fnUntraced(function*(
  store: KeyValueReader,
  type: SetHashType,
  crypto: Crypto
): Effect.fn.Return<WalkedSet, StorageError> {
  const hasher = hasherFor(type, crypto)
  const sums = { txouts: 0, transactions: 0, bogoSize: 0n, total: 0n }
  let last: Uint8Array | undefined
  const take = ([key, value]: KeyValue): StorageError | undefined => {
    const outpoint = outPointOfKey(key)
    const coin = decodeCoin(value)
    if (coin === undefined) return brokenCoin("walk over the coins", outpoint)
    if (last === undefined || !bytesEqual(last, outpoint.txid)) sums.transactions++
    last = outpoint.txid
    sums.txouts++
    sums.bogoSize += BigInt(bogoSize(coin))
    sums.total += coin.value
    hasher.add({ outpoint, coin })
    return undefined
  }
  yield* Stream.runForEach(store.range(rangeOf(KeySpace.coin)), (entries) => {
    for (const entry of entries) {
      const problem = take(entry)
      if (problem !== undefined) return Effect.fail(problem)
    }
    // A long walk lets others have their turn.
    return Effect.yieldNow
  })
  return { ...sums, setHash: hasher.digest() }
})
