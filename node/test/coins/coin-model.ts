import { assert } from "@effect/vitest"
import type { OutPoint } from "@lockstep/kernel/model"
import { changeCoin, type Coin, type Overlay, overlayOn } from "@lockstep/kernel/utxo"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import fc from "fast-check"
import type { CoinCache } from "../../src/coins/coin-cache.ts"
import { decodeCoin } from "../../src/coins/coin-codec.ts"
import { outPointOfKey } from "../../src/coins/coin-key.ts"
import { makeCoinCache } from "../../src/coins/make-coin-cache.ts"
import { KeySpace, rangeOf } from "../../src/storage/key-space.ts"
import type { KeyValueStore } from "../../src/storage/key-value/key-value-store.ts"
import { reverseOf } from "./sample-coins.ts"

/** Outpoints of few transactions, so that they meet again and again; their numbers span all four bytes. */
const TRANSACTIONS = 12
const NUMBERS = [0, 1, 255, 256, 0x1_0000, 0xffff_ffff]
export const OUTPOINTS: ReadonlyArray<OutPoint> = Array.from({ length: TRANSACTIONS * NUMBERS.length }, (_, i) => {
  const txid = new Uint8Array(32).fill(Math.floor(i / NUMBERS.length) * 21)
  // Half of them differ only in the last byte.
  if (i % (2 * NUMBERS.length) < NUMBERS.length) txid.fill(0xee, 0, 31)
  return { txid, vout: NUMBERS[i % NUMBERS.length]! }
})

export type Step =
  /** New coins at some outpoints, none at others, on top of what is there; `place` picks the outpoint. */
  | { readonly _tag: "Block"; readonly changes: ReadonlyArray<readonly [place: number, coin: Coin | undefined]> }
  | { readonly _tag: "TakeBack" }
  | { readonly _tag: "Commit" }
  | { readonly _tag: "FailedCommit" }
  | { readonly _tag: "Reopen" }
  | { readonly _tag: "Look"; readonly places: ReadonlyArray<number> }

/** Sizes around those at which a script needs one more cell. */
const SIZES = [0, 1, 22, 25, 34, 35, 36, 37, 67, 112, 113, 192, 193, 1_000, 10_000]

const anyCoin: fc.Arbitrary<Coin> = fc.record({
  value: fc.bigInt(0n, 2_100_000_000_000_000n),
  script: fc
    .tuple(fc.constantFrom(...SIZES), fc.nat(255))
    .map(([size, first]) => Uint8Array.from({ length: size }, (_, i) => first + i)),
  height: fc.oneof(fc.nat(5), fc.nat(0x7fff_ffff)),
  isCoinbase: fc.boolean()
}, { noNullPrototype: true })
const places = fc.nat(OUTPOINTS.length - 1)

const blocks: fc.Arbitrary<Step> = fc
  .array(fc.tuple(places, fc.option(anyCoin, { nil: undefined })), { minLength: 1, maxLength: 20 })
  .map((changes) => ({ _tag: "Block", changes }))
const alone = (_tag: "TakeBack" | "Commit" | "FailedCommit" | "Reopen"): fc.Arbitrary<Step> => fc.constant({ _tag })

export const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
  fc.oneof(
    { arbitrary: blocks, weight: 8 },
    { arbitrary: alone("TakeBack"), weight: 3 },
    { arbitrary: alone("Commit"), weight: 3 },
    { arbitrary: alone("FailedCommit"), weight: 1 },
    { arbitrary: alone("Reopen"), weight: 1 },
    {
      arbitrary: fc.array(places, { maxLength: 10 }).map((looked): Step => ({ _tag: "Look", places: looked })),
      weight: 2
    }
  ),
  { maxLength: 40 }
)

const keyOf = ({ txid, vout }: OutPoint): string => `${Buffer.from(txid).toString("hex")}:${vout}`

type Coins = ReadonlyMap<string, Coin>

/** What the cache must be like: plain maps. */
interface Model {
  tip: Coins
  stored: Coins
  /** Since the last commit: each overlay, and the coins before it. */
  readonly applied: Array<{ readonly overlay: Overlay; readonly before: Coins }>
}

const textOf = (coin: Coin | undefined): string | undefined =>
  coin && `${coin.value} ${coin.height} ${coin.isCoinbase} ${Buffer.from(coin.script).toString("hex")}`

const textsOf = (coins: Coins): ReadonlyArray<string> =>
  [...coins].map(([key, coin]) => `${key} ${textOf(coin)}`).sort()

