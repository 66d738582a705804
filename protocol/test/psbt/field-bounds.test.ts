import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { encodePsbt } from "../../src/psbt/encode-psbt.ts"
import { bytes, decoded, faultOf, type Field, field, hex, serialized } from "./build.ts"

const KEY_A = "02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5"
const KEY_B = "02f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9"
const NO_KEY = `02${"ff".repeat(32)}`
const SIGNATURE = "300602010102010101"

const GLOBALS = [field(2, "02000000"), field(4, "01"), field(5, "01"), field(0xfb, "02000000")]
const INPUT = [field(0x0e, "12".repeat(32)), field(0x0f, "01000000")]
const OUTPUT = [field(3, "8bbdeb0b00000000"), field(4, "51")]

type Map = "global" | "input" | "output"

const withField = (map: Map, extra: Field): Uint8Array =>
  serialized(
    map === "global" ? [...GLOBALS, extra] : GLOBALS,
    map === "input" ? [...INPUT, extra] : INPUT,
    map === "output" ? [...OUTPUT, extra] : OUTPUT
  )

const faultWith = (map: Map, extra: Field): string | undefined => faultOf(withField(map, extra))?.split(":")[0]

/** An extended key: version, depth, parent's fingerprint, number, chain code, key. */
const extended = (depth: string, fingerprint: string, number: string, key = KEY_A): string =>
  `043587cf${depth}${fingerprint}${number}${"ab".repeat(32)}${key}`

const ORIGIN = "aabbccdd00000080"

describe("keys of fields", () => {
  it.each<readonly [map: Map, type: number, size: number, value: string]>([
    ["global", 0x01, 79, ORIGIN],
    ["global", 0x03, 1, "00000000"],
    ["global", 0x06, 1, "00"],
    ["input", 0x01, 1, "8bbdeb0b0000000000"],
    ["input", 0x03, 1, "01000000"],
    ["input", 0x04, 1, "51"],
    ["input", 0x05, 1, "51"],
    ["input", 0x07, 1, "51"],
    ["input", 0x08, 1, "00"],
    ["input", 0x0a, 21, "51"],
    ["input", 0x0b, 33, "51"],
    ["input", 0x0c, 21, "51"],
    ["input", 0x0d, 33, "51"],
    ["input", 0x10, 1, "00000000"],
    ["input", 0x11, 1, "0065cd1d"],
    ["input", 0x12, 1, "01000000"],
    ["input", 0x13, 1, "55".repeat(64)],
    ["input", 0x14, 65, "55".repeat(64)],
    ["input", 0x16, 33, `00${ORIGIN}`],
    ["input", 0x17, 1, "aa".repeat(32)],
    ["input", 0x18, 1, "aa".repeat(32)],
    ["input", 0x1a, 34, KEY_B],
    ["output", 0x00, 1, "51"],
    ["output", 0x01, 1, "51"],
    ["output", 0x05, 1, "aa".repeat(32)],
    ["output", 0x06, 1, "00c00151"],
    ["output", 0x07, 33, `00${ORIGIN}`],
    ["output", 0x08, 34, KEY_B]
  ])("of the %s, type %i, have %i bytes", (map, type, size, value) => {
    const key = type === 0x01 && map === "global"
      ? extended("00", "00000000", "00000000")
      : `${KEY_A}${"aa".repeat(64)}`
    const ofSize = (keySize: number): string => key.slice(0, 2 * (keySize - 1))
    const wrong = `Size of key was not ${size} for the type `
    assert.isUndefined(faultWith(map, field(type, value, ofSize(size))))
    assert.isTrue(faultWith(map, field(type, value, `${ofSize(size)}aa`))?.startsWith(wrong))
    if (size > 1) assert.isTrue(faultWith(map, field(type, value, ofSize(size - 1)))?.startsWith(wrong))
  })

  it("of signatures and origins are public keys on the curve, of 33 or 65 bytes", () => {
    const uncompressed = "0479be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798" +
      "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8"
    for (const [map, type, value] of [["input", 2, SIGNATURE], ["input", 6, ORIGIN], ["output", 2, ORIGIN]] as const) {
      for (const key of [KEY_A, uncompressed]) assert.isUndefined(faultWith(map, field(type, value, key)))
      assert.strictEqual(faultWith(map, field(type, value, NO_KEY)), "Invalid pubkey")
      for (const key of [KEY_A.slice(2), `${KEY_A}00`, `${uncompressed}00`, uncompressed.slice(2)]) {
        assert.match(faultWith(map, field(type, value, key))!, /^Size of key was not the expected size/)
      }
    }
  })

  it("of parts of MuSig2 have 67 bytes, or 99 with a leaf", () => {
    const leaf = "ee".repeat(32)
    for (const [type, value] of [[0x1b, "cc".repeat(66)], [0x1c, "dd".repeat(32)]] as const) {
      for (const key of [KEY_B + KEY_A, KEY_B + KEY_A + leaf]) {
        assert.isUndefined(faultWith("input", field(type, value, key)))
      }
      for (const key of [(KEY_B + KEY_A).slice(2), `${KEY_B}${KEY_A}00`, `${KEY_B}${KEY_A}${leaf}00`]) {
        assert.match(faultWith("input", field(type, value, key))!, /key is not expected size of 67 or 99 bytes/)
      }
      for (const key of [NO_KEY + KEY_A, KEY_A + NO_KEY]) assert.isDefined(faultWith("input", field(type, value, key)))
      assert.isDefined(faultWith("input", field(type, value.slice(2), KEY_B + KEY_A)))
      assert.isDefined(faultWith("input", field(type, `${value}00`, KEY_B + KEY_A)))
    }
  })

  it("of scripts in a tree have a control block of whole hashes", () => {
    const script = (length: number): string | undefined =>
      faultWith("input", field(0x15, "51c0", "c0".repeat(length - 1)))
    assert.match(script(33)!, /is not at least 34 bytes/)
    assert.match(script(35)!, /control block size is not valid/)
    assert.match(script(65)!, /control block size is not valid/)
    assert.isUndefined(script(34))
    assert.isUndefined(script(66))
    assert.match(faultWith("input", field(0x15, "", "c0".repeat(33)))!, /must be at least 1 byte/)
  })
})

