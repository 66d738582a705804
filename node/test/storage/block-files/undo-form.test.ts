import type { BlockUndo, Coin } from "@lockstep/kernel/utxo"
import { assert, describe, it } from "vitest"
import { readAmount, writeAmount } from "../../../src/storage/block-files/compressed-amount.ts"
import { readScript, writeScript } from "../../../src/storage/block-files/compressed-script.ts"
import { decodeUndo, undoCodec } from "../../../src/storage/block-files/undo-codec.ts"
import { readLargeVarint, readVarint, writeLargeVarint, writeVarint } from "../../../src/storage/block-files/varint.ts"

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")
const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "hex"))

/** What a writer writes behind three other bytes; nothing else may change. */
const written = (write: (bytes: Uint8Array, at: number) => number): string => {
  const bytes = new Uint8Array(10_100).fill(0xee)
  const end = write(bytes, 3)
  assert.isTrue(bytes.every((byte, i) => (i >= 3 && i < end) || byte === 0xee), "bytes beside it are as they were")
  return hex(bytes.subarray(3, end))
}

/** The format, written the slow way. */
const varint = (value: bigint | number): string => {
  const bytes: Array<bigint> = []
  for (let rest = BigInt(value);; rest = (rest >> 7n) - 1n) {
    bytes.unshift((rest & 0x7fn) | (bytes.length > 0 ? 0x80n : 0n))
    if (rest <= 0x7fn) return bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")
  }
}
const compactAmount = (amount: bigint): bigint => {
  if (amount === 0n) return 0n
  let [m, e] = [amount, 0n]
  for (; e < 9n && m % 10n === 0n; e++) m /= 10n
  return e < 9n ? 1n + 10n * (9n * (m / 10n) + m % 10n - 1n) + e : 1n + 10n * (m - 1n) + 9n
}
const scriptForm = (script: string): string => varint(script.length / 2 + 6) + script
const coinForm = ({ height, isCoinbase, script, value }: Coin): string =>
  varint(height * 2 + (isCoinbase ? 1 : 0)) + (height > 0 ? "00" : "") + varint(compactAmount(value)) +
  scriptForm(hex(script))
const countForm = (count: number): string => {
  const bytes = Buffer.alloc(5)
  bytes.writeUInt32LE(count, 1)
  bytes[0] = count > 0xffff ? 254 : 253
  return count < 253 ? count.toString(16).padStart(2, "0") : bytes.subarray(0, count > 0xffff ? 5 : 3).toString("hex")
}

/** The least and the largest number of each length from one byte to ten. */
const BOUNDS = Array.from({ length: 10 }, (_, i) => {
  let least = 0n
  for (let n = 1; n <= i; n++) least = (least + 1n) << 7n
  return least
}).map((least, i, all) => [least, (all[i + 1] ?? 1n << 64n) - 1n] as const)

describe("a number of undo data", () => {
  it("has its length and bytes at the ends of each length, wherever it is written", () => {
    for (const [i, ends] of BOUNDS.entries()) {
      for (const value of ends) {
        const form = varint(value)
        assert.strictEqual(form.length / 2, i + 1)
        assert.strictEqual(written((bytes, at) => writeLargeVarint(bytes, at, value)), form)
        if (value <= Number.MAX_SAFE_INTEGER) {
          assert.strictEqual(written((bytes, at) => writeVarint(bytes, at, Number(value))), form)
        }
        const large = { bytes: bytesOf(`eeee${form}ee`), at: 2 }
        assert.strictEqual(BigInt(readLargeVarint(large)), value)
        assert.strictEqual(large.at, 3 + i)
        const small = { bytes: bytesOf(`eeee${form}ee`), at: 2 }
        assert.strictEqual(readVarint(small), i < 7 ? Number(value) : 0)
        assert.strictEqual(small.at, i < 7 ? 3 + i : -1, "seven bytes are exact")
      }
    }
  })

  it("is none of eleven bytes, none that ends with the bytes, and none where the cursor is broken", () => {
    for (const read of [readVarint, readLargeVarint]) {
      for (const [form, at] of [["ff".repeat(10) + "00", 0], ["8080", 0], ["", 0], ["05", -1]] as const) {
        const cursor = { bytes: bytesOf(form), at }
        assert.strictEqual(read(cursor), 0)
        assert.strictEqual(cursor.at, -1)
      }
    }
    assert.strictEqual(readLargeVarint({ bytes: bytesOf(`${"80".repeat(9)}00`), at: 0 }), BOUNDS[9]![0])
  })
})

