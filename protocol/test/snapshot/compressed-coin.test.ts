import { assert, describe, it } from "vitest"
import {
  compressedAmount,
  compressedScript,
  snapshotCoin,
  snapshotHead,
  snapshotTransaction,
  snapshotVout,
  varInt
} from "../../src/snapshot/compressed-coin.ts"

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")
const bytes = (digits: string): Uint8Array => new Uint8Array(Buffer.from(digits, "hex"))

const HASH = "11".repeat(20)
const X = "22".repeat(32)

describe("coins in the short form of snapshots", () => {
  it("numbers have one form, and amounts end with their zeros", () => {
    const numbers = [[0n, "00"], [127n, "7f"], [128n, "8000"], [255n, "807f"], [16_511n, "ff7f"], [65_535n, "82fe7f"]]
    for (const [value, expected] of numbers) assert.strictEqual(hex(varInt(value as bigint)), expected)
    const amounts = [[0n, 0n], [1n, 1n], [1_000_000n, 7n], [100_000_000n, 9n], [5_000_000_000n, 50n]]
    for (const [value, expected] of amounts) assert.strictEqual(compressedAmount(value!), expected)
    assert.strictEqual(compressedAmount(2_100_000_000_000_000n), 0x1406f40n)
  })

  it("scripts of usual forms lose what is the same in all of them", () => {
    const forms: ReadonlyArray<readonly [script: string, short: string]> = [
      [`76a914${HASH}88ac`, `00${HASH}`],
      [`a914${HASH}87`, `01${HASH}`],
      [`2102${X}ac`, `02${X}`],
      [`4104${X}${"00".repeat(31)}07ac`, `05${X}`],
      ["51", "0751"],
      ["", "06"]
    ]
    for (const [script, short] of forms) assert.strictEqual(hex(compressedScript(bytes(script), () => true)), short)
    const noKey = `4104${X}${"00".repeat(32)}ac`
    assert.strictEqual(hex(compressedScript(bytes(noKey), () => false)), `49${noKey}`)
  })

  it("numbers are read as they were written, one after another", () => {
    const read = (form: Uint8Array): bigint => {
      let value = 0n
      for (const [n, byte] of form.entries()) {
        value = value << 7n | BigInt(byte & 0x7f)
        assert.strictEqual((byte & 0x80) !== 0, n < form.length - 1)
        if (n < form.length - 1) value++
      }
      return value
    }
    const edges = [0n, 128n, 16_512n, 2_113_664n, 270_549_120n, 2n ** 32n, 2n ** 53n, 2n ** 63n]
    for (const edge of edges) {
      for (const value of [edge - 1n, edge, edge + 1n].filter((each) => each >= 0n)) {
        assert.strictEqual(read(varInt(value)), value, String(value))
      }
    }
    assert.deepStrictEqual([16_511n, 16_512n].map((value) => varInt(value).length), [2, 3])
  })

  it("amounts are expanded to what they were", () => {
    const expanded = (short: bigint): bigint => {
      if (short === 0n) return 0n
      const [zeros, rest] = [(short - 1n) % 10n, (short - 1n) / 10n]
      const digits = zeros < 9n ? rest / 9n * 10n + rest % 9n + 1n : rest + 1n
      return digits * 10n ** zeros
    }
    for (let power = 0n; power < 16n; power++) {
      for (const times of [1n, 2n, 9n, 11n, 19n, 90n, 99n, 101n, 12_345n]) {
        const value = times * 10n ** power
        if (value <= 2_100_000_000_000_000n) assert.strictEqual(expanded(compressedAmount(value)), value)
      }
    }
  })

  it("scripts that differ anywhere from a usual form stay whole", () => {
    const whole = (script: string): string => {
      const content = bytes(script)
      return hex(Buffer.concat([varInt(BigInt(content.length + 6)), content]))
    }
    const key = `2103${X}ac`
    const long = `4104${X}${"33".repeat(32)}ac`
    assert.strictEqual(hex(compressedScript(bytes(key), () => false)), `03${X}`, "no other key is looked at")
    assert.strictEqual(hex(compressedScript(bytes(long), () => true)), `05${X}`)
    assert.strictEqual(hex(compressedScript(bytes(long.replace("33ac", "32ac")), () => true)), `04${X}`)
    const forms: ReadonlyArray<readonly [script: string, fixed: ReadonlyArray<number>]> = [
      [`76a914${HASH}88ac`, [0, 1, 2, 23, 24]],
      [`a914${HASH}87`, [0, 1, 22]],
      [key, [0, 34]],
      [long, [0, 66]]
    ]
    for (const [form, fixed] of forms) {
      for (const at of fixed) {
        const changed = bytes(form)
        changed[at]! ^= 0x40
        assert.strictEqual(hex(compressedScript(changed, () => true)), whole(hex(changed)), `${form} at ${at}`)
      }
      for (const other of [`${form}00`, form.slice(0, -2), `00${form}`]) {
        assert.strictEqual(hex(compressedScript(bytes(other), () => true)), whole(other), other)
      }
    }
    for (const first of ["00", "01", "04", "05"]) {
      const other = `21${first}${X}ac`
      assert.strictEqual(hex(compressedScript(bytes(other), () => true)), whole(other))
      if (first !== "04") {
        const large = `41${first}${X}${X}ac`
        assert.strictEqual(hex(compressedScript(bytes(large), () => true)), whole(large))
      }
    }
    const asked: Array<string> = []
    compressedScript(bytes(long), (each) => asked.push(hex(each)) > 0)
    assert.deepStrictEqual(asked, [long.slice(2, -2)])
  })

  it("coins have height and kind in one number, then amount and script", () => {
    const coin = { height: 300, value: 1_000_000n, script: bytes("51"), isCoinbase: false }
    assert.strictEqual(hex(snapshotCoin(coin, () => false)), `${hex(varInt(600n))}070751`)
    assert.strictEqual(hex(snapshotCoin({ ...coin, isCoinbase: true }, () => false)), `${hex(varInt(601n))}070751`)
  })

  it("heads and transactions count what follows", () => {
    const [network, block] = [bytes("fabfb5da"), bytes("44".repeat(32))]
    assert.strictEqual(
      hex(snapshotHead(network, block, 258)),
      `7574786fff0200fabfb5da${"44".repeat(32)}0201000000000000`
    )
    assert.strictEqual(hex(snapshotTransaction(block, 253)), `${"44".repeat(32)}fdfd00`)
    assert.deepStrictEqual([0, 252, 253].map((vout) => hex(snapshotVout(vout))), ["00", "fc", "fdfd00"])
  })
})
