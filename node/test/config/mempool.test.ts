import { assert, describe, it } from "@effect/vitest"
import { replacementTerms } from "@lockstep/kernel/relay"
import { spamPolicy } from "@lockstep/kernel/spam"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { loadConfig } from "../../src/config/load-config.ts"
import { DEFAULT_MEMPOOL_SETTINGS } from "../../src/engine/options/settings.ts"
import { engineOptionsOf } from "../../src/lifecycle/engine-options-of.ts"
import { inPlace, type Place, problemsOf } from "./loading.ts"

const TCP = "transport_preference = \"tcponly\"\n"

const loaded = (place: Place, text: string) =>
  Effect.suspend(() => {
    place.write("work/node.toml", `${TCP}${text}`)
    return Effect.map(loadConfig(place.request()), ({ config }) => config)
  })

const refused = (place: Place, text: string) =>
  Effect.suspend(() => {
    place.write("work/node.toml", `${TCP}${text}`)
    return problemsOf(place.request())
  })

const rate = (fee: bigint) => ({ fee, size: 1_000 })

describe("[mempool]", () => {
  it.effect("without it everything is as in Bitcoin Core, and the engine gets it", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const config = yield* loaded(place, "")
        assert.deepStrictEqual(config.mempool, DEFAULT_MEMPOOL_SETTINGS)
        assert.deepStrictEqual(engineOptionsOf(config).mempool, DEFAULT_MEMPOOL_SETTINGS)
        const { dustRelayFee, incrementalRelayFee, minRelayFee, ...others } = config.mempool.policy
        assert.deepStrictEqual([minRelayFee, incrementalRelayFee, dustRelayFee], [rate(100n), rate(100n), rate(3_000n)])
        assert.deepStrictEqual(others, {
          requireStandard: true,
          permitBareMultisig: true,
          dataCarrierBytes: 100_000,
          bytesPerSigOp: 20,
          cluster: { count: 64, weight: 404_000 }
        })
        assert.deepStrictEqual([config.mempool.maxBytes, config.mempool.expirySeconds], [300_000_000, 1_209_600])
        assert.deepStrictEqual(config.mining, {
          blockMaxWeight: 4_000_000,
          blockReservedWeight: 8_000,
          blockMinFee: 1n,
          blockVersion: undefined
        })
      })
    ))

  it.effect("every key reaches the settings, in their units", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const { mempool, mining } = yield* loaded(
          place,
          `[mempool]
max_mempool_mb = 100
max_mempool_txs = 5
min_relay_fee_rate = 1.005
incremental_relay_fee = 7
dust_relay_fee = 8
bytes_per_sigop = 9
max_cluster_count = 10
max_cluster_size = 11000
mempool_expiry_hours = 2
compact_block_extra_transactions = 3
persist_mempool = false
mempool_persistence_path = "pool.dat"
permit_bare_multisig = false
data_carrier_bytes = 0
accept_non_standard = true
[mining]
block_max_weight = 100000
block_reserved_weight = 2000
block_min_fee = 12
[regtest]
accept_stale_fee_estimates = true
block_version = 5
`
        )
        assert.deepStrictEqual(mempool, {
          policy: {
            requireStandard: false,
            permitBareMultisig: false,
            dataCarrierBytes: 0,
            dustRelayFee: rate(8n),
            minRelayFee: rate(1_005n),
            incrementalRelayFee: rate(7n),
            bytesPerSigOp: 9,
            cluster: { count: 10, weight: 44_000 }
          },
          mode: "standard",
          terms: replacementTerms("standard"),
          spam: undefined,
          maxBytes: 100_000_000,
          maxTransactions: 5,
          expirySeconds: 7_200,
          extraTransactions: 3,
          persists: false,
          file: join(place.directory, "pool.dat"),
          estimatesFees: true,
          acceptsStaleEstimates: true
        })
        assert.deepStrictEqual(mining, {
          blockMaxWeight: 100_000,
          blockReservedWeight: 2_000,
          blockMinFee: 12n,
          blockVersion: 5
        })
      })
    ))

  it.effect("a larger incremental fee is asked of every transaction, unless a minimum is set", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const minimum = (text: string) =>
          Effect.map(loaded(place, `[mempool]\n${text}`), ({ mempool }) => mempool.policy.minRelayFee)
        assert.deepStrictEqual(yield* minimum("incremental_relay_fee = 2000"), rate(2_000n))
        assert.deepStrictEqual(yield* minimum("incremental_relay_fee = 50"), rate(100n))
        assert.deepStrictEqual(
          yield* minimum("incremental_relay_fee = 2000\nmin_relay_fee_rate = 0.001"),
          rate(1n)
        )
        assert.deepStrictEqual(yield* minimum("min_relay_fee_rate = 0"), rate(0n))
      })
    ))

  it.effect("a node that relays blocks alone has a small mempool and estimates no fees", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const { mempool } = yield* loaded(place, "[connections]\nblocks_only = true\n")
        assert.deepStrictEqual([mempool.maxBytes, mempool.estimatesFees], [5_000_000, false])
        const set = yield* loaded(place, "[connections]\nblocks_only = true\n[mempool]\nmax_mb = 7\n")
        assert.strictEqual(set.mempool.maxBytes, 7_000_000)
      })
    ))

  it.effect("max_mb is max_mempool_mb, in a file and behind --set", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        place.write("work/node.toml", `${TCP}[mempool]\nmax_mb = 20\n`)
        assert.strictEqual((yield* loadConfig(place.request())).config.mempool.maxBytes, 20_000_000)
        const set = place.request({ assignments: ["mempool.max_mb=30"] })
        assert.strictEqual((yield* loadConfig(set)).config.mempool.maxBytes, 30_000_000)
        const [problem] = yield* refused(place, "[mempool]\nmax_mb = 20\nmax_mempool_mb = 21\n")
        assert.include(problem, "[mempool].max_mb and [mempool].max_mempool_mb are one key with two different values")
      })
    ))

  it.effect("room for 40 clusters of the largest size, or none at all", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const [problem, ...others] = yield* refused(place, "[mempool]\nmax_mempool_mb = 4\n")
        assert.deepStrictEqual(others, [])
        assert.include(problem, "[mempool].max_mempool_mb must be at least 5 ")
        assert.deepStrictEqual(yield* refused(place, "[mempool]\nmax_mempool_mb = 5\n"), [])
        assert.deepStrictEqual(yield* refused(place, "[mempool]\nmax_mempool_mb = 0\n"), [])
        assert.deepStrictEqual(yield* refused(place, "[mempool]\nmax_mempool_mb = 4\nmax_cluster_size = 100000\n"), [])
      })
    ))

  it.effect.each(
    [
      ["max_ancestor_count = 24", "set max_cluster_count"],
      ["max_ancestor_size = 1", "set max_cluster_count"],
      ["max_descendant_count = 24", "set max_cluster_count"],
      ["max_descendant_size = 1", "set max_cluster_count"],
      ["eviction_strategy = \"oldestfirst\"", "push out ones that pay more"],
      ["eviction_strategy = \"spam_first\"", "use \"lowestfeerate\""],
      ["min_tx_fee = 1000", "set min_relay_fee_rate"],
      ["tx_rate_limit_burst = 10", "leave it out"],
      ["tx_rate_limit_per_sec = 1", "leave it out"],
      ["tx_byte_rate_limit = 100000", "leave it out"],
      ["tx_byte_rate_burst = 1000000", "leave it out"],
      ["min_relay_fee_rate = 0.0001", "at most 3 decimals"],
      ["max_cluster_count = 65", "from 1 to 64"],
      ["eviction_strategy = \"newestfirst\"", "expected one of lowestfeerate"]
    ] as const
  )("%s is refused with a reason that says what to do", ([line, reason]) =>
    inPlace((place) =>
      Effect.gen(function*() {
        const [problem, ...others] = yield* refused(place, `[mempool]\n${line}\n`)
        assert.deepStrictEqual(others, [])
        assert.match(problem!, /node\.toml:3: \[mempool\]\.\w+: /)
        assert.include(problem, reason)
      })
    ))

  it.effect("what the contract has by default is accepted where it changes nothing, and a warning says so", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const { mempool, warnings } = yield* loaded(
          place,
          "[mempool]\nmax_ancestor_count = 25\nmax_descendant_size = 101000\neviction_strategy = \"lowest_fee_rate\"\n" +
            "min_tx_fee = 0\ntx_rate_limit_burst = 0\n"
        )
        assert.deepStrictEqual(mempool, DEFAULT_MEMPOOL_SETTINGS)
        assert.strictEqual(warnings.length, 1)
        assert.include(warnings[0], "[mempool].max_ancestor_count, max_descendant_size change nothing")
      })
    ))

  it.effect("mainnet relays standard transactions alone, and reads no old estimates", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const main = "protocol_version = \"BitcoinV1\"\n"
        const [standard] = yield* refused(place, `${main}[mempool]\naccept_non_standard = true\n`)
        assert.include(standard, "[mempool].accept_non_standard")
        const [stale] = yield* refused(place, `${main}[regtest]\naccept_stale_fee_estimates = true\n`)
        assert.include(stale, "[regtest].accept_stale_fee_estimates")
        const [version] = yield* refused(place, `${main}[regtest]\nblock_version = 5\n`)
        assert.include(version, "[regtest].block_version")
        const signet = "protocol_version = \"Signet\"\n[mempool]\naccept_non_standard = true\n"
        assert.isFalse((yield* loaded(place, signet)).mempool.policy.requireStandard)
      })
    ))

  it.effect("no more is kept free in a block than it may hold", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const [problem] = yield* refused(place, "[mining]\nblock_max_weight = 3000\nblock_reserved_weight = 4000\n")
        assert.strictEqual(
          problem?.replace(/^.*: (?=\[)/, ""),
          "[mining].block_reserved_weight = 4000 exceeds block_max_weight = 3000; " +
            "raise block_max_weight or lower block_reserved_weight"
        )
      })
    ))
})

