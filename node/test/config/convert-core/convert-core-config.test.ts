import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { parse } from "smol-toml"
import { judgeFile } from "../../../src/config/file/judge-file.ts"
import { parseFile } from "../../../src/config/file/parse-file.ts"
import { convert, draftOf } from "./convert.ts"

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
      ["regtest=", "Regtest"],
      ["regtest=2", "Regtest"],
      ["regtest=no", "BitcoinV1"],
      ["testnet=true", "BitcoinV1"],
      ["chain=main", "BitcoinV1"],
      ["chain=testnet4", "Testnet4"],
      ["nosignet=0", "Signet"],
      ["nosignet=no", "Signet"],
      ["noregtest=2", "BitcoinV1"],
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

  it.each(["addnode=192.0.2.1", "connect=192.0.2.1", "port=7", "bind=127.0.0.1", "rpcport=7", "rpcbind=127.0.0.1"])(
    "%s holds for mainnet alone where it stands outside of a section",
    (line) => {
      const { report } = convert("regtest=1", line)
      assert.lengthOf(report, 1)
      assert.match(report[0]!, /holds for mainnet alone, so Bitcoin Core ignores it; put it under \[regtest\]$/)
      assert.notInclude(convert(line).report.join(), "mainnet alone")
      assert.notInclude(convert("regtest=1", "[regtest]", line).report.join(), "mainnet alone")
    }
  )

  it("RPC is bound to the first of several places", () => {
    const { access, toml } = convert("rpcbind=127.0.0.2", "rpcbind=127.0.0.3")
    assert.deepStrictEqual(access, ["bitcoin.conf:2: rpcbind: RPC is bound to one address, and the first is taken"])
    assert.include(toml, "--rpc-addr 127.0.0.2:8332")
  })

  it("of two values the first holds, and the section's before the other", () => {
    assert.deepStrictEqual(draftOf("dbcache=100", "dbcache=200").storage, { dbcache_mb: 100 })
    assert.deepStrictEqual(draftOf("dbcache=100", "[main]", "dbcache=200").storage, { dbcache_mb: 200 })
  })

  it("negations and comments as Bitcoin Core reads them", () => {
    assert.deepStrictEqual(draftOf("notxindex=").storage, { indexing: { txindex: false } })
    assert.deepStrictEqual(draftOf("notxindex=2").storage, { indexing: { txindex: false } })
    assert.deepStrictEqual(draftOf("notxindex=no").storage, { indexing: { txindex: true } })
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
