import { assert, describe, it } from "@effect/vitest"
import { convert, draftOf } from "./convert.ts"

describe("options of the mempool", () => {
  it("each becomes the key that has its unit", () => {
    const draft = draftOf(
      "chain=regtest",
      "[regtest]",
      "maxmempool=10",
      "mempoolexpiry=24",
      "minrelaytxfee=0.00000105",
      "incrementalrelayfee=.00000010",
      "dustrelayfee=1",
      "bytespersigop=50",
      "datacarriersize=83",
      "permitbaremultisig=0",
      "acceptnonstdtxn=1",
      "limitclustercount=10",
      "limitclustersize=33",
      "blockreconstructionextratxn=7",
      "persistmempool=0",
      "acceptstalefeeestimates=1",
      "blockmaxweight=200000",
      "blockreservedweight=2000",
      "blockmintxfee=0.00001",
      "blockversion=5"
    )
    assert.deepStrictEqual(draft["mempool"], {
      max_mempool_mb: 10,
      mempool_expiry_hours: 24,
      compact_block_extra_transactions: 7,
      min_relay_fee_rate: 0.105,
      incremental_relay_fee: 10,
      dust_relay_fee: 100_000_000,
      bytes_per_sigop: 50,
      data_carrier_bytes: 83,
      permit_bare_multisig: false,
      accept_non_standard: true,
      max_cluster_count: 10,
      max_cluster_size: 33_000,
      persist_mempool: false
    })
    assert.deepStrictEqual(draft["mining"], {
      block_max_weight: 200_000,
      block_reserved_weight: 2_000,
      block_min_fee: 1_000
    })
    assert.deepStrictEqual(draft["regtest"], { accept_stale_fee_estimates: true, block_version: 5 })
  })

  it("without data carriers their size says nothing", () => {
    assert.deepStrictEqual(draftOf("datacarrier=0", "datacarriersize=83")["mempool"], { data_carrier_bytes: 0 })
    assert.deepStrictEqual(draftOf("datacarriersize=83", "datacarrier=0")["mempool"], { data_carrier_bytes: 0 })
    assert.deepStrictEqual(draftOf("datacarrier=1", "datacarriersize=83")["mempool"], { data_carrier_bytes: 83 })
  })

  it.each(
    [
      ["minrelaytxfee=x", "not an amount"],
      ["minrelaytxfee=-1", "not an amount"],
      ["minrelaytxfee=0.000000001", "not an amount"],
      ["minrelaytxfee=", "not an amount"],
      ["limitclustercount=65", "not a number that fits"],
      ["limitancestorcount=10", "clusters are limited instead"],
      ["acceptnonstdtxn=1", "mainnet relays standard transactions alone"],
      ["acceptstalefeeestimates=1", "regtest alone"],
      ["blockversion=4", "regtest alone"],
      ["maxmempool=4", "at least 5"],
      ["blockreservedweight=1999", "not a number that fits"],
      ["blockmaxweight=7999", "a weight of 8000 is kept free"]
    ] as const
  )("%s is left out, and the report says why", (setting, why) => {
    const { problems, report, toml } = convert(setting)
    assert.deepStrictEqual(problems, [])
    assert.include(report.join(), why)
    assert.notInclude(toml, "[mempool]")
    assert.notInclude(toml, "[mining]")
  })

  it("a smaller mempool does for smaller clusters", () => {
    const draft = draftOf("maxmempool=4", "limitclustersize=100")
    assert.deepStrictEqual(draft["mempool"], { max_mempool_mb: 4, max_cluster_size: 100_000 })
  })
})
