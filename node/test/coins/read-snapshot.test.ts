import { assert, describe, it } from "@effect/vitest"
import { type OutPoint } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import { readFileSync, writeFileSync } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { join } from "node:path"
import { decodeCoin } from "../../src/coins/coin-codec.ts"
import { outPointOfKey } from "../../src/coins/coin-key.ts"
import { snapshotCoins } from "../../src/coins/read-snapshot.ts"
import { snapshotFile } from "../../src/coins/snapshot-file.ts"
import { writeAmount } from "../../src/storage/block-files/compressed-amount.ts"
import { writeScript } from "../../src/storage/block-files/compressed-script.ts"
import { writeVarint } from "../../src/storage/block-files/varint.ts"
import { testCrypto } from "../engine/test-engine.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"

const BASE = 500
const MAX_MONEY = 2_100_000_000_000_000n

const written = (write: (bytes: Uint8Array) => number): ReadonlyArray<number> => {
  const bytes = new Uint8Array(64)
  return [...bytes.subarray(0, write(bytes))]
}

interface Given {
  readonly height?: number
  readonly isCoinbase?: boolean
  readonly value?: bigint
  readonly vout?: ReadonlyArray<number>
}

const coin = ({ height = 7, isCoinbase = false, value = 1_000n, vout = [0] }: Given = {}): ReadonlyArray<number> => [
  ...vout,
  ...written((bytes) => writeVarint(bytes, 0, 2 * height + (isCoinbase ? 1 : 0))),
  ...written((bytes) => writeAmount(bytes, 0, value)),
  ...written((bytes) => writeScript(bytes, 0, Uint8Array.of(0x51)))
]

const transaction = (fill: number, ...coins: ReadonlyArray<ReadonlyArray<number>>): ReadonlyArray<number> => [
  ...new Uint8Array(32).fill(fill),
  coins.length,
  ...coins.flat()
]

interface Answer {
  readonly coins: ReadonlyArray<
    OutPoint & { readonly height: number; readonly isCoinbase: boolean; readonly value: bigint }
  >
  readonly fault: string | undefined
  readonly read: number
}

/** What comes of the coins of a file that says how many it has. */
const answerOf = Effect.fnUntraced(function*(total: number, bytes: ReadonlyArray<number>) {
  const path = join(yield* temporaryDirectory, "coins")
  writeFileSync(path, Uint8Array.from(bytes))
  return yield* Effect.promise(async (): Promise<Answer> => {
    await using file = await open(path)
    const { next, read } = snapshotCoins(file, BigInt(total), BASE)
    const coins: Array<Answer["coins"][number]> = []
    for (;;) {
      const found = await next()
      if (typeof found === "string") return { coins, fault: found, read: read() }
      if (found.length === 0) return { coins, fault: undefined, read: read() }
      for (const [key, value] of found) {
        const { height, isCoinbase, value: amount } = decodeCoin(value)!
        coins.push({ ...outPointOfKey(key), height, isCoinbase, value: amount })
      }
    }
  })
})

const FIRST = transaction(1, coin({ height: 500, isCoinbase: true, value: MAX_MONEY }), coin({ vout: [9], value: 0n }))
const TRUNCATED = "Bad snapshot format or truncated snapshot after deserializing"
const BAD = "Bad snapshot data after deserializing"

