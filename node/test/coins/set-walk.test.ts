import { assert, describe, it } from "@effect/vitest"
import { nobleCrypto as crypto } from "@lockstep/kernel/noble"
import {
  coinBytes,
  compareForHash,
  EMPTY_MUHASH,
  muHashDigest,
  muHashElement,
  muHashInsert,
  serializedSetHash,
  setStatistics
} from "@lockstep/kernel/utxo-hash"
import type { PlacedCoin } from "@lockstep/kernel/utxo"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { createHash } from "node:crypto"
import { encodeCoin } from "../../src/coins/coin-codec.ts"
import { coinKey } from "../../src/coins/coin-key.ts"
import { type SetHashType, walkSet } from "../../src/coins/set-walk.ts"
import type { KeyValueStore } from "../../src/storage/key-value/key-value-store.ts"
import { LEVELDB, LMDB, MEMORY } from "../storage/key-value/engines.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { outPoint, sampleCoin } from "./sample-coins.ts"

/** Transactions with one coin and with hundreds, so that parts of a walk end within one; the numbers pass 255. */
const SIZES = [1, 700, 2, 1, 300, 1, 1_100, 3]
const COINS: ReadonlyArray<PlacedCoin> = SIZES
  .flatMap((size, number) =>
    Array.from({ length: size }, (_, vout) => ({
      outpoint: outPoint(number, vout),
      coin: sampleCoin(number * 2_000 + vout, vout % 40)
    }))
  )
  .sort((a, b) => compareForHash(a.outpoint, b.outpoint))

/** What keys and values of the coins take. */
const BYTES = COINS.reduce((sum, { coin, outpoint }) => sum + coinKey(outpoint).length + encodeCoin(coin).length, 0)

const display = (hash: Uint8Array | undefined) => hash && Buffer.from(hash).reverse().toString("hex")

const walk = (store: KeyValueStore, hashType: SetHashType) =>
  Effect.scoped(Effect.gen(function*() {
    const snapshot = yield* Effect.acquireRelease(store.snapshot, ({ close }) => close)
    return yield* walkSet(snapshot, { hashType, crypto })
  }))

const fill = (store: KeyValueStore) =>
  store.write((batch) => {
    batch.put(Uint8Array.of(0x62), Uint8Array.of(1))
    for (const { coin, outpoint } of COINS) batch.put(coinKey(outpoint), encodeCoin(coin))
    batch.put(Uint8Array.of(0x64), Uint8Array.of(1))
  })

describe.each([MEMORY, LMDB, LEVELDB])("walk over the coins on $name", ({ open }) => {
  it.effect("finds what the kernel says of the same coins", () =>
    Effect.scoped(Effect.gen(function*() {
      const store = yield* open(yield* temporaryDirectory)
      yield* fill(store)
      const none = yield* walk(store, "none")
      const muHash = yield* walk(store, "muhash")
      const serialized = yield* walk(store, "hash_serialized_3")
      assert.strictEqual(none.transactions, SIZES.length)
      assert.deepStrictEqual(none, { ...setStatistics(COINS), bytes: BYTES, setHash: undefined })
      assert.deepStrictEqual(serialized, {
        ...setStatistics(COINS),
        bytes: BYTES,
        setHash: serializedSetHash(COINS, createHash("sha256"), crypto)
      })
      let hash = EMPTY_MUHASH
      for (const { coin, outpoint } of COINS.toReversed()) {
        hash = muHashInsert(hash, muHashElement(coinBytes(outpoint, coin), crypto))
      }
      assert.deepStrictEqual(muHash, { ...setStatistics(COINS), bytes: BYTES, setHash: muHashDigest(hash, crypto) })
      yield* store.close
    })))
})

describe("walk over the coins", () => {
  it.effect("knows the hashes of no coins", () =>
    Effect.gen(function*() {
      const store = yield* MEMORY.open("")
      const muHash = yield* walk(store, "muhash")
      assert.strictEqual(display(muHash.setHash), "dd5ad2a105c2d29495f577245c357409002329b9f4d6182c0af3dc2f462555c8")
      const serialized = yield* walk(store, "hash_serialized_3")
      assert.strictEqual(
        display(serialized.setHash),
        "56944c5d3f98413ef45cf54545538103cc9f298e0575820ad3591376e2e0f65d"
      )
      assert.deepStrictEqual(serialized, {
        coins: 0,
        transactions: 0,
        bogoSize: 0,
        total: 0n,
        bytes: 0,
        setHash: serialized.setHash
      })
    }))

  it.effect("names a coin that is damaged", () =>
    Effect.gen(function*() {
      const store = yield* MEMORY.open("")
      yield* fill(store)
      yield* store.write((batch) => batch.put(coinKey(outPoint(4, 17)), Uint8Array.of(0xff)))
      const error = yield* Effect.flip(walk(store, "none"))
      assert.strictEqual(error.reason, "corrupt")
      assert.include(error.message, `${display(outPoint(4).txid)}:17`)
    }))

  it.live("yields to other work, reports how far it is, and can be stopped", () =>
    Effect.gen(function*() {
      const store = yield* MEMORY.open("")
      yield* fill(store)
      const seen: Array<number> = []
      const turns: Array<number> = []
      const other = setInterval(() => turns.push(seen.length), 0)
      yield* walkSet(store, { hashType: "muhash", crypto, onProgress: (coins) => seen.push(coins) })
      clearInterval(other)
      assert.deepStrictEqual(seen.at(-1), COINS.length)
      assert.isAbove(seen.length, 1)
      assert.isAbove(turns.length, 3)
      let last = 0
      const walking = yield* Effect.forkChild(
        walkSet(store, { hashType: "muhash", crypto, onProgress: (coins) => last = coins })
      )
      yield* Effect.yieldNow
      yield* Fiber.interrupt(walking)
      assert.isBelow(last, COINS.length)
    }))
})
