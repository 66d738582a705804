import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chmodSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { loadConfig } from "../../src/config/load-config.ts"
import { inPlace, option, problemsOf } from "./loading.ts"

const TCP = "transport_preference = \"tcponly\"\n"

describe("loadConfig", () => {
  it.effect("without anything: regtest under the home directory, RPC on loopback", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const { config } = yield* loadConfig(place.request())
        assert.strictEqual(config.network, "regtest")
        assert.strictEqual(config.file, undefined)
        assert.strictEqual(config.dataDirectory, join(place.home, ".lockstep", "regtest"))
        assert.deepStrictEqual(config.rpc.bind, { host: "127.0.0.1", port: 18_443 })
        assert.deepStrictEqual(config.peers.listen, { host: "0.0.0.0", port: 18_444 })
        assert.deepStrictEqual(config.storage.pruning, { _tag: "Disabled" })
        assert.deepStrictEqual(config.validation.assumedValid, { _tag: "NetworkDefault" })
        assert.strictEqual(config.validation.scriptWorkers, 4)
        assert.deepStrictEqual(config.warnings, [])
      })
    ))

  it.effect("the command line is stronger than the environment, that than the file, that than the default", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const file = place.write(
          "work/node.toml",
          `${TCP}max_peers = 1\n[logging]\nlevel = "warn"\n[storage]\ndata_dir = "from-file"\n`
        )
        const environment = { NODE_NODE_MAX_PEERS: "2", NODE_DATA_DIR: "from-environment" }
        const options = [option("data-dir", "storage.data_dir", "from-option")]
        const { config, effective } = yield* loadConfig(place.request({ environment, options }))
        assert.strictEqual(config.file, file)
        assert.strictEqual(config.dataDirectory, join(place.directory, "from-option", "regtest"))
        assert.strictEqual(config.peers.maximum, 2)
        assert.strictEqual(config.logging.level, "warn")
        assert.strictEqual(config.storage.dbcacheMegabytes, 450)
        const origins = ["storage.data_dir", "max_peers", "logging.level", "storage.dbcache_mb"].map((key) =>
          effective.get(key)!
        )
        assert.deepStrictEqual(origins.map(({ origin, source }) => [origin, source]), [
          ["command line", "--data-dir"],
          ["environment", "NODE_NODE_MAX_PEERS"],
          ["file", `${file}:4`],
          ["default", "default"]
        ])
      })
    ))

  it.effect("--set is stronger than the option it repeats", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const options = [option("verbose", "logging.level", "debug")]
        const { config } = yield* loadConfig(
          place.request({ options, assignments: ["logging.level=error,rpc=trace", "max_peers=7"] })
        )
        assert.strictEqual(config.logging.level, "error")
        assert.deepStrictEqual(config.logging.categories, { rpc: "trace" })
        assert.strictEqual(config.peers.maximum, 7)
      })
    ))

  it.effect("an option chooses the network over the file, and ports and directory follow", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        place.write("work/node.toml", `${TCP}protocol_version = "Testnet3"\n`)
        const fromFile = (yield* loadConfig(place.request())).config
        assert.deepStrictEqual([fromFile.network, fromFile.rpc.bind.port, fromFile.peers.listen.port], [
          "testnet3",
          18_332,
          18_333
        ])
        const cases = [["mainnet", "mainnet", 8_332], ["testnet", "testnet3", 18_332], [
          "testnet4",
          "testnet4",
          48_332
        ]] as const
        for (const [name, network, port] of cases) {
          const { config } = yield* loadConfig(place.request({ options: [option("network", "network", name)] }))
          assert.deepStrictEqual([config.network, config.rpc.bind.port], [network, port])
          assert.strictEqual(config.dataDirectory, join(place.home, ".lockstep", name))
        }
        const { config } = yield* loadConfig(place.request({ environment: { NODE_NETWORK: "Signet" } }))
        assert.deepStrictEqual([config.network, config.rpc.bind.port], ["signet", 38_332])
      })
    ))

  it.effect("looks for node.toml in the working directory, the data directory and the configuration directory, in this order", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const found = () =>
          Effect.map(
            loadConfig(place.request({ environment: { NODE_DATA_DIR: "~/data" } })),
            ({ config }) => config.file
          )
        assert.strictEqual(yield* found(), undefined)
        const user = place.write("home/.config/lockstep/node.toml", TCP)
        assert.strictEqual(yield* found(), user)
        const data = place.write("home/data/node.toml", TCP)
        assert.strictEqual(yield* found(), data)
        const work = place.write("work/node.toml", TCP)
        assert.strictEqual(yield* found(), work)
        const xdg = place.write("elsewhere/lockstep/node.toml", TCP)
        const request = place.request({ environment: { XDG_CONFIG_HOME: join(xdg, "../..") } })
        const apart = { ...request, machine: { ...request.machine, directory: place.home } }
        assert.strictEqual((yield* loadConfig(apart)).config.file, xdg)
        const named = place.write("named.toml", TCP)
        assert.strictEqual((yield* loadConfig(place.request({ file: named }))).config.file, named)
      })
    ))

  it.effect("a file that cannot be used is named, with the reason", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const about = (path: string) =>
          Effect.map(problemsOf(place.request({ file: path })), (problems) => problems.join("\n"))
        assert.strictEqual(yield* about("/nowhere/node.toml"), "/nowhere/node.toml: no such file")
        assert.strictEqual(yield* about(place.home), `${place.home}: is a directory, not a file`)
        assert.strictEqual(yield* about("/dev/null"), "/dev/null: is not a regular file")
        const inside = join(place.write("a-file", ""), "node.toml")
        assert.strictEqual(yield* about(inside), `${inside}: no such file: a part of the path is not a directory`)
        const binary = place.write("binary.toml", "")
        yield* Effect.promise(() =>
          import("node:fs/promises").then(({ writeFile }) => writeFile(binary, Uint8Array.of(0xff, 0xfe, 0)))
        )
        assert.strictEqual(yield* about(binary), `${binary}: is not UTF-8 text`)
        const broken = place.write("broken.toml", `${TCP}[storage\ndata_dir = 1\n`)
        assert.match(yield* about(broken), /broken\.toml:2:\d+: not valid TOML: /)
        const twice = place.write("twice.toml", `${TCP}max_peers = 1\nmax_peers = 2\n`)
        assert.match(yield* about(twice), /twice\.toml:\d+:\d+: not valid TOML: /)
        const json = place.write("broken.json", "{\n  \"transport_preference\": \"tcponly\",\n}\n")
        assert.strictEqual(yield* about(json), `${json}:3:1: not valid JSON`)
        const list = place.write("list.json", "[]")
        assert.strictEqual(yield* about(list), `${list}: expected an object with the keys of the configuration`)
        const empty = place.write("empty.toml", "")
        assert.include(yield* about(empty), "transport_preference is missing")
        const locked = place.write("locked.toml", TCP)
        chmodSync(locked, 0)
        if (process.getuid?.() !== 0) assert.strictEqual(yield* about(locked), `${locked}: no permission to read it`)
      })
    ))

  it.effect("a parser never repeats what stands in a broken file", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const toml = place.write("secret.toml", `${TCP}[rpc_auth]\npassword = "hunter2\nusername = "x"\n`)
        const json = place.write("secret.json", "{\"rpc_auth\": {\"password\": \"hunter2\" \"username\": 1}}")
        for (const file of [toml, json]) {
          const problems = yield* problemsOf(place.request({ file }))
          assert.strictEqual(problems.length, 1)
          assert.notInclude(problems[0], "hunter2")
        }
      })
    ))

  it.effect("reads a file with a byte order mark and lines of Windows, and JSON by its first character", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const windows = place.write("windows.toml", `\uFEFF${TCP.trim()}\r\n[storage]\r\ndbcache_mb = 99\r\n`)
        const json = place.write(
          "config",
          "\n{\"transport_preference\": \"tcponly\", \"storage\": {\"dbcache_mb\": 99}}"
        )
        for (const file of [windows, json]) {
          assert.strictEqual((yield* loadConfig(place.request({ file }))).config.storage.dbcacheMegabytes, 99)
        }
      })
    ))

  it.effect("expands ~ in paths, and starts relative ones at the working directory", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const file = place.write(
          "work/node.toml",
          `${TCP}[storage]\ndata_dir = "~/chain"\ncore_blocks_dir = "blocks"\nreuse_core_block_files = false\n[logging]\nfile = "~/logs/node.log"\n`
        )
        const { config } = yield* loadConfig(place.request({ file }))
        assert.strictEqual(config.dataDirectory, join(place.home, "chain", "regtest"))
        assert.strictEqual(config.storage.coreBlocks, join(place.directory, "blocks"))
        assert.isTrue(config.storage.copyCoreBlocks)
        const other = place.write("work/other.toml", TCP)
        assert.isFalse((yield* loadConfig(place.request({ file: other }))).config.storage.copyCoreBlocks)
        assert.strictEqual(config.logging.file, join(place.home, "logs", "node.log"))
        const problems = yield* problemsOf(
          place.request({ options: [option("data-dir", "storage.data_dir", "~bob/chain")] })
        )
        assert.deepStrictEqual(problems, [
          "--data-dir: expected a path; ~ is your own home directory, found \"~bob/chain\""
        ])
      })
    ))

  it.effect("reports all that is wrong at once, wherever it comes from", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const file = place.write("bad.toml", `${TCP}max_peers = -1\n`)
        const problems = yield* problemsOf(place.request({
          file,
          environment: { NODE_NETWORK: "moonnet", NODE_ASSUME_VALID_HEIGHT: "high" },
          options: [option("rpc-addr", "rpc_addr", "localhost")],
          assignments: ["storage.dbcach_mb=1", "nonsense", "storage.dbcache_mb=few"]
        }))
        assert.deepStrictEqual(problems, [
          `${file}:2: max_peers: expected an integer from 0 to 100000, found -1`,
          "NODE_NETWORK: expected \"mainnet\", \"testnet\", \"testnet4\", \"signet\" or \"regtest\", found \"moonnet\"; did you mean \"mainnet\"?",
          "NODE_ASSUME_VALID_HEIGHT: expected a height, found \"high\"",
          "--rpc-addr: expected host:port, such as \"127.0.0.1:8332\" or \"[::1]:8332\", found \"localhost\"",
          "--set: [storage].dbcach_mb is not a known key; did you mean [storage].dbcache_mb?",
          "--set: expected key=value, found \"nonsense\"",
          "--set storage.dbcache_mb: expected an integer from 4 to 131072, found \"few\""
        ])
      })
    ))

  it.effect("pruning comes in the modes of the table, by size, or on command", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const pruning = (table: string) => {
          place.write("work/node.toml", `${TCP}[storage.pruning]\n${table}\n`)
          return Effect.map(loadConfig(place.request()), ({ config }) => config.storage.pruning)
        }
        assert.deepStrictEqual(yield* pruning("mode = \"disabled\""), { _tag: "Disabled" })
        assert.deepStrictEqual(yield* pruning("mode = \"manual\""), { _tag: "Manual" })
        assert.deepStrictEqual(yield* pruning("mode = \"normal\""), { _tag: "KeepBlocks", blocks: 288 })
        assert.deepStrictEqual(
          yield* pruning("mode = { type = \"normal\", keep_from_height = 7, min_recent_blocks = 1000 }"),
          { _tag: "KeepBlocks", blocks: 1_000, fromHeight: 7 }
        )
        assert.deepStrictEqual(yield* pruning("[storage.pruning.mode]\ntype = \"normal\""), {
          _tag: "KeepBlocks",
          blocks: 288
        })
        assert.deepStrictEqual(yield* pruning("target_mb = 550"), { _tag: "TargetSize", bytes: 550 * 1_048_576 })
        assert.deepStrictEqual(yield* pruning("target_mb = 550\nauto_prune = false"), { _tag: "Manual" })
        const problems = yield* Effect.flip(pruning("mode = \"manual\"\ntarget_mb = 550"))
        assert.include(problems.message, "exclude each other")
        for (const index of ["txindex", "txospenderindex"]) {
          const indexed = yield* Effect.flip(pruning(`mode = "manual"\n[storage.indexing]\n${index} = true`))
          assert.include(indexed.message, `[storage.indexing].${index} = true needs every block`)
        }
      })
    ))

  it.effect("assumed-valid blocks by hash, by height, or none", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const assumed = (text: string) =>
          Effect.map(
            loadConfig(place.request({ options: [option("assumevalid", "validation.assume_valid", text)] })),
            ({ config }) => config.validation.assumedValid
          )
        const hash = "0f9188F13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206"
        assert.deepStrictEqual(yield* assumed(hash), { _tag: "Block", hash: hash.toLowerCase() })
        assert.deepStrictEqual(yield* assumed("840000"), { _tag: "Height", height: 840_000 })
        assert.deepStrictEqual(yield* assumed("0"), { _tag: "Nothing" })
        assert.deepStrictEqual(yield* assumed("0".repeat(64)), { _tag: "Nothing" })
        const environment = { NODE_ASSUME_VALID_HEIGHT: "5" }
        assert.deepStrictEqual((yield* loadConfig(place.request({ environment }))).config.validation.assumedValid, {
          _tag: "Height",
          height: 5
        })
      })
    ))

  it.effect("heights of deployments, and a clock that stands, are for regtest alone", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        assert.strictEqual((yield* loadConfig(place.request())).config.validation.mockTime, 0)
        const tables = "[regtest]\nmock_time = 1600000000\n[regtest.activation_heights]\nsegwit = 0\ncsv = 432\n"
        place.write("work/node.toml", `${TCP}${tables}`)
        const { activationHeights, mockTime } = (yield* loadConfig(place.request())).config.validation
        assert.deepStrictEqual([activationHeights, mockTime], [{ segwit: 0, csv: 432 }, 1_600_000_000])
        const problems = yield* problemsOf(place.request({ environment: { NODE_NETWORK: "mainnet" } }))
        assert.include(problems.join("\n"), "[regtest.activation_heights]")
        assert.include(problems.join("\n"), "[regtest].mock_time")
      })
    ))

  it.effect("an engine of other builds falls back to auto with a warning", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        for (const engine of ["rocksdb", "tidesdb", "redb", "sled"]) {
          const { config } = yield* loadConfig(place.request({ assignments: [`storage.database_backend=${engine}`] }))
          assert.strictEqual(config.storage.backend, "auto")
          assert.include(config.warnings.join("\n"), engine)
        }
        const { config } = yield* loadConfig(place.request({ assignments: ["storage.database_backend=leveldb"] }))
        assert.strictEqual(config.storage.backend, "leveldb")
      })
    ))

  it.effect("keeps out of a data directory of Bitcoin Core", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        mkdirSync(join(place.home, "btc", "regtest", "chainstate"), { recursive: true })
        const options = [option("data-dir", "storage.data_dir", "~/btc")]
        const problems = yield* problemsOf(place.request({ options }))
        assert.strictEqual(problems.length, 1)
        assert.include(problems[0], "--no-auto-migrate")
        const without = [...options, option("no-auto-migrate", "storage.auto_migrate_core", "false")]
        const { config } = yield* loadConfig(place.request({ options: without }))
        assert.strictEqual(config.dataDirectory, join(place.home, "btc", "node", "regtest"))
        const main = [...options, option("network", "network", "mainnet")]
        assert.strictEqual(
          (yield* loadConfig(place.request({ options: main }))).config.dataDirectory,
          join(place.home, "btc", "mainnet")
        )
      })
    ))
})