describe("an amount of undo data", () => {
  it("has its zeros counted, up to nine", () => {
    const amounts = [0n, 2_100_000_000_000_000n, 900_000_000_000_000n, 899_999_999_999_999n, 2_099_999_999_999_999n]
    for (let e = 0n; e <= 12n; e++) for (const m of [1n, 2n, 9n, 11n, 19n, 90n, 123n]) amounts.push(m * 10n ** e)
    for (const amount of amounts) {
      const form = varint(compactAmount(amount))
      assert.strictEqual(written((bytes, at) => writeAmount(bytes, at, amount)), form, String(amount))
      const cursor = { bytes: bytesOf(`${form}ee`), at: 0 }
      assert.strictEqual(readAmount(cursor), amount)
      assert.strictEqual(cursor.at, form.length / 2)
    }
  })

  it("is read exactly though it is no amount of money", () => {
    for (const amount of [99_999_999_999_999_700n, 2n ** 63n, 2n ** 63n - 1n, 12_345n * 10n ** 15n, 10n ** 18n + 9n]) {
      assert.strictEqual(readAmount({ bytes: bytesOf(varint(compactAmount(amount))), at: 0 }), amount)
    }
    assert.strictEqual(readAmount({ bytes: bytesOf("80"), at: 0 }), 0n)
  })
})

describe("a script of undo data", () => {
  const [DATA20, DATA32] = ["ab".repeat(20), "cd".repeat(32)]
  const SPECIAL = [
    { script: `76a914${DATA20}88ac`, form: `00${DATA20}`, fixed: [0, 1, 2, 23, 24] },
    { script: `a914${DATA20}87`, form: `01${DATA20}`, fixed: [0, 1, 22] },
    { script: `2102${DATA32}ac`, form: `02${DATA32}`, fixed: [0, 1, 34] },
    { script: `2103${DATA32}ac`, form: `03${DATA32}`, fixed: [0, 34] }
  ]
  const formOf = (script: string): string => written((bytes, at) => writeScript(bytes, at, bytesOf(script)))

  it("is short where it is of a usual form, and whole where one byte differs or one is too many", () => {
    for (const { fixed, form, script } of SPECIAL) {
      assert.strictEqual(formOf(script), form)
      assert.strictEqual(formOf(`${script}00`), scriptForm(`${script}00`))
      assert.strictEqual(formOf(script.slice(0, -2)), scriptForm(script.slice(0, -2)))
      for (const i of fixed) {
        const other = bytesOf(script)
        other[i]! ^= 0x40
        assert.strictEqual(formOf(hex(other)), scriptForm(hex(other)), `byte ${i} of ${script}`)
      }
      // Each length of a usual form, with bytes of none.
      const none = "51".repeat(script.length / 2)
      assert.strictEqual(formOf(none), scriptForm(none))
      const cursor = { bytes: bytesOf(`ee${form}`), at: 1 }
      assert.strictEqual(hex(readScript(cursor)!), script)
      assert.strictEqual(cursor.at, cursor.bytes.length)
      const short = { bytes: bytesOf(form.slice(0, -2)), at: 0 }
      assert.isUndefined(readScript(short))
      assert.strictEqual(short.at, -1)
    }
  })

  it("is copied whole whatever its length, up to 10,000 bytes", () => {
    for (const length of [1, 63, 64, 65, 66, 121, 122, 10_000]) {
      const script = Uint8Array.from({ length }, (_, i) => i * 7 + 1)
      const form = formOf(hex(script))
      assert.strictEqual(form, scriptForm(hex(script)))
      const cursor = { bytes: bytesOf(`${form}ee`), at: 0 }
      assert.deepStrictEqual(readScript(cursor), script)
      assert.strictEqual(cursor.at, form.length / 2)
    }
    const cursor = { bytes: bytesOf(scriptForm("51".repeat(10_001))), at: 0 }
    assert.isUndefined(readScript(cursor))
    assert.strictEqual(cursor.at, -1)
    assert.isUndefined(readScript({ bytes: bytesOf("0651"), at: -1 }))
  })
})