describe("coins of a snapshot", () => {
  it.effect("are read with their heights, amounts and places", () =>
    Effect.gen(function*() {
      const { coins, fault, read } = yield* answerOf(3, [...FIRST, ...transaction(2, coin({ vout: [0xfd, 0xfd, 0] }))])
      const [one, two] = [1, 2].map((fill) => new Uint8Array(32).fill(fill)) as [Uint8Array, Uint8Array]
      assert.deepStrictEqual(coins.map(({ txid, ...other }) => ({ txid: new Uint8Array(txid), ...other })), [
        { txid: one, vout: 0, height: 500, isCoinbase: true, value: MAX_MONEY },
        { txid: one, vout: 9, height: 7, isCoinbase: false, value: 0n },
        { txid: two, vout: 253, height: 7, isCoinbase: false, value: 1_000n }
      ])
      assert.deepStrictEqual([fault, read], [undefined, 3])
    }))

  it.effect("are refused with how many could be read, whatever is wrong with the next", () =>
    Effect.gen(function*() {
      const faults = [
        [transaction(2, coin({ height: 501 })), `${BAD} 2 coins`],
        [transaction(2, coin({ vout: [0xfe, 1, 0, 0, 2] })), `${TRUNCATED} 2 coins`],
        [transaction(2, coin({ value: MAX_MONEY + 1n })), `${BAD} 2 coins - bad tx out value`],
        [transaction(2, coin()).slice(0, 31), `${TRUNCATED} 2 coins`],
        [transaction(2, coin()).slice(0, 32), `${TRUNCATED} 2 coins`],
        [transaction(2, coin()).slice(0, 33), `${TRUNCATED} 2 coins`],
        [transaction(2, coin()).slice(0, -1), `${TRUNCATED} 2 coins`],
        [transaction(2, coin({ vout: [0xfd, 1, 0] })), `${TRUNCATED} 2 coins`],
        [transaction(2, coin(), coin()), "Mismatch in coins count in snapshot metadata and actual snapshot data"],
        [[...transaction(2, coin()), 0], "Bad snapshot - coins left over after deserializing 3 coins"]
      ] as const
      for (const [bytes, expected] of faults) {
        assert.strictEqual((yield* answerOf(3, [...FIRST, ...bytes])).fault, expected)
      }
    }))

  it.effect("have output numbers as large as Bitcoin Core reads a length", () =>
    Effect.gen(function*() {
      const bytes = transaction(2, coin({ vout: [0xfe, 0, 0, 0, 2] }))
      const { coins, fault } = yield* answerOf(1, bytes)
      assert.deepStrictEqual([coins[0]?.vout, fault], [0x0200_0000, undefined])
    }))

  it.effect("are written a transaction at a time, however they come", () =>
    Effect.gen(function*() {
      const path = join(yield* temporaryDirectory, "snapshot")
      const [one, two] = [1, 2].map((fill) => new Uint8Array(32).fill(fill)) as [Uint8Array, Uint8Array]
      const placed = (txid: Uint8Array, vout: number) => ({
        outpoint: { txid, vout },
        coin: { value: 1_000n, script: Uint8Array.of(0x51), height: 7, isCoinbase: false }
      })
      yield* Effect.promise(async () => {
        await using file = await open(path, "w")
        const { add, end } = snapshotFile(file, Uint8Array.of(1, 2, 3, 4), new Uint8Array(32).fill(8), testCrypto)
        await add([placed(one, 0)])
        await add([placed(one, 9), placed(two, 0)])
        assert.strictEqual((await end()).coins, 3)
      })
      const expected = [...transaction(1, coin(), coin({ vout: [9] })), ...transaction(2, coin())]
      const bytes = readFileSync(path)
      assert.deepStrictEqual([...bytes.subarray(bytes.length - expected.length)], expected)
      // Magic, version, network, block and number of coins.
      assert.strictEqual(bytes.length - expected.length, 5 + 2 + 4 + 32 + 8)
    }))

  it.effect("are read in parts of 25,000, whatever of them lies across two reads of the file", () =>
    Effect.gen(function*() {
      const path = join(yield* temporaryDirectory, "many")
      const many = 25_001
      // Of about 2.2 MB, with a script in each two hundredth that takes more than the others together.
      const scriptOf = (n: number) => new Uint8Array(n % 200 === 0 ? 10_000 : 30).fill(0x60 + n % 7)
      const placed = (n: number) => ({
        outpoint: { txid: new Uint8Array(32).fill(n >>> 8), vout: n & 0xff },
        coin: { value: BigInt(n), script: scriptOf(n), height: n % 500, isCoinbase: n % 2 === 0 }
      })
      yield* Effect.promise(async () => {
        await using writing = await open(path, "w")
        const { add, end } = snapshotFile(writing, Uint8Array.of(1, 2, 3, 4), new Uint8Array(32).fill(8), testCrypto)
        for (let n = 0; n < many; n++) await add([placed(n)])
        assert.strictEqual((await end()).coins, many)
      })
      const head = readFileSync(path).subarray(0, 51)
      assert.deepStrictEqual([...head.subarray(43)], [0xa9, 0x61, 0, 0, 0, 0, 0, 0])
      writeFileSync(path, readFileSync(path).subarray(51))
      yield* Effect.promise(async () => {
        await using file = await open(path)
        const { next, read } = snapshotCoins(file, BigInt(many), BASE)
        let n = 0
        for (const size of [25_000, 1, 0]) {
          const part = await next()
          if (typeof part === "string") return assert.fail(part)
          assert.lengthOf(part, size)
          for (const [key, value] of part) {
            const { coin: expected, outpoint } = placed(n++)
            const [at, found] = [outPointOfKey(key), decodeCoin(value)!]
            if (Buffer.compare(at.txid, outpoint.txid) !== 0 || at.vout !== outpoint.vout) assert.fail(`${n}`)
            if (Buffer.compare(found.script, expected.script) !== 0) assert.fail(`script of ${n}`)
            assert.deepStrictEqual([found.height, found.value, found.isCoinbase], [
              expected.height,
              expected.value,
              expected.isCoinbase
            ])
          }
          assert.strictEqual(read(), n)
        }
      })
    }))

  it.effect("may be none of a transaction, and have a height of 31 bits", () =>
    Effect.gen(function*() {
      const { coins, fault } = yield* answerOf(1, [...transaction(1), ...transaction(2, coin())])
      assert.deepStrictEqual([coins.map(({ txid }) => txid[0]), fault], [[2], undefined])
      const faultOf = (height: number) =>
        Effect.map(answerOf(1, transaction(1, coin({ height }))), (answer) => answer.fault)
      assert.strictEqual(yield* faultOf(0x7fff_ffff), `${BAD} 0 coins`)
      assert.strictEqual(yield* faultOf(0x8000_0000), `${TRUNCATED} 0 coins`)
    }))

  it.effect("are written as soon as there is a mebibyte of them, and no part is kept that was written", () =>
    Effect.gen(function*() {
      const writes: Array<number> = []
      const file = {
        write: (bytes: Uint8Array) => Promise.resolve(void writes.push(bytes.length)),
        sync: () => Promise.resolve()
      } as unknown as FileHandle
      const block = new Uint8Array(32)
      const { add, end } = snapshotFile(file, Uint8Array.of(1, 2, 3, 4), block, testCrypto)
      // The script has a length that is none of a known form: three bytes more.
      const placed = (n: number) => ({
        outpoint: { txid: new Uint8Array(32).fill(n), vout: 0 },
        coin: { value: 0n, script: new Uint8Array(10_000).fill(0x61), height: 0, isCoinbase: false }
      })
      yield* Effect.promise(async () => {
        for (let n = 0; n < 250; n++) await add([placed(n)])
      })
      assert.lengthOf(writes, 2)
      for (const size of writes) assert.isTrue(size > 1_048_576 && size < 1_048_576 + 10_100, `${size}`)
      yield* Effect.promise(end)
      // The rest, and the head once more with the number of coins.
      assert.lengthOf(writes, 4)
      assert.strictEqual(writes[3], 51)
    }))
})
