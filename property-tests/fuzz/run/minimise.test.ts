import { assert, describe, it } from "vitest"
import { decodeInput, encodeInput } from "../input-codec.ts"
import { randomOf } from "../random.ts"
import { minimised } from "./minimise.ts"

const soon = (): number => Date.now() + 10_000

describe("a finding", () => {
  it("is made small as long as it still shows", async () => {
    const input = {
      bytes: Uint8Array.from({ length: 300 }, (_, i) => i & 255),
      flags: new Set(["A", "B", "C"]),
      value: 7n,
      list: [1, 2, 3]
    }
    const shows = (candidate: unknown): boolean => {
      const { bytes, flags } = candidate as typeof input
      return bytes.includes(0x2a) && flags.has("B")
    }
    assert.deepStrictEqual(await minimised(input, shows, soon()), {
      bytes: Uint8Array.of(0x2a),
      flags: new Set(["B"]),
      value: 0n,
      list: []
    })
  })

  it("stays as it is where nothing simpler shows it", async () => {
    const input = Uint8Array.of(1, 2)
    assert.strictEqual(
      await minimised(input, () => false, soon()),
      input
    )
  })

  it("is read back as it was written", () => {
    const input = {
      bytes: Uint8Array.of(1, 255),
      amount: -5n,
      flags: new Set(["P2SH"]),
      annex: undefined,
      index: 3,
      items: [new Uint8Array(0)]
    }
    const { annex: _, ...written } = input
    assert.deepStrictEqual(decodeInput(encodeInput(input)), written as unknown)
  })

  it("follows from seed and index alone", () => {
    const bytes = (seed: number, index: number): string => Buffer.from(randomOf(seed, index).bytes(16)).toString("hex")
    assert.strictEqual(bytes(1, 5), bytes(1, 5))
    assert.notStrictEqual(bytes(1, 5), bytes(1, 6))
    assert.notStrictEqual(bytes(1, 5), bytes(2, 5))
  })
})
