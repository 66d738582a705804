import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { parse } from "smol-toml"
import { convertCoreConfig } from "../../src/config/convert-core/convert-core-config.ts"
import { judgeFile } from "../../src/config/file/judge-file.ts"
import { parseFile } from "../../src/config/file/parse-file.ts"

const convert = (...lines: ReadonlyArray<string>) => convertCoreConfig("bitcoin.conf", lines.join("\n"))

const draftOf = (...lines: ReadonlyArray<string>) =>
  parse(convert(...lines).toml) as Record<string, Record<string, unknown>>

describe("convertCoreConfig", () => {
  it.effect("a home server behind a block explorer", () =>
    Effect.gen(function*() {
      const { problems, report, toml } = convert(
        "# Bitcoin configuration",
        "server=1",
        "daemon=1",
        "txindex=1",
        "txospenderindex=1",
        "coinstatsindex=1",
        "dbcache=4096",
        "maxconnections=40",
        "rpcuser=explorer",
        "rpcpassword=hunter2=with=signs",
        "rpcallowip=127.0.0.1",
        "rpcallowip=172.16.0.0/12",
        "rpcbind=0.0.0.0:8330",
        "addnode=192.0.2.1",
        "addnode=[2001:db8::1]:8333",
        "zmqpubrawblock=tcp://127.0.0.1:28332",
        "blockfilterindex=1",
        "assumevalid=0",
        "par=6",
        "debug=rpc",
        "debug=mempool",
        "datadir=/srv/bitcoin"
      )
      assert.deepStrictEqual(problems, [])
      assert.deepStrictEqual(parse(toml) as unknown, {
        transport_preference: "tcponly",
        protocol_version: "BitcoinV1",
        max_peers: 40,
        persistent_peers: ["192.0.2.1:8333", "[2001:db8::1]:8333"],
        storage: {
          data_dir: "/srv/bitcoin",
          auto_migrate_core: false,
          dbcache_mb: 4_096,
          indexing: { txindex: true, txospenderindex: true, coinstatsindex: true, blockfilterindex: true }
        },
        logging: { categories: { rpc: "debug", mempool: "debug" } },
        rpc: { allow_ip: ["127.0.0.1", "172.16.0.0/12"] },
        rpc_auth: { required: true, username: "explorer", password: "hunter2=with=signs" },
        validation: { script_workers: 6, assume_valid: "none" },
        modules: {
          enabled: true,
          zmq: { pubrawblock: ["tcp://127.0.0.1:28332"], network_listen: ["127.0.0.1:28332"] }
        }
      })
      assert.include(toml, "`pnpm lockstep start --rpc-addr 0.0.0.0:8330`")
      assert.deepStrictEqual(report.map((line) => line.split(": ").slice(0, 2).join(": ")), [
        "bitcoin.conf:3: daemon",
        "bitcoin.conf:16: zmqpubrawblock",
        "bitcoin.conf:22: datadir",
        "the module zmq publishes through ZeroMQ: put it into [modules].modules_dir once, with `pnpm modules <modules_dir> zmq`",
        "rpcbind and rpcport become an option: --rpc-addr 0.0.0.0:8330 (or NODE_RPC_ADDR=0.0.0.0:8330)"
      ])
      assert.notInclude(report.join("\n"), "hunter2")
      assert.deepStrictEqual(judgeFile(yield* parseFile("node.toml", toml)).problems, [])
    }))

  it.effect("a pruned node on a small disk", () =>
    Effect.gen(function*() {
      const { report, toml } = convert("prune=2000", "port=9333", "listen=1", "bind=192.0.2.7", "rpcport=9332")
      const draft = parse(toml) as Record<string, unknown>
      assert.deepStrictEqual(draft.storage, { pruning: { target_mb: 2_000 } })
      assert.strictEqual(draft.listen_addr, "192.0.2.7:9333")
      assert.include(toml, "--rpc-addr 127.0.0.1:9332")
      assert.deepStrictEqual(report, [
        "rpcbind and rpcport become an option: --rpc-addr 127.0.0.1:9332 (or NODE_RPC_ADDR=127.0.0.1:9332)"
      ])
      assert.deepStrictEqual(judgeFile(yield* parseFile("node.toml", toml)).problems, [])
    }))

  it("several places to listen at, peers to trust, and how much to send in a day", () => {
    const { access, toml } = convert(
      "bind=0.0.0.0",
      "bind=[::]",
      "bind=[2001:db8::1]:7",
      "bind=127.0.0.1:8334=onion",
      "whitelist=192.168.1.0/24",
      "whitelist=noban,in@2001:db8::/32",
      "whitelist=all@10.0.0.1",
      "whitelist=relay@10.0.0.2",
      "whitelist=noban,out@10.0.0.3",
      "whitelist=noban@nobody",
      "maxuploadtarget=5000"
    )
    const draft = parse(toml) as Record<string, unknown>
    assert.strictEqual(draft["listen_addr"], "0.0.0.0:8333")
    assert.deepStrictEqual(draft["connections"], {
      onion_listen_addrs: ["127.0.0.1:8334"],
      more_listen_addrs: ["[::]:8333", "[2001:db8::1]:7"],
      trusted_peers: ["192.168.1.0/24", "2001:db8::/32", "10.0.0.1"],
      peer_permissions: ["bloomfilter,forcerelay,mempool@10.0.0.1", "relay@10.0.0.2"],
      upload_target_mb: 5_000
    })
    assert.deepStrictEqual(access.map((line) => line.split(":")[1]), ["9", "10"])
  })

  it("filters for peers; those of blocks where the index is kept", () => {
    assert.deepStrictEqual(
      draftOf("peerblockfilters=1", "blockfilterindex=1", "peerbloomfilters=1")["connections"],
      { serve_block_filters: true, serve_bloom_filters: true }
    )
    assert.isUndefined(draftOf("peerblockfilters=1")["connections"])
    assert.include(convert("peerblockfilters=1").report.join(), "it needs blockfilterindex")
    assert.deepStrictEqual(draftOf("whitelist=bloom@10.0.0.1")["connections"], {
      peer_permissions: ["bloomfilter@10.0.0.1"]
    })
  })

  it.each([["0", 0], ["700M", 700], ["1G", 1_024], ["1g", 954], ["2T", 2_097_152], ["1k", 1]] as const)(
    "maxuploadtarget=%s",
    (text, megabytes) => {
      assert.deepStrictEqual(draftOf(`maxuploadtarget=${text}`)["connections"], { upload_target_mb: megabytes })
      assert.include(convert("maxuploadtarget=1x").report[0]!, "not a number")
    }
  )

  it("a developer's file for several networks: the section of the chosen one holds", () => {
    const lines = [
      "chain=regtest",
      "rpcuser=dev",
      "rpcpassword=pw",
      "port=8333",
      "regtest.dbcache=50",
      "[main]",
      "dbcache=1000",
      "[regtest]",
      "rpcport=18555",
      "port=18556",
      "testactivationheight=csv@10",
      "testactivationheight=segwit@20",
      "mocktime=1600000000"
    ]
    const { report, toml } = convert(...lines)
    assert.deepStrictEqual(parse(toml) as unknown, {
      transport_preference: "tcponly",
      protocol_version: "Regtest",
      listen_addr: "0.0.0.0:18556",
      storage: { dbcache_mb: 50 },
      rpc_auth: { required: true, username: "dev", password: "pw" },
      regtest: { mock_time: 1_600_000_000, activation_heights: { csv: 10, segwit: 20 } }
    })
    assert.include(toml, "--rpc-addr 127.0.0.1:18555")
    assert.isTrue(report.some((line) => line.startsWith("bitcoin.conf:4: port: holds for mainnet alone")))
    assert.isTrue(report.some((line) => line.startsWith("bitcoin.conf:7: dbcache: belongs to [main]")))
  })

  it("the network, however it is chosen", () => {
    const versions = [
      ["testnet=1", "Testnet3"],
      ["chain=test", "Testnet3"],
      ["testnet4=1", "Testnet4"],
      ["signet=1", "Signet"],
      ["regtest=1", "Regtest"],
      ["regtest=0", "BitcoinV1"],
      ["notestnet=1", "BitcoinV1"]
    ] as const
    for (const [line, version] of versions) assert.strictEqual(draftOf(line).protocol_version as unknown, version, line)
    assert.include(convert("testnet=1", "regtest=1").problems.join(), "more than one network")
    assert.include(convert("chain=moon").problems.join(), "chain=moon is no network")
  })

  it("pruning: none, on command, by size", () => {
    assert.deepStrictEqual(draftOf("prune=0").storage, { pruning: { mode: "disabled" } })
    assert.deepStrictEqual(draftOf("prune=1").storage, { pruning: { mode: "manual" } })
    assert.deepStrictEqual(draftOf("prune=550").storage, { pruning: { target_mb: 550 } })
    assert.include(convert("prune=100").report.join(), "expected 0, 1 or at least 550")
  })

  it("of two values the first holds, and the section's before the other", () => {
    assert.deepStrictEqual(draftOf("dbcache=100", "dbcache=200").storage, { dbcache_mb: 100 })
    assert.deepStrictEqual(draftOf("dbcache=100", "[main]", "dbcache=200").storage, { dbcache_mb: 200 })
  })

  it("negations and comments as Bitcoin Core reads them", () => {
    assert.deepStrictEqual(draftOf("notxindex=1").storage, { indexing: { txindex: false } })
    assert.deepStrictEqual(draftOf("notxindex=0").storage, { indexing: { txindex: true } })
    assert.deepStrictEqual(draftOf("txindex=1 # for the explorer").storage, { indexing: { txindex: true } })
  })

  it("values that do not fit are left out and reported, not passed on", () => {
    const { access, report, toml } = convert(
      "dbcache=lots",
      "maxconnections=-1",
      "par=-2",
      "assumevalid=yes",
      "rpcport=0",
      "rpcuser=a:b",
      "rpcpassword=x"
    )
    assert.deepStrictEqual(parse(toml) as unknown, {
      transport_preference: "tcponly",
      protocol_version: "BitcoinV1",
      rpc_auth: { required: true }
    })
    assert.deepStrictEqual([report.length, access.length], [4, 3])
  })

  it("an unmapped key near to a mapped one is shown that one", () => {
    assert.include(convert("dbcahe=1").report.join(), "has no counterpart here (or is it dbcache?)")
  })

  it("a file that is included is reported", () => {
    assert.deepStrictEqual(convert("includeconf=more.conf").access, [
      "bitcoin.conf:1: includeconf: the file it names is not read; convert it apart"
    ])
  })

  it("a node that connects to named nodes alone, or to none", () => {
    const only = { connections: { listen: false, only_persistent_peers: true } }
    const draft = { transport_preference: "tcponly", protocol_version: "BitcoinV1" }
    assert.deepStrictEqual(draftOf("connect=0") as unknown, { ...draft, ...only })
    assert.deepStrictEqual(draftOf("noconnect=1") as unknown, { ...draft, ...only })
    assert.deepStrictEqual(draftOf("connect=192.0.2.1:1") as unknown, {
      ...draft,
      ...only,
      persistent_peers: ["192.0.2.1:1"]
    })
  })

  it("a node that does not listen because of other options, unless listening is set", () => {
    assert.deepStrictEqual(draftOf("proxy=127.0.0.1:9050").connections as unknown, {
      listen: false,
      proxy: "127.0.0.1:9050"
    })
    assert.include(convert("proxy=127.0.0.1:9050").report.join(), "[connections] listen = true")
    assert.deepStrictEqual(draftOf("proxy=0").connections, undefined)
    for (const observed of ["listen=1", "bind=127.0.0.1:8333"]) {
      const { connections } = draftOf("proxy=127.0.0.1:9050", observed) as {
        readonly connections: Readonly<Record<string, unknown>>
      }
      assert.notStrictEqual(connections["listen"], false, observed)
      assert.strictEqual(convert("proxy=127.0.0.1:9050", observed).report.length, 0)
    }
  })

  it("a node that accepts no connections, and reaches others through a proxy", () => {
    const given = ["nolisten=1", "proxy=127.0.0.1", "onion=[::1]:9150", "proxyrandomize=0", "dnsseed=0", "fixedseeds=0"]
    assert.deepStrictEqual(draftOf(...given).connections as unknown, {
      listen: false,
      proxy: "127.0.0.1:9050",
      onion_proxy: "[::1]:9150",
      isolate_streams: false,
      dns_seeds: false,
      fixed_seeds: false
    })
    assert.include(draftOf("proxy=unix:/run/tor.sock", "onion=unix:/run/onion.sock")["connections"], {
      proxy: "unix:/run/tor.sock",
      onion_proxy: "unix:/run/onion.sock"
    })
    assert.include(convert("proxy=unix:tor.sock").access.join(), "absolute")
    assert.include(convert(`proxy=unix:/${"x".repeat(107)}`).access.join(), "short enough")
  })

  it("a line that is no setting stops the draft", () => {
    assert.deepStrictEqual(convert("server=1", "just words").problems, [
      "bitcoin.conf:2: neither key=value nor [section]"
    ])
  })

  it.effect("an empty file and a file of comments give a valid draft", () =>
    Effect.gen(function*() {
      for (const lines of [[], ["", "# nothing"]]) {
        assert.deepStrictEqual(judgeFile(yield* parseFile("node.toml", convert(...lines).toml)).problems, [])
      }
    }))
})

