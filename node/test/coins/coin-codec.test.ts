import { assert, describe, it } from "@effect/vitest"
import type { Coin } from "@lockstep/kernel/utxo"
import fc from "fast-check"
import { decodeCoin, encodeCoin } from "../../src/coins/coin-codec.ts"
import { coinKey, outPointOfKey } from "../../src/coins/coin-key.ts"

const SEED = Number(process.env.LOCKSTEP_SEED ?? Date.now()) | 0

const anyCoin: fc.Arbitrary<Coin> = fc.record({
  value: fc.oneof(fc.bigInt(0n, 2_100_000_000_000_000n), fc.bigInt(0n, 300n)),
  script: fc.uint8Array({ maxLength: 300 }),
  height: fc.oneof(fc.nat(0x7fff_ffff), fc.nat(300)),
  isCoinbase: fc.boolean()
}, { noNullPrototype: true })

const hex = (text: string) => new Uint8Array(Buffer.from(text.replaceAll(" ", ""), "hex"))

describe("coin codec", () => {
  it("gives back every coin", () => {
    fc.assert(
      fc.property(anyCoin, (coin) => {
        const decoded = decodeCoin(encodeCoin(coin))!
        assert.deepStrictEqual({ ...decoded, script: [...decoded.script] }, { ...coin, script: [...coin.script] })
      }),
      { seed: SEED, numRuns: 1_000 }
    )
  })

  it("writes a form that stays", () => {
    const coin = { value: 5_000_000_000n, script: hex("51"), height: 100, isCoinbase: true }
    assert.deepStrictEqual(encodeCoin(coin), hex("c901 80e497d012 51"))
    assert.deepStrictEqual(decodeCoin(hex("00 00")), { value: 0n, script: hex(""), height: 0, isCoinbase: false })
  })

  it("writes each coin in one way only: every other byte string is none, or another coin's", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 20 }), (bytes) => {
        const coin = decodeCoin(bytes)
        if (coin !== undefined) assert.deepStrictEqual(encodeCoin(coin), bytes)
      }),
      { seed: SEED, numRuns: 5_000 }
    )
  })

  it.each([
    ["nothing at all", ""],
    ["a height alone", "c901"],
    ["a number that does not end", "ffffffffffffffffffff"],
    ["a height in too many bytes", "808000 00"],
    ["a height above 2³¹", "8080808010 00"],
    ["an amount in too many bytes", "00 8000"],
    ["an amount above the supply", "00 81809dd085bedd03"],
    ["a number of nine bytes", "00 808080808080808001"],
    ["a script longer than any that can be spent", `00 00 ${"51".repeat(10_001)}`]
  ])("takes %s for damage", (_, text) => assert.isUndefined(decodeCoin(hex(text))))

  it.each([
    ["the greatest height", "ffffffff0f 00"],
    ["all the supply", "00 80809dd085bedd03"],
    ["the longest script", `00 00 ${"51".repeat(10_000)}`]
  ])("reads %s", (_, text) => assert.deepStrictEqual(encodeCoin(decodeCoin(hex(text))!), hex(text)))

  it("orders keys by transaction id, then by number", () => {
    const key = coinKey({ txid: new Uint8Array(32).fill(7), vout: 0x01020304 })
    assert.deepStrictEqual(key, hex(`63 ${"07".repeat(32)} 01020304`))
    assert.deepStrictEqual(outPointOfKey(coinKey({ txid: new Uint8Array(32).fill(9), vout: 0xffff_fffe })), {
      txid: new Uint8Array(32).fill(9),
      vout: 0xffff_fffe
    })
  })
})