describe("values of fields", () => {
  it("of a fixed size have no other", () => {
    const stated = "Size of value was not the stated size"
    for (
      const [map, type, value] of [
        ["global", 0x03, "00000000"],
        ["global", 0x06, "00"],
        ["input", 0x03, "01000000"],
        ["input", 0x10, "00000000"],
        ["input", 0x17, "aa".repeat(32)],
        ["input", 0x18, "aa".repeat(32)],
        ["input", 0x01, "8bbdeb0b0000000000"],
        ["output", 0x05, "aa".repeat(32)]
      ] as const
    ) {
      assert.isUndefined(faultWith(map, field(type, value)))
      assert.strictEqual(faultWith(map, field(type, `${value}00`)), stated)
      assert.isDefined(faultWith(map, field(type, value.slice(2))))
    }
  })

  it("of taproot signatures have 64 or 65 bytes", () => {
    const ends = (size: number): ReadonlyArray<string | undefined> =>
      [field(0x13, "55".repeat(size)), field(0x14, "55".repeat(size), "77".repeat(64))]
        .map((each) => faultWith("input", each)?.split(" ").slice(-3).join(" "))
    assert.deepStrictEqual(ends(63), ["than 64 bytes", "than 64 bytes"])
    assert.deepStrictEqual([...ends(64), ...ends(65)], Array(4).fill(undefined))
    assert.deepStrictEqual(ends(66), ["than 65 bytes", "than 65 bytes"])
  })

  it("of origins are a fingerprint and whole numbers", () => {
    for (const [map, type] of [["input", 6], ["output", 2]] as const) {
      for (const value of ["aabbccdd", ORIGIN]) assert.isUndefined(faultWith(map, field(type, value, KEY_A)))
      for (const value of ["", "aabbcc", "aabbccdd00"]) {
        assert.strictEqual(faultWith(map, field(type, value, KEY_A)), "Invalid length for HD key path")
      }
    }
    const taproot = (value: string): string | undefined => faultWith("input", field(0x16, value, "99".repeat(32)))
    assert.isUndefined(taproot(`01${"22".repeat(32)}aabbccdd`))
    assert.match(taproot("00")!, /^Invalid length for HD key path/)
    assert.isDefined(taproot(`01${"22".repeat(31)}`))
    assert.isDefined(taproot(`02${"22".repeat(32)}aabbccdd`))
  })

  it("of participants are whole keys on the curve", () => {
    for (const [map, type] of [["input", 0x1a], ["output", 0x08]] as const) {
      const fault = (value: string, key = KEY_A): string | undefined => faultWith(map, field(type, value, key))
      assert.isUndefined(fault(KEY_A + KEY_B))
      assert.isUndefined(fault(""))
      assert.match(fault(`${KEY_B}02`)!, /is not a multiple of 33/)
      assert.match(fault(NO_KEY)!, /participant pubkey is invalid/)
      assert.match(fault(KEY_B, NO_KEY)!, /aggregate pubkey is invalid/)
    }
  })

  it("of signatures are encoded strictly, with a type of hash that is defined", () => {
    const fault = (value: string): string | undefined => faultWith("input", field(2, value, KEY_A))
    for (const type of ["01", "02", "03", "81", "82", "83"]) assert.isUndefined(fault(SIGNATURE.slice(0, -2) + type))
    for (
      const wrong of ["", "00", SIGNATURE.slice(0, -2), `${SIGNATURE.slice(0, -2)}00`, `${SIGNATURE.slice(0, -2)}04`]
    ) {
      assert.strictEqual(fault(wrong), "Signature is not a valid encoding", wrong)
    }
  })

  it("that stand for nothing are not kept", () => {
    const zero = "00".repeat(32)
    for (
      const [map, extra] of [
        ["input", field(0x04, "")],
        ["input", field(0x07, "")],
        ["input", field(0x08, "00")],
        ["input", field(0x17, zero)],
        ["input", field(0x18, zero)],
        ["input", field(0x01, `${"ff".repeat(8)}00`)],
        ["output", field(0x00, "")],
        ["output", field(0x05, zero)]
      ] as const
    ) {
      const psbt = Result.getOrThrow(decoded(withField(map, extra)))
      assert.strictEqual(hex(encodePsbt(psbt)), hex(serialized(GLOBALS, INPUT, OUTPUT)))
    }
  })
})

