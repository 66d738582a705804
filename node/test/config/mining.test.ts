import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { parse } from "smol-toml"
import { convertCoreConfig } from "../../src/config/convert-core/convert-core-config.ts"
import { loadConfig } from "../../src/config/load-config.ts"
import { engineOptionsOf } from "../../src/lifecycle/engine-options-of.ts"
import { inPlace, problemsOf } from "./loading.ts"

const TCP = "transport_preference = \"tcponly\"\n"

describe("how blocks are made", () => {
  it.effect("is as in Bitcoin Core, or as the file says", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const fallback = { blockMaxWeight: 4_000_000, blockReservedWeight: 8_000, blockMinFee: 1n }
        assert.deepStrictEqual((yield* loadConfig(place.request())).config.mining, {
          ...fallback,
          blockVersion: undefined
        })
        const table = "[mining]\nblock_max_weight = 9000\nblock_reserved_weight = 2000\nblock_min_fee = 0\n"
        place.write("work/node.toml", `${TCP}${table}[regtest]\nblock_version = -5\n`)
        const { config } = yield* loadConfig(place.request())
        assert.deepStrictEqual(engineOptionsOf(config).mining, {
          blockMaxWeight: 9_000,
          blockReservedWeight: 2_000,
          blockMinFee: 0n,
          blockVersion: -5
        })
        const problems = yield* problemsOf(place.request({ environment: { NODE_NETWORK: "signet" } }))
        assert.include(problems.join("\n"), "[regtest].block_version: on signet deployments decide")
      })
    ))

  const REFUSED: ReadonlyArray<readonly [max: number, reserved: number, problem: string]> = [
    [4_000_000, 1_999, "block_reserved_weight (1999) is lower than minimum safety value of (2000)"],
    [4_000_001, 4_000_001, "block_reserved_weight (4000001) exceeds consensus maximum block weight (4000000)"],
    [4_000_001, 8_000, "block_max_weight (4000001) exceeds consensus maximum block weight (4000000)"],
    [3_000, 4_000, "block_reserved_weight (4000) exceeds [mining].block_max_weight (3000)"]
  ]
  for (const [max, reserved, problem] of REFUSED) {
    it.effect(`is refused: ${problem}`, () =>
      inPlace((place) =>
        Effect.gen(function*() {
          const assignments = [`mining.block_max_weight=${max}`, `mining.block_reserved_weight=${reserved}`]
          const problems = yield* problemsOf(place.request({ assignments }))
          assert.deepStrictEqual(problems.filter((line) => line.includes("[mining]")), [`[mining].${problem}`])
        })
      ))
  }

  const converted = (...lines: ReadonlyArray<string>) =>
    convertCoreConfig("bitcoin.conf", ["chain=regtest", ...lines].join("\n"))

  it("is converted from Bitcoin Core's options", () => {
    const { toml } = converted(
      "blockmaxweight=100000",
      "blockreservedweight=4000",
      "blockmintxfee=0.00001",
      "blockversion=4"
    )
    const { mining, regtest } = parse(toml) as { readonly mining: unknown; readonly regtest: unknown }
    assert.deepStrictEqual([mining, regtest], [
      { block_max_weight: 100_000, block_reserved_weight: 4_000, block_min_fee: 1_000 },
      { block_version: 4 }
    ])
    assert.include(converted("blockmaxweight=0").problems.join("\n"), "exceeds [mining].block_max_weight (0)")
  })

  it("takes no amount that is none", () => {
    for (const value of ["-1", "x", "", "0.000000001", "21000001", "1e3"]) {
      const { report } = converted(`blockmintxfee=${value}`)
      assert.include(report.join("\n"), `Invalid amount for -blockmintxfee=<amount>: '${value}'`)
    }
    for (const [value, satoshis] of [["0", 0], ["0.00000001", 1], ["1", 100_000_000], [".5", 50_000_000]] as const) {
      const { mining } = parse(converted(`blockmintxfee=${value}`).toml) as { readonly mining: unknown }
      assert.deepStrictEqual(mining, { block_min_fee: satoshis })
    }
    const elsewhere = convertCoreConfig("bitcoin.conf", "chain=main\nblockversion=4").report.join("\n")
    assert.include(elsewhere, "outside regtest")
  })
})
