import { assert, describe, it } from "@effect/vitest"
import { CORE_MAPPING } from "../../../src/config/convert-core/core-mapping.ts"
import { emptyDraft } from "../../../src/config/convert-core/draft.ts"
import { NETWORK_TABLE } from "../../../src/config/network-table.ts"

/** What one value of a setting comes to in a draft. */
const taken = (line: string, network: "mainnet" | "regtest" = "mainnet") => {
  const [, name = "", value = ""] = /^(\w+)=(.*)$/.exec(line) ?? []
  const draft = emptyDraft(NETWORK_TABLE[network])
  const usual = new Set(draft.values.keys())
  const remark = CORE_MAPPING[name]!(value, draft)
  const values = Object.fromEntries([...draft.values].filter(([key]) => !usual.has(key)))
  return { draft, remark, values }
}

const NO_NUMBER = "the value is not a number that fits"

describe("numbers in a bitcoin.conf", () => {
  it.each<readonly [name: string, key: string, least: number, most: number, factor: number]>([
    ["dbcache", "storage.dbcache_mb", 4, 131_072, 1],
    ["maxconnections", "max_peers", 0, 100_000, 1],
    ["peertimeout", "connections.handshake_timeout_secs", 1, 1_000_000_000, 1],
    ["rpcworkqueue", "rpc.work_queue", 1, 100_000, 1],
    ["rpcservertimeout", "rpc.request_timeout_secs", 1, 86_400, 1],
    ["maxmempool", "mempool.max_mempool_mb", 0, 1_000_000_000, 1],
    ["mempoolexpiry", "mempool.mempool_expiry_hours", 0, 1_000_000, 1],
    ["blockreconstructionextratxn", "mempool.compact_block_extra_transactions", 0, 1_000_000, 1],
    ["bytespersigop", "mempool.bytes_per_sigop", 1, 1_000_000, 1],
    ["datacarriersize", "mempool.data_carrier_bytes", 0, 4_000_000, 1],
    ["limitclustercount", "mempool.max_cluster_count", 1, 64, 1],
    ["limitclustersize", "mempool.max_cluster_size", 1, 500_000, 1_000],
    ["blockmaxweight", "mining.block_max_weight", 0, 4_000_000, 1],
    ["blockreservedweight", "mining.block_reserved_weight", 2_000, 4_000_000, 1],
    ["mocktime", "regtest.mock_time", 0, 4_294_967_295, 1],
    ["blockversion", "regtest.block_version", -2_147_483_648, 2_147_483_647, 1]
  ])("of %s are kept as %s from %d to %d", (name, key, least, most, factor) => {
    for (const fits of [least, most]) {
      const { remark, values } = taken(`${name}=${fits}`, "regtest")
      assert.deepStrictEqual([values, remark], [{ [key]: fits * factor }, undefined])
    }
    for (const wrong of [least - 1, most + 1, "", "x", least + 0.5]) {
      const { remark, values } = taken(`${name}=${wrong}`, "regtest")
      assert.deepStrictEqual([values, remark], [{}, NO_NUMBER], `${wrong}`)
    }
  })

  it.each(["port", "rpcport"])("of %s are ports", (name) => {
    const portOf = ({ draft }: ReturnType<typeof taken>) => name === "port" ? draft.listen.port : draft.rpc.port
    assert.deepStrictEqual([1, 65_535].map((each) => portOf(taken(`${name}=${each}`))), [1, 65_535])
    for (const wrong of ["0", "65536", "1.5", "x", ""]) {
      const outcome = taken(`${name}=${wrong}`)
      assert.deepStrictEqual([portOf(outcome), outcome.remark], [undefined, "the value is not a port"], wrong)
    }
  })

  it.each<readonly [string, number | undefined, string | undefined]>([
    ["0", 0, undefined],
    ["256", 256, undefined],
    ["257", undefined, NO_NUMBER],
    ["", undefined, NO_NUMBER],
    ["1.5", undefined, NO_NUMBER],
    ["-1", undefined, "processors cannot be left free by count; script_workers stays automatic"]
  ])("of par are threads: %s", (value, threads, remark) => {
    const outcome = taken(`par=${value}`)
    assert.deepStrictEqual([outcome.values["validation.script_workers"], outcome.remark], [threads, remark])
  })

  it.each<readonly [string, number | undefined]>([
    ["1k", 1],
    ["1048576k", 1_000],
    ["1048577k", 1_001],
    ["1024K", 1],
    ["1025K", 2],
    ["1048576m", 1_000_000],
    ["1048577m", 1_000_001],
    ["16384g", 15_625_000],
    ["16777217g", 16_000_000_954],
    ["2T", 2_097_152],
    ["16384t", 15_625_000_000],
    ["7", 7],
    ["7M", 7],
    ["1234567890123", undefined],
    ["-1", undefined],
    ["", undefined]
  ])("of maxuploadtarget are megabytes, or what their letter says: %s", (value, megabytes) => {
    const { remark, values } = taken(`maxuploadtarget=${value}`)
    assert.deepStrictEqual(
      [values["connections.upload_target_mb"], remark],
      [megabytes, megabytes === undefined ? NO_NUMBER : undefined]
    )
  })
})

