import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { VARIABLES as ENVIRONMENT } from "../../src/config/given/environment.ts"
import { loadConfig } from "../../src/config/load-config.ts"
import { inPlace, option, problemsOf } from "./loading.ts"

const TCP = "transport_preference = \"tcponly\"\n"

const FILES: ReadonlyArray<readonly [name: string, accepted: string, refused: string]> = [
  ["dump directory", "[ibd]\nmode = \"parallel\"", "[ibd]\ndump_dir = \"d\""],
  ["merge mining", "[stratum_v2]\nmerge_mining_enabled = false", "[stratum_v2]\nmerge_mining_enabled = true"],
  ["other chains", "[stratum_v2]\nsecondary_chains = []", "[stratum_v2]\nsecondary_chains = [\"other\"]"],
  ...[["enabled", "false", "true"], ["fee_percentage", "1", "2"], ["auto_distribute", "false", "true"]].map((
    [name, accepted, refused]
  ) =>
    [
      `${name} of merge mining`,
      `[stratum_v2.merge_mining_fee]\n${name} = ${accepted}`,
      `[stratum_v2.merge_mining_fee]\n${name} = ${refused}`
    ] as const
  ),
  ...["commons_address", "contributor_id"].map((name) =>
    [`${name} of merge mining`, "", `[stratum_v2.merge_mining_fee]\n${name} = "x"`] as const
  )
]

const OPTIONS: ReadonlyArray<readonly [option: string, key: string, text: string]> = [
  ["assumeutxo", "assumeutxo", "0".repeat(64)],
  ["async-request-timeout", "async_request_timeout", "300"],
  ["migrate-destination", "migrate_destination", "there"],
  ["migrate-core-only", "migrate_core_only", "true"]
]

const VARIABLES: ReadonlyArray<readonly [variable: string, text: string]> = [
  ["NODE_IBD_ENGINE", "1"],
  ["NODE_REQUEST_ASYNC_TIMEOUT", "300"],
  ["NODE_CORE_MIGRATE_BLOCK_WORKERS", "4"],
  ["NODE_CORE_MIGRATE_BLOCK_BATCH", "4"]
]

