import { assert, describe, it } from "@effect/vitest"
import { parse } from "smol-toml"
import { convert, draftOf } from "./convert.ts"

describe("connections in a converted bitcoin.conf", () => {
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

  it("networks that are named and withdrawn are none", () => {
    assert.isUndefined(draftOf("onlynet=ipv4", "onlynet=0").connections)
    assert.deepStrictEqual(draftOf("onlynet=0", "onlynet=ipv6").connections, { onlynet: ["ipv6"] })
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