describe("[mempool.spam_filter]", () => {
  const spam = (place: Place, text: string) =>
    Effect.map(loaded(place, `[mempool]\nreject_spam_in_mempool = true\n${text}`), ({ mempool }) => mempool.spam)

  it.effect("off unless asked for; then the moderate preset, or the one that is named", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* spam(place, ""), spamPolicy("moderate"))
        for (const preset of ["disabled", "conservative", "moderate", "aggressive", "strict_inscriptions"] as const) {
          assert.deepStrictEqual(
            yield* spam(place, `[mempool.spam_filter]\npreset = "${preset}"\n`),
            spamPolicy(preset)
          )
        }
      })
    ))

  it.effect("single keys change the preset, 0 takes a limit away", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const own = yield* spam(
          place,
          "[mempool.spam_filter]\npreset = \"aggressive\"\nfilter_ordinals = false\nfilter_brc20 = true\n" +
            "min_output_value = 1\nmax_witness_size = 0\nmin_fee_rate = 2.5\nmax_size_value_ratio = 0\n" +
            "max_small_outputs = 3\nsmall_output_value = 9\n"
        )
        assert.deepStrictEqual(own, {
          envelopes: false,
          tokenDocuments: true,
          minOutputValue: 1n,
          maxWitnessItem: undefined,
          minFeeRate: 2.5,
          maxBytesPerSatoshi: undefined,
          maxSmallOutputs: 3,
          smallOutputValue: 9n
        })
      })
    ))

  it.effect("alone it changes nothing, and a warning says so", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const { mempool, warnings } = yield* loaded(place, "[mempool.spam_filter]\npreset = \"aggressive\"\n")
        assert.strictEqual(mempool.spam, undefined)
        assert.include(warnings.join(), "reject_spam_in_mempool")
      })
    ))
})

