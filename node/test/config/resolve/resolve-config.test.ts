import { assert, describe, it } from "@effect/vitest"
import type { NodeConfig } from "../../../src/config/config.ts"
import { effectiveOf } from "../../../src/config/given/effective.ts"
import { resolveConfig, type Resolved } from "../../../src/config/resolve/resolve-config.ts"

const MACHINE = { home: "/home/op", directory: "/work", processors: 4 }

type Settings = Readonly<Record<string, unknown>>

/** The configuration of values as their schemas decode them, in the working directory `/work`. */
const resolved = (
  settings: Settings,
  more: { readonly isCore?: boolean; readonly processors?: number } = {}
): Resolved =>
  resolveConfig(
    effectiveOf(
      Object.entries(settings).map(([key, value]) => ({
        key,
        value,
        origin: "file" as const,
        source: `node.toml: ${key}`
      }))
    ),
    {
      machine: { ...MACHINE, processors: more.processors ?? 4 },
      file: "/work/node.toml",
      tokens: undefined,
      isCoreDirectory: () => more.isCore === true
    }
  )

const configOf = (settings: Settings): NodeConfig => resolved(settings).config

const TCP: Settings = { transport_preference: "tcponly" }

describe("contradictions of a configuration", () => {
  const onion = /^\[connections\]\.onlynet names onion/
  const i2p = /^\[connections\]\.onlynet names i2p/
  const cjdns = /^\[connections\]\.onlynet names cjdns/
  const unreached = /^\[relay\]\.private_broadcast needs Tor or I2P, and neither is reachable/
  const chosen = /^\[relay\]\.private_broadcast opens connections to randomly chosen peers/
  const seeds = /^\[connections\]\.dns_seeds = true, but onlynet allows neither ipv4 nor ipv6/
  const proxy = { "connections.proxy": "127.0.0.1:9050" }
  const onionProxy = { "connections.onion_proxy": "127.0.0.1:9050" }
  const tor = { "connections.tor_control": "127.0.0.1:9051" }
  const router = { "connections.i2p_sam": "127.0.0.1:7656" }
  const only = (...networks: ReadonlyArray<string>) => ({ "connections.onlynet": networks })
  const quietly = { "relay.private_broadcast": true }

  it.each<readonly [settings: Settings, problem: RegExp | undefined]>([
    [{}, undefined],
    [only("onion"), onion],
    [{ ...only("ipv4", "onion") }, onion],
    [{ ...only("onion"), ...proxy }, undefined],
    [{ ...only("onion"), ...onionProxy }, undefined],
    [{ ...only("onion"), ...tor }, undefined],
    [only("i2p"), i2p],
    [{ ...only("i2p"), ...router }, undefined],
    [only("cjdns"), cjdns],
    [{ ...only("cjdns"), "connections.cjdns_reachable": true }, undefined],
    [{ ...only("cjdns"), "connections.cjdns_reachable": true, "connections.dns_seeds": true }, seeds],
    [{ ...only("ipv4"), "connections.dns_seeds": true }, undefined],
    [{ ...only("ipv6"), "connections.dns_seeds": true }, undefined],
    [{ ...only("cjdns"), "connections.cjdns_reachable": true, "connections.dns_seeds": false }, undefined],
    [quietly, unreached],
    [{ ...quietly, ...proxy }, undefined],
    [{ ...quietly, ...onionProxy }, undefined],
    [{ ...quietly, ...tor }, undefined],
    [{ ...quietly, ...router }, undefined],
    [{ ...quietly, ...proxy, ...only("ipv4") }, unreached],
    [{ ...quietly, ...proxy, ...only("ipv4", "onion") }, undefined],
    [{ ...quietly, ...router, ...only("ipv4") }, unreached],
    [{ ...quietly, ...router, ...only("ipv4", "i2p") }, undefined],
    [{ ...quietly, ...proxy, "connections.only_persistent_peers": true }, chosen],
    [{ "connections.tor_password": "x" }, /^\[connections\]\.tor_password is for Tor's control port/],
    [{ ...tor, "connections.tor_password": "x" }, undefined],
    [{ ...tor, "connections.listen": false }, /^\[connections\]\.tor_control makes an onion service/],
    [{ "connections.serve_block_filters": true }, /^\[connections\]\.serve_block_filters needs the filters/],
    [{ "connections.serve_block_filters": true, "storage.indexing.blockfilterindex": true }, undefined],
    [{ "relay.enable_package_relay": true, "connections.blocks_only": true }, /^\[relay\]\.enable_package_relay needs/],
    [{ "relay.enable_package_relay": true }, undefined],
    [{ "connections.quic_listen_addr": "127.0.0.1:1" }, /^\[connections\]\.quic_listen_addr needs QUIC: .*"hybrid"/],
    [{ "connections.iroh_listen_addr": "127.0.0.1:1" }, /^\[connections\]\.iroh_listen_addr needs Iroh: .*"all"/],
    [{ persistent_peers: ["quic://x@127.0.0.1:1"] }, /^persistent_peers names a node that is reached over QUIC/],
    [{ persistent_peers: ["iroh://x"] }, /^persistent_peers names a node that is reached over Iroh/],
    [{ transport_preference: "hybrid", ...proxy }, /^transport_preference allows QUIC, which passes no SOCKS5/],
    [
      { transport_preference: "all", ...onionProxy },
      /^transport_preference allows QUIC and Iroh, which passes no SOCKS5/
    ],
    [{ transport_preference: "irohonly", ...proxy }, /^transport_preference allows Iroh, which passes no SOCKS5/],
    [{ transport_preference: "hybrid", ...tor }, /^transport_preference allows QUIC, which would show this node's/],
    [{ listen_addr: "localhost:1" }, undefined],
    [{ listen_addr: "a.example:1" }, /^listen_addr: a\.example is a name; give an address/],
    [{ "connections.more_listen_addrs": ["b.example:1"] }, /^\[connections\]\.more_listen_addrs: b\.example is a name/],
    [{ "connections.proxy": "c.example:1" }, /^\[connections\]\.proxy: c\.example is a name/],
    [{ "connections.proxy": "unix:/run/tor" }, undefined],
    [{ listen_addr: "127.0.0.1:18443" }, /^127\.0\.0\.1:18443 is given twice, by --rpc-addr and by listen_addr/],
    [{ listen_addr: "0.0.0.0:18443" }, /^0\.0\.0\.0:18443 is given twice/],
    [{ listen_addr: "127.0.0.2:18443" }, undefined],
    [{ listen_addr: "[::]:18443" }, undefined],
    [{ listen_addr: "127.0.0.1:0", rpc_addr: "127.0.0.1:0" }, undefined],
    [{ listen_addr: "127.0.0.1:18443", "connections.listen": false }, undefined],
    [
      { "connections.more_listen_addrs": ["127.0.0.1:5", "127.0.0.1:5"] },
      /^127\.0\.0\.1:5 is given twice, by more_listen_addrs and by more_listen_addrs/
    ],
    [{ rpc_addr: "127.0.0.1:18444" }, undefined],
    [{ rpc_addr: "0.0.0.0:18443" }, /^RPC on 0\.0\.0\.0:18443 would be open to other machines/],
    [{ rpc_addr: "0.0.0.0:18443", unsafe_rpc_bind: true }, undefined],
    [{ "regtest.mock_time": 5 }, undefined],
    [{ network: "mainnet", "regtest.mock_time": 5 }, /^\[regtest\]\.mock_time: the clock of mainnet is the machine's/],
    [
      { network: "signet", "regtest.activation_heights.segwit": 5 },
      /^\[regtest\.activation_heights\]: .* of signet are/
    ],
    [{ "regtest.activation_heights.segwit": 5 }, undefined],
    [{ network: "testnet", "regtest.block_version": 4 }, /^\[regtest\]\.block_version: deployments decide on testnet/],
    [
      { "mining.block_max_weight": 4_000, "mining.block_reserved_weight": 4_001 },
      /^\[mining\]\.block_reserved_weight = 4001 exceeds block_max_weight = 4000/
    ],
    [{ "mining.block_max_weight": 4_000, "mining.block_reserved_weight": 4_000 }, undefined]
  ])("of %j are named, each in one line: %s", (settings, problem) => {
    const { problems } = resolved({ ...TCP, ...settings })
    if (problem === undefined) assert.deepStrictEqual(problems, [])
    else {
      assert.lengthOf(problems, 1, problems.join("\n"))
      assert.match(problems[0]!, problem)
    }
  })

  it("of a directory of Bitcoin Core with a migration that was asked for is one, and its own place is below it", () => {
    const { config, problems } = resolved({ ...TCP, "storage.data_dir": "/d", "storage.auto_migrate_core": true }, {
      isCore: true
    })
    assert.match(problems.join("\n"), /^\/d is a data directory of Bitcoin Core, .* keep our own data in \/d\/node;/)
    assert.strictEqual(config.dataDirectory, "/d/node/regtest")
    const other = resolved({ ...TCP, "storage.data_dir": "/d", "storage.auto_migrate_core": false }, { isCore: true })
    assert.deepStrictEqual([other.problems, other.config.dataDirectory], [[], "/d/node/regtest"])
    assert.strictEqual(configOf({ "storage.data_dir": "~/d", network: "testnet" }).dataDirectory, "/home/op/d/testnet")
  })
})

describe("warnings of a configuration", () => {
  const credentials = { "rpc_auth.tokens": ["a"], "rpc_auth.required": false }
  it.each<readonly [settings: Settings, warning: RegExp | undefined]>([
    [{}, undefined],
    [{ "storage.database_backend": "rocksdb" }, /^\[storage\]\.database_backend = "rocksdb" is not in this build/],
    [{ "storage.database_backend": "heed3" }, undefined],
    [{ ...credentials, rpc_addr: "0.0.0.0:1" }, /^RPC on 0\.0\.0\.0:1 answers other machines without credentials/],
    [{ ...credentials, "rpc_auth.required": true, rpc_addr: "0.0.0.0:1" }, undefined],
    [
      { ...credentials, "rest_api.enabled": true, "rest_api.listen_addr": "0.0.0.0:2" },
      /^REST on 0\.0\.0\.0:2 answers other machines without credentials/
    ],
    [
      { ...credentials, "rpc_auth.required": true, "rest_api.enabled": true, "rest_api.listen_addr": "0.0.0.0:2" },
      undefined
    ],
    [{ ...credentials, "rest_api.enabled": true, "rest_api.listen_addr": "127.0.0.1:2" }, undefined],
    [{ "rpc.allow_ip": ["10.0.0.0/8"] }, /^\[rpc\]\.allow_ip changes nothing while RPC listens on 127\.0\.0\.1:18443/],
    [{ "rpc.allow_ip": ["127.0.0.0/8"] }, undefined],
    [
      { ...credentials, "rpc_auth.required": true, rpc_addr: "0.0.0.0:1", "rpc.allow_ip": ["10.0.0.0/8"] },
      undefined
    ],
    [{ sigop: false }, /^--disable-sigop changes nothing/],
    [{ bip158: true }, /^--enable-bip158 only states a preference/],
    [
      { "relay.private_broadcast": true, "connections.proxy": "127.0.0.1:1", "connections.isolate_streams": false },
      /^\[relay\]\.private_broadcast shares its paths through Tor/
    ],
    [{ "relay.private_broadcast": true, "connections.proxy": "127.0.0.1:1" }, undefined],
    [
      { "relay.private_broadcast": true, "connections.i2p_sam": "127.0.0.1:1", "connections.isolate_streams": false },
      undefined
    ]
  ])("for %j are these alone: %s", (settings, warning) => {
    const { config: { warnings }, problems } = resolved({ ...TCP, ...settings })
    assert.deepStrictEqual(problems, [])
    if (warning === undefined) assert.deepStrictEqual(warnings, [])
    else {
      assert.lengthOf(warnings, 1, warnings.join("\n"))
      assert.match(warnings[0]!, warning)
    }
  })
})

describe("what settings come to", () => {
  const hash = "aB".repeat(32)

  it.each<readonly [value: unknown, assumed: NodeConfig["validation"]["assumedValid"]]>([
    ["default", { _tag: "NetworkDefault" }],
    ["none", { _tag: "Nothing" }],
    [0, { _tag: "Nothing" }],
    ["0".repeat(64), { _tag: "Nothing" }],
    [1, { _tag: "Height", height: 1 }],
    [hash, { _tag: "Block", hash: hash.toLowerCase() }]
  ])("for an assumed-valid block of %s is known", (value, assumed) => {
    assert.deepStrictEqual(configOf({ "validation.assume_valid": value }).validation.assumedValid, assumed)
  })

  it.each([[0, 4, 4], [0, 0, 1], [0, 64, 64], [0, 65, 64], [1, 4, 1], [9, 4, 9]])(
    "for %d script workers on a machine of %d processors is %d",
    (wanted, processors, workers) => {
      const { config } = resolved({ "validation.script_workers": wanted }, { processors })
      assert.strictEqual(config.validation.scriptWorkers, workers)
    }
  )

  it("for the log is a level, categories, a form and a file", () => {
    assert.deepStrictEqual(configOf({}).logging, { level: "info", categories: {}, format: "auto", file: undefined })
    assert.deepStrictEqual(
      configOf({
        "logging.level": "warn,rpc=debug,net=error",
        "logging.categories": { net: "trace", storage: "off" },
        "logging.json_format": false,
        "logging.file": "log"
      }).logging,
      {
        level: "warn",
        categories: { rpc: "debug", net: "trace", storage: "none" },
        format: "human",
        file: "/work/log"
      }
    )
    assert.deepStrictEqual(configOf({ "logging.level": "rpc=debug", "logging.json_format": true }).logging, {
      level: "info",
      categories: { rpc: "debug" },
      format: "json",
      file: undefined
    })
  })

  it("for the network is the option's, then the file's, then regtest", () => {
    assert.strictEqual(configOf({ network: "signet", protocol_version: "BitcoinV1" }).network, "signet")
    assert.strictEqual(configOf({ protocol_version: "BitcoinV1" }).network, "mainnet")
    assert.strictEqual(configOf({}).network, "regtest")
  })

  it("for the store is one that is there, what is pruned, and Bitcoin Core's blocks", () => {
    const { storage } = configOf({ "storage.database_backend": "leveldb", "storage.core_blocks_dir": "blocks" })
    assert.deepInclude(storage, { backend: "leveldb", coreBlocks: "/work/blocks", pruning: { _tag: "Disabled" } })
    assert.strictEqual(configOf({ "storage.database_backend": "rocksdb" }).storage.backend, "auto")
    const copies = (value: boolean) => configOf({ "storage.reuse_core_block_files": value }).storage.copyCoreBlocks
    assert.deepStrictEqual([copies(true), copies(false)], [false, true])
  })

  it("for peers has megabytes as bytes, seconds of a stem as milliseconds, and Tor's place behind the usual one", () => {
    const { peers } = configOf({
      ...TCP,
      "connections.upload_target_mb": 3,
      "relay.enable_dandelion": true,
      "dandelion.stem_timeout_seconds": 7,
      "dandelion.fluff_probability": 0.25,
      "connections.tor_control": "127.0.0.1:9051",
      "connections.tor_password": "secret",
      listen_addr: "127.0.0.1:1000",
      "connections.asmap": "map"
    })
    assert.deepInclude(peers, {
      uploadTarget: 3 * 1_048_576,
      dandelion: { meanEmbargo: 7_000, fluffProbability: 0.25 },
      torControl: { at: { host: "127.0.0.1", port: 9_051 }, password: "secret" },
      onionListen: [{ host: "127.0.0.1", port: 1_001 }],
      isListenGiven: true,
      asmap: "/work/map"
    })
    const { peers: free } = configOf({ ...TCP, "connections.tor_control": "127.0.0.1:1", listen_addr: "127.0.0.1:0" })
    assert.deepStrictEqual(free.onionListen, [{ host: "127.0.0.1", port: 0 }])
  })

  it("has the tables in which something is set, and no others", () => {
    assert.deepStrictEqual(configOf({}).sections, [])
    assert.deepStrictEqual(
      configOf({ ...TCP, "rpc.work_queue": 16, "rpc.allow_ip": [], "storage.pruning.mode": "manual" }).sections,
      ["", "rpc", "storage.pruning"]
    )
  })
})