const differences = ({ stored, tip }: Model): number =>
  [...new Set([...tip.keys(), ...stored.keys()])].filter((key) => textOf(tip.get(key)) !== textOf(stored.get(key)))
    .length

const coinsIn = (store: KeyValueStore) =>
  Stream.runFold(store.range(rangeOf(KeySpace.coin)), () => new Map<string, Coin>(), (found, entries) => {
    for (const [key, value] of entries) found.set(keyOf(outPointOfKey(key)), decodeCoin(value)!)
    return found
  })

const assertCoins = (cache: CoinCache, model: Model, looked: ReadonlyArray<OutPoint>): void => {
  for (const outpoint of looked) assert.deepStrictEqual(cache.coinAt(outpoint), model.tip.get(keyOf(outpoint)))
}

const block = (
  cache: CoinCache,
  model: Model,
  changes: ReadonlyArray<readonly [number, Coin | undefined]>,
  seed: number
) =>
  Effect.gen(function*() {
    const looked = changes.map(([place]) => OUTPOINTS[place]!)
    yield* cache.prefetchCoins(looked)
    const overlay = overlayOn(cache, looked.length, seed)
    for (const [i, [, coin]] of changes.entries()) changeCoin(overlay, looked[i]!, coin)
    const tip = new Map(model.tip)
    for (const [place, coin] of changes) {
      const key = keyOf(OUTPOINTS[place]!)
      if (coin === undefined) tip.delete(key)
      else tip.set(key, coin)
    }
    cache.apply(overlay)
    model.applied.push({ overlay, before: model.tip })
    model.tip = tip
    assertCoins(cache, model, looked)
  })

const rollBack = (cache: CoinCache, model: Model): void => {
  const last = model.applied.pop()
  if (last === undefined) return
  cache.apply(reverseOf(cache, last.overlay))
  model.tip = last.before
  assertCoins(cache, model, last.overlay.changes.outpoints)
}

const commit = (cache: CoinCache, model: Model, store: KeyValueStore) =>
  Effect.gen(function*() {
    const keys: Array<Uint8Array> = []
    const changes = cache.changes()
    yield* store.write((batch) =>
      cache.writeChanges({
        put: (key, value) => {
          keys.push(key.slice())
          batch.put(key, value)
        },
        remove: (key) => {
          keys.push(key.slice())
          batch.remove(key)
        }
      })
    )
    cache.committed()
    assert.strictEqual(keys.length, changes)
    for (const [i, key] of keys.entries()) assert(i === 0 || Buffer.compare(keys[i - 1]!, key) < 0, "keys are in order")
    model.stored = model.tip
    model.applied.length = 0
    assert.deepStrictEqual(textsOf(yield* coinsIn(store)), textsOf(model.stored))
    assert.strictEqual(cache.changes(), 0)
  })

/** Everything is handed to a store that then does not keep it. */
const failedCommit = (cache: CoinCache, store: KeyValueStore) =>
  Effect.exit(store.write((batch) => {
    cache.writeChanges(batch)
    throw new Error("the disk is gone")
  }))

/** Takes `given` steps with a cache on an empty store and with the model, which must agree at every step. */
export const follow = Effect.fn(function*(
  open: Effect.Effect<KeyValueStore>,
  given: ReadonlyArray<Step>,
  options: { readonly dbcacheBytes: number; readonly seed: number }
) {
  const store = yield* open
  const model: Model = { tip: new Map(), stored: new Map(), applied: [] }
  let cache = yield* makeCoinCache(store, options)
  for (const step of given) {
    if (step._tag === "Block") yield* block(cache, model, step.changes, options.seed)
    if (step._tag === "TakeBack") rollBack(cache, model)
    if (step._tag === "Commit") yield* commit(cache, model, store)
    if (step._tag === "FailedCommit") yield* failedCommit(cache, store)
    if (step._tag === "Reopen") {
      cache = yield* makeCoinCache(store, options)
      model.tip = model.stored
      model.applied.length = 0
    }
    if (step._tag === "Look") {
      const looked = step.places.map((place) => OUTPOINTS[place]!)
      yield* cache.prefetchCoins(looked)
      assertCoins(cache, model, looked)
    }
    assert.isAtLeast(cache.changes(), differences(model))
  }
  while (model.applied.length > 0) rollBack(cache, model)
  yield* commit(cache, model, store)
  yield* cache.prefetchCoins(OUTPOINTS)
  assertCoins(cache, model, OUTPOINTS)
  yield* store.close
})