describe("parts that are not in this build", () => {
  for (const [name, accepted, refused] of FILES) {
    it.effect(`${name}: asked for, it is refused; what the node does anyway is accepted`, () =>
      inPlace((place) =>
        Effect.gen(function*() {
          place.write("work/node.toml", `${TCP}${accepted}\n`)
          yield* loadConfig(place.request())
          const file = place.write("work/node.toml", `${TCP}${refused}\n`)
          const problems = yield* problemsOf(place.request())
          assert.strictEqual(problems.length, 1)
          assert.isTrue(problems[0]!.startsWith(`${file}:`), problems[0])
          assert.include(problems[0], "is not in this build")
        })
      ))
  }

  it.effect("indexes of addresses and values are switched on; how they are made cannot be chosen", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const table = `${TCP}[storage.indexing]\n`
        const standard = "strategy = \"eager\"\nmax_indexed_addresses = 0\nenable_compression = false\n"
        place.write("work/node.toml", `${table}enable_address_index = true\n${standard}background_indexing = true\n`)
        const { config: { storage } } = yield* loadConfig(place.request())
        assert.deepStrictEqual([storage.addressIndex, storage.valueIndex], [true, false])
        for (
          const [line, reason] of [
            ["strategy = \"lazy\"", "would take hours at the first look-up"],
            ["max_indexed_addresses = 5", "would answer wrongly for the others"],
            ["enable_compression = true", "do not get smaller"],
            ["background_indexing = false", "blocks would wait"]
          ] as const
        ) {
          place.write("work/node.toml", `${table}${line}\n`)
          const problems = yield* problemsOf(place.request())
          assert.lengthOf(problems, 1)
          assert.include(problems[0]!, reason)
        }
      })
    ))

  for (const [name, key, text] of OPTIONS) {
    it.effect(`--${name} is refused`, () =>
      inPlace((place) =>
        Effect.gen(function*() {
          const problems = yield* problemsOf(place.request({ options: [option(name, key, text)] }))
          assert.strictEqual(problems.length, 1)
          assert.match(problems[0]!, new RegExp(`^--${name}: .* is not in this build`))
        })
      ))
  }

  for (const [variable, text] of VARIABLES) {
    it.effect(`${variable}=${text} is refused`, () =>
      inPlace((place) =>
        Effect.gen(function*() {
          const problems = yield* problemsOf(place.request({ environment: { [variable]: text } }))
          assert.strictEqual(problems.length, 1)
          assert.match(problems[0]!, new RegExp(`^${variable}: .* is not in this build`))
        })
      ))
  }

  it.effect("a variable of the download that does not exist is named with the nearest one and all there are", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const [problem, ...others] = yield* problemsOf(place.request({ environment: { NODE_IBD_CHUNKSIZE: "5" } }))
        assert.deepStrictEqual(others, [])
        assert.match(problem!, /^NODE_IBD_CHUNKSIZE is not a known variable; did you mean NODE_IBD_CHUNK_SIZE\? /)
        assert.notInclude(problem, "not in this build")
        const [foo] = yield* problemsOf(place.request({ environment: { NODE_IBD_FOO: "1" } }))
        for (const [variable] of ENVIRONMENT) {
          if (variable.startsWith("NODE_IBD_")) assert.include(foo, variable)
        }
      })
    ))

  it.effect("the node connects to others, and no text denies it", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const tables = [
          "dos_protection",
          "network_timing",
          "request_timeouts",
          "address_database",
          "peer_rate_limiting",
          "spam_ban",
          "ban_list_sharing",
          "ibd_protection",
          "replay_protection",
          "background_tasks"
        ]
        const file = place.write("work/node.toml", `${TCP}${tables.map((table) => `[${table}]\nx = 1\n`).join("")}`)
        const problems = yield* problemsOf(
          place.request({ options: [option("async-request-timeout", "async_request_timeout", "9")] })
        )
        assert.strictEqual(problems.length, tables.length + 1)
        for (const [at, table] of tables.entries()) {
          const problem = problems.find((line) => line.includes(`[${table}]:`))
          assert.isTrue(problem?.startsWith(`${file}:${2 + 2 * at}: [${table}]: `), table)
          assert.match(problem!, / is not in this build; leave it out$/)
        }
        const texts = problems.join("\n")
        assert.notInclude(texts, "connecting to other nodes")
        assert.notMatch(texts, /: the mempool is not/)
      })
    ))

  it.effect("switching something off that does not exist is fine", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const names = ["stratum-v2", "bip158"]
        const keys = ["stratum_v2.enabled", "bip158"]
        const options = names.map((name, i) => option(`disable-${name}`, keys[i]!, "false"))
        const environment = {
          NODE_IBD_ENGINE: "0",
          NODE_REUSE_CORE_BLOCK_FILES: "1",
          NODE_NODE_TRANSPORT: "tcp_only",
          NODE_IBD_MODE: "parallel"
        }
        assert.deepStrictEqual((yield* loadConfig(place.request({ options, environment }))).config.warnings, [])
      })
    ))

  it.effect("counting signature operations is always on: asked for, it says nothing more; switched off, that it changes nothing", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const warnings = (name: string, text: string) =>
          Effect.map(loadConfig(place.request({ options: [option(name, "sigop", text)] })), ({ config }) =>
            config.warnings)
        assert.deepStrictEqual(yield* warnings("enable-sigop", "true"), [])
        const [warning] = yield* warnings("disable-sigop", "false")
        assert.include(warning, "always counts signature operations")
      })
    ))

  it.effect("other variables that start with NODE_ are Node.js's own and left alone", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const environment = {
          NODE_OPTIONS: "--max-old-space-size=1",
          NODE_ENV: "test",
          NODE_PATH: "x",
          NODE_MAX_PEERS: "x",
          NODE_RPC_ADDR: ""
        }
        const { config, effective } = yield* loadConfig(place.request({ environment }))
        assert.isTrue([...effective.values()].every(({ origin }) => origin === "default"))
        assert.strictEqual(config.rpc.bind.port, 18_443)
      })
    ))

  it.effect("RUST_LOG is read where it is a level, weaker than NODE_LOG_LEVEL, and else left to other programs", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const level = (environment: Record<string, string>) =>
          Effect.map(loadConfig(place.request({ environment })), ({ config }) => config.logging.level)
        assert.strictEqual(yield* level({ RUST_LOG: "debug" }), "debug")
        assert.strictEqual(yield* level({ RUST_LOG: "debug", NODE_LOG_LEVEL: "error" }), "error")
        assert.strictEqual(yield* level({ RUST_LOG: "tokio=trace/regex" }), "info")
        assert.include(
          (yield* problemsOf(place.request({ environment: { NODE_LOG_LEVEL: "loud" } }))).join(),
          "NODE_LOG_LEVEL: expected a level"
        )
      })
    ))
})
