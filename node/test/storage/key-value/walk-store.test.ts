import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { KeySpace } from "../../../src/storage/key-space.ts"
import { type RawEntry, type RawStore, walkStore } from "../../../src/storage/key-value/opening/walk-store.ts"
import { makeSealer } from "../../../src/storage/key-value/seal.ts"

const MINUTE = 60_000

const seal = makeSealer()

const entry = (...key: ReadonlyArray<number>): RawEntry => {
  const bytes = Uint8Array.from(key)
  return { key: bytes, value: seal(bytes, Uint8Array.of(1, 2, 3)).slice() }
}

/** An entry in each space. */
const oneOfEach = (): Array<RawEntry> => Object.values(KeySpace).map((space) => entry(space, 7))

/** A store that answers ranges in the order of its entries, as an engine with a damaged index would. */
const storeOf = (entries: ReadonlyArray<RawEntry>, change: Partial<RawStore> = {}): RawStore => ({
  range: (from, to) =>
    entries.filter(({ key }) => Buffer.compare(key, from) >= 0 && (to === undefined || Buffer.compare(key, to) < 0)),
  has: (key) => entries.some((each) => Buffer.compare(each.key, key) === 0),
  count: () => entries.length,
  ...change
})

const faultOf = (store: RawStore, milliseconds = MINUTE) => Effect.promise(() => walkStore(store, milliseconds))

describe("a walk over a store", () => {
  it.effect("finds nothing wrong with entries of every space, and with none", () =>
    Effect.gen(function*() {
      assert.isUndefined(yield* faultOf(storeOf(oneOfEach())))
      assert.isUndefined(yield* faultOf(storeOf([])))
      assert.isUndefined(yield* faultOf(storeOf(oneOfEach(), { count: () => undefined })))
    }))

  for (
    const [where, first] of [
      ["before all spaces", 0],
      ["right before a space", KeySpace.coin - 1],
      ["right behind a space", KeySpace.secondCoin + 1],
      ["between two spaces", KeySpace.transactionIndex - 3],
      ["behind all spaces", KeySpace.valueUnspent + 1],
      ["behind all", 255]
    ] as const
  ) {
    it.effect(`names a key that belongs nowhere: ${where}`, () =>
      Effect.gen(function*() {
        const stray = entry(first, 1, 2)
        const hex = Buffer.from(stray.key).toString("hex")
        const expected = `the key ${hex} is of no kind that the node writes`
        assert.strictEqual(yield* faultOf(storeOf([stray])), expected)
        assert.strictEqual(yield* faultOf(storeOf([...oneOfEach(), stray])), expected)
      }))
  }

  it.effect("takes keys of any kind where they are not the node's, and names their faults", () =>
    Effect.gen(function*() {
      const any = (store: RawStore) => Effect.promise(() => walkStore(store, MINUTE, "any"))
      const entries = [entry(0, 1), entry(KeySpace.coin - 1, 1), entry(255, 255)]
      assert.isUndefined(yield* any(storeOf(entries)))
      assert.strictEqual(yield* any(storeOf(entries, { count: () => 2 })), "it has 3 entries and counts 2")
      const changed = { ...entries[1]!, value: Uint8Array.of(9) }
      assert.match((yield* any(storeOf([entries[0]!, changed])))!, /does not fit its checksum/)
    }))

  it.effect("names keys that do not ascend, or come twice", () =>
    Effect.gen(function*() {
      const [first, second] = [entry(KeySpace.header, 1), entry(KeySpace.header, 2)]
      assert.strictEqual(yield* faultOf(storeOf([second, first])), "the key 6801 stands behind 6802")
      assert.strictEqual(yield* faultOf(storeOf([first, first])), "the key 6801 stands behind 6801")
      assert.isUndefined(yield* faultOf(storeOf([first, second])))
      // Each space begins anew.
      assert.isUndefined(yield* faultOf(storeOf([entry(KeySpace.transactionIndex, 9), entry(KeySpace.coin, 1)])))
    }))

  it.effect("names a value that does not fit its checksum, or has none", () =>
    Effect.gen(function*() {
      const changed = entry(KeySpace.coin, 8)
      changed.value[1]! ^= 1
      const fault = "the value under 6308 does not fit its checksum"
      assert.strictEqual(yield* faultOf(storeOf([...oneOfEach(), changed])), fault)
      const short = { key: changed.key, value: new Uint8Array(3) }
      assert.strictEqual(yield* faultOf(storeOf([short])), fault)
    }))

  it.effect("names a key that it meets and that is not found", () =>
    Effect.gen(function*() {
      const store = storeOf(oneOfEach(), { has: (key) => key[0] !== KeySpace.filter })
      assert.strictEqual(yield* faultOf(store), "the key 6707 is not found where it belongs")
    }))

  it.effect("names a count that is not that of the engine, but only when it has read all", () =>
    Effect.gen(function*() {
      const entries = Array.from({ length: 600 }, (_, n) => entry(KeySpace.coin, n >> 8, n & 255))
      assert.strictEqual(
        yield* faultOf(storeOf(entries, { count: () => 601 })),
        "it has 600 entries and counts 601"
      )
      assert.isUndefined(yield* faultOf(storeOf(entries, { count: () => 601 }), -1))
    }))

  it.effect("ends when its time is over, at every 512th entry", () =>
    Effect.gen(function*() {
      const entries = Array.from({ length: 600 }, (_, n) => entry(KeySpace.coin, n >> 8, n & 255))
      const at = (n: number) =>
        storeOf(entries.map((each, i) => i === n ? { ...each, value: new Uint8Array(7) } : each))
      assert.match((yield* faultOf(at(511), -1)) ?? "", /checksum/)
      assert.isUndefined(yield* faultOf(at(512), -1))
      // What is small and needed first was read by then.
      const early = { ...entry(KeySpace.header, 1), value: new Uint8Array(7) }
      assert.match((yield* faultOf(storeOf([early, ...entries]), -1)) ?? "", /checksum/)
    }))
})