describe("[rbf]", () => {
  it.effect.each(["disabled", "conservative", "standard", "aggressive"] as const)(
    "the mode %s alone loads its numbers",
    (mode) =>
      inPlace((place) =>
        Effect.gen(function*() {
          const { mempool } = yield* loaded(place, `[rbf]\nmode = "${mode}"\n`)
          assert.strictEqual(mempool.mode, mode)
          assert.deepStrictEqual(mempool.terms, replacementTerms(mode))
        })
      )
  )

  it.effect("single keys change the mode", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const { mempool } = yield* loaded(
          place,
          "[rbf]\nmode = \"conservative\"\nmin_fee_rate_multiplier = 1.1\nmin_fee_bump_satoshis = 1\n" +
            "min_confirmations = 2\nallow_package_replacements = true\nmax_replacements_per_tx = 4\ncooldown_seconds = 5\n"
        )
        assert.deepStrictEqual(mempool.terms, {
          allowed: true,
          packages: true,
          diagram: true,
          signalling: true,
          rateFactor: 1_100,
          bump: 1n,
          maxReplacements: 4,
          cooldown: 5,
          confirmations: 2
        })
      })
    ))

  it.effect("nothing makes the disabled mode replace, and a warning says so", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const { mempool, warnings } = yield* loaded(
          place,
          "[rbf]\nmode = \"disabled\"\nallow_package_replacements = true\n"
        )
        assert.deepStrictEqual(mempool.terms, replacementTerms("disabled"))
        assert.include(warnings.join(), "[rbf].allow_package_replacements change nothing")
      })
    ))
})