describe("a setting of a bitcoin.conf", () => {
  const NO_LEVEL = "the value is no level"
  it.each<readonly [line: string, values: Readonly<Record<string, unknown>>, remark: unknown]>([
    ["prune=0", { "storage.pruning.mode": "disabled" }, undefined],
    ["prune=1", { "storage.pruning.mode": "manual" }, undefined],
    ["prune=550", { "storage.pruning.target_mb": 550 }, undefined],
    ["prune=549", {}, "expected 0, 1 or at least 550"],
    ["prune=2", {}, "expected 0, 1 or at least 550"],
    ["prune=-1", {}, "expected 0, 1 or at least 550"],
    ["prune=600.5", {}, "expected 0, 1 or at least 550"],
    ["prune=", {}, "expected 0, 1 or at least 550"],
    ["blockfilterindex=", { "storage.indexing.blockfilterindex": true }, undefined],
    ["blockfilterindex=0", { "storage.indexing.blockfilterindex": false }, undefined],
    ["blockfilterindex=1", { "storage.indexing.blockfilterindex": true }, undefined],
    ["blockfilterindex=basic", { "storage.indexing.blockfilterindex": true }, undefined],
    ["blockfilterindex=2", {}, "expected 0, 1 or basic"],
    ["assumevalid=0", { "validation.assume_valid": "none" }, undefined],
    [`assumevalid=0x${"Ab".repeat(32)}`, { "validation.assume_valid": "Ab".repeat(32) }, undefined],
    [`assumevalid=${"ab".repeat(31)}`, {}, "the value is neither 0 nor a block hash"],
    [`assumevalid=${"ab".repeat(33)}`, {}, "the value is neither 0 nor a block hash"],
    ["debug=0", {}, undefined],
    ["debug=none", {}, undefined],
    ["debug=1", { "logging.level": "debug" }, undefined],
    ["debug=", { "logging.level": "debug" }, undefined],
    ["debug=all", { "logging.level": "debug" }, undefined],
    ["debug=net", { "logging.categories": { net: "debug" } }, undefined],
    ["debug=a b", {}, "the value is no category"],
    ["loglevel=warning", { "logging.level": "warn" }, undefined],
    ["loglevel=error", { "logging.level": "error" }, undefined],
    ["loglevel=info", { "logging.level": "info" }, undefined],
    ["loglevel=debug", { "logging.level": "debug" }, undefined],
    ["loglevel=trace", { "logging.level": "trace" }, undefined],
    ["loglevel=net:trace", { "logging.categories": { net: "trace" } }, undefined],
    ["loglevel=", {}, NO_LEVEL],
    ["loglevel=loud", {}, NO_LEVEL],
    ["loglevel=net:loud", {}, NO_LEVEL],
    ["loglevel=constructor", {}, NO_LEVEL],
    ["debuglogfile=", {}, undefined],
    ["debuglogfile=0", {}, undefined],
    ["debuglogfile=/a/b", { "logging.file": "/a/b" }, undefined],
    [
      "debuglogfile=a/b",
      {},
      "the path starts in the data directory of Bitcoin Core; write it in full as [logging].file"
    ],
    ["datadir=", {}, "the value is empty"],
    ["testactivationheight=csv@1", {}, "heights are fixed outside regtest"],
    ["testactivationheight=csv", {}, "the value is not name@height"],
    ["testactivationheight=csv@1234567890", {}, "the value is not name@height"],
    ["mocktime=1", {}, "the clock can be set on regtest alone"],
    ["blockversion=1", {}, "the version of blocks can be set on regtest alone"],
    ["printtoconsole=1", {}, undefined],
    ["printtoconsole=0", {}, "lines always go to standard output too"],
    ["daemon=0", {}, undefined],
    ["daemon=1", {}, "the node stays in the foreground; a service manager runs it in the background"],
    ["daemonwait=0", {}, undefined],
    ["daemonwait=", {}, "the node stays in the foreground; a service manager runs it in the background"],
    ["minrelaytxfee=1", { "mempool.min_relay_fee_rate": 100_000 }, undefined],
    ["minrelaytxfee=.5", { "mempool.min_relay_fee_rate": 50_000 }, undefined],
    ["minrelaytxfee=1.", {}, "the value is not an amount in BTC"],
    ["minrelaytxfee=", {}, "the value is not an amount in BTC"],
    ["incrementalrelayfee=0.00000001", { "mempool.incremental_relay_fee": 1 }, undefined],
    ["dustrelayfee=12345678.00000001", { "mempool.dust_relay_fee": 1_234_567_800_000_001 }, undefined],
    ["dustrelayfee=123456789", {}, "the value is not an amount in BTC"],
    ["blockmintxfee=0.1", { "mining.block_min_fee": 10_000_000 }, undefined],
    ["persistmempoolv1=0", {}, undefined],
    ["persistmempoolv1=1", {}, "the mempool is saved in the version that Bitcoin Core reads since 26"],
    ["asmap=0", {}, undefined],
    ["asmap=", {}, "the node has no map built in: name a file"],
    ["asmap=1", {}, "the node has no map built in: name a file"],
    ["asmap=a", { "connections.asmap": "a" }, {
      note: "a path that is not absolute is one of the working directory here"
    }],
    ["i2psam=", {}, undefined],
    ["i2psam=0", {}, undefined],
    ["i2psam=[::1]:7", { "connections.i2p_sam": "[::1]:7" }, undefined],
    ["i2psam=localhost", { "connections.i2p_sam": "localhost:7656" }, undefined],
    ["proxy=", {}, undefined],
    ["proxy=0", {}, undefined],
    ["proxy=127.0.0.1=ipv4", { "connections.proxy": "127.0.0.1:9050" }, {
      note: "the proxy is used for all of the internet, IPv4 and IPv6"
    }],
    ["proxy=127.0.0.1=i2p", {}, "a proxy for this network has no counterpart"],
    ["onion=[::1]", { "connections.onion_proxy": "[::1]:9050" }, undefined],
    ["connect=0", { "connections.only_persistent_peers": true }, undefined],
    ["connect=", { "connections.only_persistent_peers": true }, undefined],
    ["addnode=", {}, "the value names no node"],
    ["addnode=0", {}, "the value names no node"],
    ["addnode=a b", {}, "the value names no node"],
    ["rest=0", { "rest_api.enabled": false }, undefined],
    ["deprecatedrpc=none", {}, "the node has no deprecated answer \"none\""],
    ["zmqpubrawtx=", {}, undefined],
    ["zmqpubrawtx=0", {}, undefined],
    ["zmqpubrawtx=tcp://127.0.0.1:123456", {}, "the module zmq publishes at tcp://host:port alone"],
    ["zmqpubrawtx=tcp://127.0.0.1:70000", {}, "the module zmq publishes at tcp://host:port alone"],
    ["zmqpubrawtxhwm=-1", {}, NO_NUMBER],
    ["zmqpubrawtxhwm=1.5", {}, NO_NUMBER],
    ["zmqpubrawtxhwm=", {}, NO_NUMBER],
    ["zmqpubrawtxhwm=2147483648", {}, NO_NUMBER],
    ["blocknotify=0", {}, undefined]
  ])("%s becomes %j", (line, values, remark) => {
    const outcome = taken(line)
    assert.deepStrictEqual([outcome.values, outcome.remark], [values, remark])
  })

  it.each<readonly [name: string, key: string]>([
    ["txindex", "storage.indexing.txindex"],
    ["txospenderindex", "storage.indexing.txospenderindex"],
    ["coinstatsindex", "storage.indexing.coinstatsindex"],
    ["listen", "connections.listen"],
    ["peerblockfilters", "connections.serve_block_filters"],
    ["peerbloomfilters", "connections.serve_bloom_filters"],
    ["proxyrandomize", "connections.isolate_streams"],
    ["dnsseed", "connections.dns_seeds"],
    ["fixedseeds", "connections.fixed_seeds"],
    ["discover", "enable_self_advertisement"],
    ["i2pacceptincoming", "connections.i2p_accept_incoming"],
    ["cjdnsreachable", "connections.cjdns_reachable"],
    ["v2transport", "connections.v2_transport"],
    ["privatebroadcast", "relay.private_broadcast"],
    ["blocksonly", "connections.blocks_only"],
    ["permitbaremultisig", "mempool.permit_bare_multisig"],
    ["persistmempool", "mempool.persist_mempool"],
    ["rpcwhitelistdefault", "rpc_auth.whitelist_default"]
  ])("%s switches %s", (name, key) => {
    assert.deepStrictEqual(["1", "", "0", "no"].map((value) => taken(`${name}=${value}`).values), [
      { [key]: true },
      { [key]: true },
      { [key]: false },
      { [key]: false }
    ])
  })

  it.each(["hashblock", "rawblock", "hashtx", "rawtx", "sequence"])("zmqpub%s is one of the module zmq", (topic) => {
    const { draft, remark } = taken(`zmqpub${topic}=tcp://*:7`)
    assert.deepStrictEqual(draft.modules.get("zmq"), { [`pub${topic}`]: ["tcp://*:7"], network_listen: ["0.0.0.0:7"] })
    assert.deepStrictEqual(remark, { note: "the module zmq publishes it" })
  })

  it.each(["", "0"])("torcontrol=%s names no control port, and says nothing", (value) => {
    const { draft, remark } = taken(`torcontrol=${value}`)
    assert.deepStrictEqual([draft.onionService.control, remark], [undefined, undefined])
  })

  it.each(["", ":help"])("rpcwhitelist=%s names no user", (value) => {
    const { draft, remark } = taken(`rpcwhitelist=${value}`)
    assert.deepStrictEqual([draft.rpc.whitelist.size, remark], [0, "the value names no user"])
  })

  it.each(["0", "2147483647"])("zmqpubrawtxhwm=%s says how many messages wait", (value) => {
    const { draft, remark } = taken(`zmqpubrawtxhwm=${value}`)
    assert.deepStrictEqual([[...draft.highWaters], remark], [[["pubrawtxhwm", Number(value)]], undefined])
  })
})
