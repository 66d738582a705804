import { assert, describe, it } from "vitest"
import { compressedAmount, compressedScript, varInt } from "../../src/snapshot/compressed-coin.ts"

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
})
