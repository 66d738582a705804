import { assert, describe, it } from "@effect/vitest"
import { KEYS } from "../../src/config/catalogue.ts"
import type { Origin } from "../../src/config/config.ts"
import { effectiveOf } from "../../src/config/given/effective.ts"
import { NOT_BUILT_TABLES, refusals } from "../../src/config/not-built.ts"

const refusedOf = (key: string, value: unknown, origin: Origin, source: string): ReadonlyArray<string> =>
  refusals(effectiveOf([{ key, value, origin, source }]))

const fromFile = (key: string, value: unknown): string | undefined =>
  refusedOf(key, value, "file", "node.toml:3")[0]?.replace("node.toml:3: ", "")

describe("values that ask for what is not built", () => {
  it("are none of the defaults", () => {
    assert.deepStrictEqual(refusals(effectiveOf()), [])
  })

  it("in a file are named by their place and key, in an option or a variable by its name alone", () => {
    const shown = (origin: Origin, source: string) => refusedOf("migrate_core_only", true, origin, source)
    const reason = "migrating a data directory of Bitcoin Core is not in this build; leave it out or use false"
    assert.deepStrictEqual(shown("command line", "--migrate-core-only"), [`--migrate-core-only: ${reason}`])
    assert.deepStrictEqual(shown("environment", "NODE_X"), [`NODE_X: ${reason}`])
    assert.deepStrictEqual(refusedOf("relay.enable_erlay", true, "file", "node.toml:3"), [
      "node.toml:3: [relay].enable_erlay: Erlay, which needs a binding to minisketch that is maintained, is not in this " +
      "build; leave it out or use false"
    ])
  })

  // `accepted`: what the node does anyway.
  it.for<readonly [key: string, refused: unknown, ...accepted: ReadonlyArray<unknown>]>([
    ["async_request_timeout", 300],
    ["ibd.dump_dir", "d"],
    ["ibd_engine", true, false],
    ["module_resource_limits.default_max_child_processes", 1, 0],
    ["migrate_destination", "d"],
    ["migrate_core_only", true, false],
    ["core_migrate_block_workers", 1],
    ["core_migrate_block_batch", 1],
    ["stratum_v2.transport_preference", "quinnonly", "tcponly"],
    ["stratum_v2.pool_url", "x"],
    ["stratum_v2.merge_mining_enabled", true, false],
    ["stratum_v2.secondary_chains", ["a"], []],
    ["stratum_v2.merge_mining_fee.enabled", true, false],
    ["stratum_v2.merge_mining_fee.fee_percentage", 2, 1],
    ["stratum_v2.merge_mining_fee.commons_address", "a"],
    ["stratum_v2.merge_mining_fee.contributor_id", "a"],
    ["stratum_v2.merge_mining_fee.auto_distribute", true, false],
    ["stratum_v2.p2p_stratum_demux", true, false],
    ["relay.enable_erlay", true, false],
    ["relay.enable_block_relay", false, true],
    ["relay.enable_tx_relay", false, true],
    ["relay.max_relay_age", 1],
    ["relay.max_tracked_items", 1],
    ["dandelion.max_stem_hops", 1],
    ["assumeutxo", "00"],
    ["storage.indexing.strategy", "lazy", "eager"],
    ["storage.indexing.max_indexed_addresses", 1, 0],
    ["storage.indexing.enable_compression", true, false],
    ["storage.indexing.background_indexing", false, true],
    ["mempool.max_ancestor_count", 26, 25],
    ["mempool.max_ancestor_size", 101_001, 101_000],
    ["mempool.max_descendant_count", 26, 25],
    ["mempool.max_descendant_size", 101_001, 101_000],
    ["mempool.eviction_strategy", "hybrid", "lowestfeerate", "lowest_fee_rate"],
    ["mempool.min_tx_fee", 1, 0],
    ["mempool.tx_rate_limit_burst", 1, 0],
    ["mempool.tx_rate_limit_per_sec", 1, 0],
    ["mempool.tx_byte_rate_limit", 1, 0],
    ["mempool.tx_byte_rate_burst", 1, 0]
  ])(
    "of %s are refused with what to write instead: %j, but not what the node does anyway",
    ([key, refused, ...accepted]) => {
      assert.isTrue(KEYS.has(key))
      for (const value of accepted) assert.isUndefined(fromFile(key, value), JSON.stringify(value))
      const text = fromFile(key, refused) ?? ""
      const instead = accepted.length === 0 ? "; leave it out" : `; leave it out or use ${JSON.stringify(accepted[0])}`
      assert.isTrue(text.endsWith(instead), text)
    }
  )

  it("say why where they would do no good, and that they are not in this build otherwise", () => {
    assert.strictEqual(
      fromFile("mempool.min_tx_fee", 5),
      "[mempool].min_tx_fee: a fee says nothing without a size: set min_relay_fee_rate; leave it out or use 0"
    )
    assert.strictEqual(
      fromFile("stratum_v2.secondary_chains", ["a"]),
      "[stratum_v2].secondary_chains: merge mining is not in this build; leave it out or use []"
    )
    assert.strictEqual(
      fromFile("relay.max_relay_age", 5),
      "[relay].max_relay_age: changing how long something is relayed is not in this build; leave it out"
    )
  })

  it("of whole tables are named by what the tables are for", () => {
    for (const [table, part] of Object.entries(NOT_BUILT_TABLES)) assert.match(part, /^\S.*\S$/, table)
  })
})