describe("deprecatedrpc", () => {
  it("adds up what the node has, and names what it has not", () => {
    const lines = ["deprecatedrpc=fullrbf", "deprecatedrpc=bip125", "deprecatedrpc=fullrbf", "deprecatedrpc=accounts"]
    assert.deepStrictEqual(draftOf("chain=regtest", ...lines)["rpc"], { deprecated: ["fullrbf", "bip125"] })
    assert.include(convert("chain=regtest", ...lines).access.join(), "no deprecated answer \"accounts\"")
  })
})

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

describe("settings about who is notified", () => {
  it("are those of the module zmq, which may listen where Bitcoin Core did, with the limits of their topics", () => {
    const { access, problems, report, toml } = convert(
      "zmqpubrawblock=tcp://127.0.0.1:28332",
      "zmqpubrawblock=tcp://*:28340",
      "zmqpubrawtx=tcp://127.0.0.1:28332",
      "zmqpubrawblockhwm=5000",
      "zmqpubsequencehwm=7"
    )
    assert.deepStrictEqual([problems, access], [[], []])
    assert.deepStrictEqual((parse(toml) as Record<string, unknown>)["modules"], {
      enabled: true,
      zmq: {
        pubrawblock: ["tcp://127.0.0.1:28332", "tcp://*:28340"],
        pubrawtx: ["tcp://127.0.0.1:28332"],
        pubrawblockhwm: 5_000,
        network_listen: ["127.0.0.1:28332", "0.0.0.0:28340"]
      }
    })
    assert.include(report.join("\n"), "pnpm modules <modules_dir> zmq")
  })

  it.effect("make a draft that a start takes", () =>
    Effect.gen(function*() {
      const { toml } = convert("zmqpubhashtx=tcp://127.0.0.1:28332")
      const { problems, refused } = judgeFile(yield* parseFile("node.toml", toml))
      assert.deepStrictEqual([problems, refused], [[], []])
    }))

  it("switch no module on where they publish nothing", () => {
    for (const line of ["zmqpubhashtx=0", "zmqpubhashtx=", "zmqpubhashtxhwm=10", "blocknotify="]) {
      const { report, toml } = convert(line)
      assert.isUndefined((parse(toml) as Record<string, unknown>)["modules"], line)
      assert.deepStrictEqual(report, [], line)
    }
  })

  it.each([
    ["zmqpubrawtx=ipc:///tmp/rawtx", "the module zmq publishes at tcp://host:port alone"],
    ["zmqpubrawtxhwm=many", "the value is not a number that fits"],
    ["blocknotify=/usr/bin/notify %s", "the module webhooks calls a URL, and the program bitcoind runs them as before"],
    ["walletnotify=/usr/bin/notify %s", "the node has no wallet"],
    ["mempoolfullrbf=0", "every transaction of the mempool can be replaced"]
  ])("%s is reported with its counterpart", (line, says) => assert.include(convert(line).report.join("\n"), says))

  it("are not mentioned where the node does as they say", () => {
    assert.deepStrictEqual(convert("mempoolfullrbf=1").report, [])
  })
})

describe("peers with permissions", () => {
  it("are reported where the counterpart grants more than was asked for", () => {
    const says = "trusted_peers grants more"
    assert.include(convert("whitelist=download,noban@10.0.0.0/24").report.join(), says)
    assert.include(convert("whitelist=10.0.0.0/24").report.join(), says)
    assert.notInclude(convert("whitelist=all@10.0.0.0/24").report.join(), says)
    assert.notInclude(convert("whitelist=noban,mempool@10.0.0.0/24").report.join(), says)
  })
})
