import type { BlockUndo, Coin, PlacedCoin } from "@lockstep/kernel/utxo"
import fc from "fast-check"
import { createECDH } from "node:crypto"
import { assert, describe, it } from "vitest"
import { writeAmount, readAmount } from "../../../src/storage/block-files/compressed-amount.ts"
import { readScript, writeScript } from "../../../src/storage/block-files/compressed-script.ts"
import { decodeUndo, undoCodec } from "../../../src/storage/block-files/undo-codec.ts"
import { readLargeVarint, readVarint, writeLargeVarint, writeVarint } from "../../../src/storage/block-files/varint.ts"

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")
const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "hex"))
const written = (write: (bytes: Uint8Array) => number): string => {
  const bytes = new Uint8Array(20_100)
  return hex(bytes.subarray(0, write(bytes)))
}

const bytes = (size: number) => fc.uint8Array({ minLength: size, maxLength: size })
const script = fc.oneof(
  fc.uint8Array({ maxLength: 80 }),
  fc.uint8Array({ minLength: 250, maxLength: 10_000, size: "max" }),
  bytes(20).map((data) => bytesOf(`76a914${hex(data)}88ac`)),
  bytes(20).map((data) => bytesOf(`a914${hex(data)}87`)),
  fc.tuple(fc.constantFrom("02", "03"), bytes(32)).map(([form, data]) => bytesOf(`21${form}${hex(data)}ac`)),
  bytes(64).map((data) => bytesOf(`4104${hex(data)}ac`))
)
// Ends in zeros, as amounts do, and reaches every digit of the form.
const amount = fc.oneof(
  fc.bigInt(0n, 2_100_000_000_000_000n),
  fc.tuple(fc.integer({ min: 0, max: 9 }), fc.bigInt(0n, 2_100_000n)).map(([e, m]) => m * 10n ** BigInt(e))
)
const coin: fc.Arbitrary<Coin> = fc.record({
  value: amount,
  script,
  height: fc.integer({ min: 0, max: 0x7fff_ffff }),
  isCoinbase: fc.boolean()
})
const placed: fc.Arbitrary<PlacedCoin> = fc.record({
  outpoint: fc.record({ txid: bytes(32), vout: fc.integer({ min: 0, max: 0xffff_ffff }) }),
  coin
})
const undo: fc.Arbitrary<BlockUndo> = fc.record({
  spent: fc.array(fc.array(coin, { maxLength: 4 }), { maxLength: 6 }),
  replaced: fc.array(placed, { maxLength: 3 })
})

describe("numbers of undo data", () => {
  // Bitcoin Core's own examples.
  it.each([
    [0, "00"],
    [1, "01"],
    [127, "7f"],
    [128, "8000"],
    [255, "807f"],
    [256, "8100"],
    [16_383, "fe7f"],
    [16_384, "ff00"],
    [16_511, "ff7f"],
    [65_535, "82fe7f"],
    [2 ** 32, "8efefeff00"]
  ])("%i is %s", (value, form) => {
    assert.strictEqual(written((target) => writeVarint(target, 0, value)), form)
    assert.strictEqual(written((target) => writeLargeVarint(target, 0, BigInt(value))), form)
    const cursor = { bytes: bytesOf(form), at: 0 }
    assert.strictEqual(readVarint(cursor), value)
    assert.strictEqual(cursor.at, form.length / 2)
  })

  it("come back as they were, in one form whatever writes them", () => {
    fc.assert(fc.property(fc.maxSafeNat(), (value) => {
      const form = written((target) => writeVarint(target, 0, value))
      return form === written((target) => writeLargeVarint(target, 0, BigInt(value))) &&
        BigInt(readLargeVarint({ bytes: bytesOf(form), at: 0 })) === BigInt(value)
    }))
  })

  it.each(["", "80", "ffffffffffffffffffffff00"])("'%s' is none", (form) => {
    const cursor = { bytes: bytesOf(form), at: 0 }
    readLargeVarint(cursor)
    assert.strictEqual(cursor.at, -1)
  })
})

