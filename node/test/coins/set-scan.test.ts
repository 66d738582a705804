import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { encodeCoin } from "../../src/coins/coin-codec.ts"
import { coinKey } from "../../src/coins/coin-key.ts"
import { type ScanControl, scanSet } from "../../src/coins/set-scan.ts"
import type { KeyValue, KeyValueReader } from "../../src/storage/key-value/key-value-store.ts"

const SCRIPTS = [Uint8Array.of(0x51), Uint8Array.of(0x51, 0x52), new Uint8Array(0)]

const outPoint = (n: number) => {
  const txid = new Uint8Array(32)
  new DataView(txid.buffer).setUint16(0, n * 20)
  return { txid, vout: n }
}

const coinOf = (n: number) => ({ value: BigInt(n), script: SCRIPTS[n % 3]!, height: n, isCoinbase: n % 2 === 0 })

const entryOf = (n: number): KeyValue => [coinKey(outPoint(n)), encodeCoin(coinOf(n))]

/** A snapshot that hands its entries out in chunks, and reports before each. */
const snapshotOf = (entries: ReadonlyArray<KeyValue>, size: number, before: () => void = () => {}): KeyValueReader => {
  const chunks = Array.from(
    { length: Math.ceil(entries.length / size) },
    (_, i) => entries.slice(i * size, (i + 1) * size)
  )
  const range = () => Stream.mapEffect(Stream.fromIterable(chunks), (chunk) => Effect.as(Effect.sync(before), chunk))
  return { range } as unknown as KeyValueReader
}

const entries = Array.from({ length: 2_000 }, (_, n) => entryOf(n))

const start = (): ScanControl => ({ progress: 0, isAborted: false })

describe("a scan over all coins", () => {
  it.effect("finds the coins with one of the scripts, and counts all", () =>
    Effect.gen(function*() {
      const scan = (scripts: ReadonlyArray<Uint8Array>) => scanSet(snapshotOf(entries, 700), scripts, start())
      const wanted = Array.from({ length: 2_000 }, (_, n) => n).filter((n) => n % 3 !== 0)
      assert.deepStrictEqual(yield* scan([SCRIPTS[1]!, SCRIPTS[2]!]), {
        isComplete: true,
        coins: 2_000,
        found: wanted.map((n) => ({ outpoint: outPoint(n), coin: coinOf(n) }))
      })
      assert.deepStrictEqual(yield* scan([Uint8Array.of(0x52)]), { isComplete: true, coins: 2_000, found: [] })
      assert.deepStrictEqual(yield* scanSet(snapshotOf([], 700), SCRIPTS, start()), {
        isComplete: true,
        coins: 0,
        found: []
      })
    }))

  it.effect("says where it stands by the first bytes of ids, at every 512th coin", () =>
    Effect.gen(function*() {
      const control = start()
      const seen: Array<number> = []
      yield* scanSet(snapshotOf(entries, 256, () => seen.push(control.progress)), [], control)
      // 511 × 20 of 65,536, and so on, rounded.
      assert.deepStrictEqual(seen, [0, 0, 16, 16, 31, 31, 47, 47])
      assert.strictEqual(control.progress, 47)
    }))

  it.effect("ends when it is aborted, between two chunks or in the middle of one", () =>
    Effect.gen(function*() {
      const between = start()
      let chunks = 0
      const stopping = snapshotOf(entries, 100, () => {
        if (++chunks === 3) between.isAborted = true
      })
      assert.deepInclude(yield* scanSet(stopping, [], between), { isComplete: false, coins: 200 })
      const amid = start()
      const both = yield* Effect.all([
        scanSet(snapshotOf(entries, 2_000), [], amid),
        Effect.sync(() => {
          amid.isAborted = true
        })
      ], { concurrency: 2 })
      assert.deepInclude(both[0], { isComplete: false, coins: 512 })
    }))

  it.effect("names a coin that is damaged", () =>
    Effect.gen(function*() {
      const [key] = entryOf(5)
      const damaged: ReadonlyArray<KeyValue> = [entryOf(1), [key, new Uint8Array(0)]]
      const error = yield* Effect.flip(scanSet(snapshotOf(damaged, 10), [], start()))
      const id = Buffer.from(outPoint(5).txid).reverse().toString("hex")
      assert.deepStrictEqual([error.part, error.operation, error.reason], ["key-value", "scan of the coins", "corrupt"])
      assert.match(error.message, new RegExp(`^The stored coin ${id}:5 is damaged: run \`lockstep rebuild\``))
    }))
})