describe("undo data of a block", () => {
  const coin = (changes: Partial<Coin> = {}): Coin => ({
    value: 50n,
    script: Uint8Array.of(0x51),
    height: 7,
    isCoinbase: false,
    ...changes
  })
  const both = (undo: BlockUndo, form: string): void => {
    assert.strictEqual(hex(undoCodec().encode(undo)), form)
    assert.deepStrictEqual(decodeUndo(bytesOf(form)), undo)
  }

  it("have the height, the kind and the amount of each coin", () => {
    const coins = [
      coin({ height: 0 }),
      coin({ height: 0, isCoinbase: true }),
      coin({ height: 1 }),
      coin({ height: 1, isCoinbase: true }),
      coin({ height: 0x7fff_ffff, isCoinbase: true, value: 2_100_000_000_000_000n })
    ]
    both({ spent: [coins, []], replaced: [] }, `0205${coins.map(coinForm).join("")}00`)
  })

  it("count transactions as all counts in Bitcoin are written", () => {
    for (const count of [0, 1, 252, 253, 254, 0xffff, 0x10000]) {
      both({ spent: Array.from({ length: count }, () => []), replaced: [] }, countForm(count) + "00".repeat(count))
    }
  })

  it("end with the coins that a repeated coinbase replaces, where there are any", () => {
    const replaced = [1, 200].map((vout) => ({
      outpoint: { txid: new Uint8Array(32).fill(vout), vout },
      coin: coin({ height: vout, value: BigInt(vout) })
    }))
    const form = replaced.map(({ coin: each, outpoint }) => hex(outpoint.txid) + varint(outpoint.vout) + coinForm(each))
    both({ spent: [], replaced }, `0002${form.join("")}`)
    both({ spent: [[coin()]], replaced: replaced.slice(1) }, `0101${coinForm(coin())}01${form[1]}`)
    assert.isUndefined(decodeUndo(bytesOf("0000")), "a second form of none")
    for (const cut of [2, 4, 40]) assert.isUndefined(decodeUndo(bytesOf(`0002${form.join("")}`.slice(0, -cut))))
    assert.isUndefined(decodeUndo(bytesOf(`0001${"11".repeat(31)}`)))
  })

  it("are refused with a height, an amount or a script that no coin has", () => {
    const one = (form: string): BlockUndo | undefined => decodeUndo(bytesOf(`0101${form}`))
    const amount = varint(compactAmount(1n))
    assert.strictEqual(one(`${varint(0xffff_ffff)}00${amount}0751`)?.spent[0]![0]!.height, 0x7fff_ffff)
    assert.isUndefined(one(`${varint(0x1_0000_0000)}00${amount}0751`))
    assert.isDefined(one(`0e00${varint(compactAmount(2_100_000_000_000_000n))}0751`))
    assert.isUndefined(one(`0e00${varint(compactAmount(2_100_000_000_000_001n))}0751`))
    assert.isUndefined(one(`0e00${amount}0851`))
    for (const form of ["", "01", "0101", "0201", "fd", "01ff"]) assert.isUndefined(decodeUndo(bytesOf(form)), form)
  })

  it("grow the buffer of their codec wherever it ends, and keep what is before", () => {
    for (let short = 0; short <= 60; short++) {
      const first = coin({ script: new Uint8Array(65_536 - 12 - short).fill(short) })
      const undo = { spent: [[first, coin()], [coin()]], replaced: [] }
      const codec = undoCodec()
      assert.strictEqual(
        Buffer.compare(
          codec.encode(undo),
          Buffer.from(`0202${coinForm(first)}${coinForm(coin())}01${coinForm(coin())}`, "hex")
        ),
        0,
        `${short} bytes before the end`
      )
      assert.strictEqual(hex(codec.encode({ spent: [[coin()]], replaced: [] })), `0101${coinForm(coin())}`)
    }
  })
})