describe("amounts of undo data", () => {
  it.each([
    [0n, 0],
    [1n, 1],
    [1_000_000n, 7],
    [100_000_000n, 9],
    [5_000_000_000n, 50],
    [2_100_000_000_000_000n, 21_000_000]
  ])("%i is %i", (value, form) => {
    assert.strictEqual(
      written((target) => writeAmount(target, 0, value)),
      written((target) => writeVarint(target, 0, form))
    )
  })

  it("come back as they were", () => {
    fc.assert(
      fc.property(amount, (value) =>
        readAmount({
          bytes: bytesOf(written((target) => writeAmount(target, 0, value))),
          at: 0
        }) === value)
    )
  })
})

describe("scripts of undo data", () => {
  it.each([
    ["76a914" + "11".repeat(20) + "88ac", "00" + "11".repeat(20)],
    ["a914" + "22".repeat(20) + "87", "01" + "22".repeat(20)],
    ["2102" + "33".repeat(32) + "ac", "02" + "33".repeat(32)],
    ["2103" + "33".repeat(32) + "ac", "03" + "33".repeat(32)],
    ["2104" + "33".repeat(32) + "ac", "292104" + "33".repeat(32) + "ac"],
    ["", "06"],
    ["6a", "076a"]
  ])("%s is %s", (plain, form) => {
    assert.strictEqual(written((target) => writeScript(target, 0, bytesOf(plain))), form)
    assert.strictEqual(hex(readScript({ bytes: bytesOf(form), at: 0 })!), plain)
  })

  it("names an uncompressed key by its x and the oddness of its y", () => {
    for (let i = 0; i < 8; i++) {
      const pair = createECDH("secp256k1")
      pair.generateKeys()
      const key = pair.getPublicKey()
      const form = (4 | (key[64]! & 1)).toString(16).padStart(2, "0") + key.subarray(1, 33).toString("hex")
      assert.strictEqual(hex(readScript({ bytes: bytesOf(form), at: 0 })!), `41${key.toString("hex")}ac`)
    }
  })

  it.each([
    ["an x that no point has", "04" + "ff".repeat(32)],
    ["bytes that end too early", "0011"],
    ["more bytes than a script may have", "ce1700"]
  ])("refuses %s", (_, form) => {
    const cursor = { bytes: bytesOf(form), at: 0 }
    assert.isUndefined(readScript(cursor))
    assert.strictEqual(cursor.at, -1)
  })
})

describe("undo data", () => {
  const codec = undoCodec()

  it("come back as they were, whatever was written before with the same codec", () => {
    fc.assert(fc.property(undo, (data) => {
      assert.deepStrictEqual(codec.decode(codec.encode(data)), data)
    }))
  })

  it("are the writer's to keep", () => {
    const first = codec.encode({
      spent: [[{ value: 1n, script: bytesOf("51"), height: 5, isCoinbase: false }]],
      replaced: []
    })
    const before = hex(first)
    codec.encode({ spent: [[{ value: 2n, script: bytesOf("5252"), height: 6, isCoinbase: true }]], replaced: [] })
    assert.strictEqual(hex(first), before)
  })

  it("have Bitcoin Core's form", () => {
    const spent = [
      [{ value: 100_000_000n, script: bytesOf("51"), height: 1, isCoinbase: true }],
      [],
      [{ value: 0n, script: bytesOf(""), height: 0, isCoinbase: false }]
    ]
    assert.strictEqual(hex(codec.encode({ spent, replaced: [] })), "030103000907510001000006")
  })

  it("are refused when a byte is missing or one too many", () => {
    fc.assert(
      fc.property(undo, (data) => {
        const whole = codec.encode(data)
        assert.isUndefined(decodeUndo(Buffer.concat([whole, Buffer.from([0])])))
        const form = codec.encode({ ...data, replaced: [] })
        for (let end = 0; end < Math.min(form.length, 64); end++) assert.isUndefined(decodeUndo(form.subarray(0, end)))
        assert.isUndefined(decodeUndo(form.subarray(0, form.length - 1)))
        assert.isUndefined(decodeUndo(Buffer.concat([form, Buffer.from([0])])))
      }),
      { numRuns: 30 }
    )
  })

  it("of anything are decoded or refused, never an exception", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (form) => {
        decodeUndo(form)
      }),
      { numRuns: 2000 }
    )
  })
})
