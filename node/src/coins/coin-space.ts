import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { KeySpace } from "../storage/key-space.ts"
import type {
  BatchWriter,
  KeyRange,
  KeyValue,
  KeyValueReader,
  KeyValueStore
} from "../storage/key-value/key-value-store.ts"

/** Key space of a set of coins. Two exist, so that a snapshot can be loaded beside the coins in use. */
export type CoinSpace = typeof KeySpace.coin | typeof KeySpace.secondCoin

/** Returns the other one of the two. */
export const otherSpace = (space: CoinSpace): CoinSpace => space === KeySpace.coin ? KeySpace.secondCoin : KeySpace.coin

const withFirst = (key: Uint8Array, first: number): Uint8Array => {
  const moved = key.slice()
  moved[0] = first
  return moved
}

const inSpace = (key: Uint8Array, space: CoinSpace): Uint8Array =>
  key[0] === KeySpace.coin && space !== KeySpace.coin ? withFirst(key, space) : key

/** Returns the end of a range within `space`. It is excluded, and may be the first key of the next space. */
const endInSpace = ({ from, to }: KeyRange, space: CoinSpace): Uint8Array =>
  from[0] === KeySpace.coin && to.length === 1 && to[0] === KeySpace.coin + 1
    ? Uint8Array.of(space + 1)
    : inSpace(to, space)

const rangeIn = (range: KeyRange, space: CoinSpace): KeyRange => ({
  ...range,
  from: inSpace(range.from, space),
  to: endInSpace(range, space)
})

const backFrom = (space: CoinSpace) => (entries: ReadonlyArray<KeyValue>): ReadonlyArray<KeyValue> =>
  entries.map((entry) => entry[0][0] === space ? [withFirst(entry[0], KeySpace.coin), entry[1]] : entry)

/** Makes a reader whose coins are those of `space`, which is called for every read. */
export const readerIn = (whole: KeyValueReader, space: () => CoinSpace): KeyValueReader => ({
  get: (key) => whole.get(inSpace(key, space())),
  getMany: (keys) => whole.getMany(space() === KeySpace.coin ? keys : keys.map((key) => inSpace(key, space()))),
  range: (range) => {
    const now = space()
    return now === KeySpace.coin || range.from[0] !== KeySpace.coin
      ? whole.range(range)
      : Stream.map(whole.range(rangeIn(range, now)), backFrom(now))
  }
})

/** Makes a batch whose coins are those of `space`. */
export const batchIn = (batch: BatchWriter, space: CoinSpace): BatchWriter => {
  if (space === KeySpace.coin) return batch
  return {
    put: (key, value) => batch.put(inSpace(key, space), value),
    remove: (key) => batch.remove(inSpace(key, space))
  }
}

/** Makes a store whose coins are those of `space`. A snapshot keeps the space that it began with. */
export const storeIn = (whole: KeyValueStore, space: () => CoinSpace): KeyValueStore => ({
  ...whole,
  ...readerIn(whole, space),
  write: (fill) => whole.write((batch) => fill(batchIn(batch, space()))),
  snapshot: Effect.map(whole.snapshot, (view) => {
    const now = space()
    return { ...readerIn(view, () => now), close: view.close }
  })
})