describe("extended keys of the whole", () => {
  const put = (key: string, origin = ORIGIN): Field => field(0x01, origin, key)

  it("are public keys: one without a parent has neither fingerprint nor number of one", () => {
    const invalid = "Invalid pubkey"
    assert.isUndefined(faultWith("global", put(extended("00", "00000000", "00000000"))))
    assert.isUndefined(faultWith("global", put(extended("01", "aabbccdd", "01000000"))))
    assert.strictEqual(faultWith("global", put(extended("00", "00000000", "00000001"))), invalid)
    assert.strictEqual(faultWith("global", put(extended("00", "aa000000", "00000000"))), invalid)
    assert.strictEqual(faultWith("global", put(extended("01", "aabbccdd", "01000000", NO_KEY))), invalid)
    assert.strictEqual(
      faultWith("global", put(extended("01", "aabbccdd", "01000000"), "aabb")),
      "Invalid length for HD key path"
    )
  })

  it("are kept with their origins, the shorter path first", () => {
    const keys = [
      put(extended("01", "aabbccdd", "01000000"), "aabbccdd0100000002000000"),
      put(extended("01", "aabbccdd", "02000000", KEY_B), "aabbccdd01000000"),
      put(extended("00", "00000000", "00000000"), "aabbccdc")
    ]
    const psbt = Result.getOrThrow(decoded(serialized([...GLOBALS, ...keys], INPUT, OUTPUT)))
    const written = hex(encodePsbt(psbt))
    const places = [keys[2]!, keys[1]!, keys[0]!].map(([key]) => written.indexOf(hex(key)))
    assert.isTrue(places[0]! > 0 && places[0]! < places[1]! && places[1]! < places[2]!)
    assert.deepStrictEqual([...psbt.globalKeys.values()].map(({ extendedKey }) => extendedKey.length), [78, 78, 78])
    assert.deepStrictEqual(bytes(written), encodePsbt(Result.getOrThrow(decoded(bytes(written)))))
  })
})
