import { assert, describe, it } from "@effect/vitest"
import { ACCESS_KEYS, CORE_MAPPING } from "../../../src/config/convert-core/core-mapping.ts"
import { convert, draftOf } from "./convert.ts"

const HASH = "0123456789abcdef".repeat(4)

describe("settings about privacy and access in a bitcoin.conf", () => {
  /** Settings without counterpart, or with values that have none. */
  const MISSING = [
    "externalip=192.0.2.1",
    "onlynet=i2p",
    "onlynet=cjdns",
    "onlynet=onion",
    "dns=0",
    "forcednsseed=1",
    "networkactive=0",
    "whitebind=noban@127.0.0.1:8333",
    "whitelist=addr@10.0.0.1",
    "whitelistrelay=0",
    "whitelistforcerelay=1",
    "privatebroadcast=1",
    "logips=0",
    "proxy=unix:tor.sock",
    "proxy=tor.example:9050",
    "onion=unix:tor.sock",
    "bind=tor.example",
    "rpcauth=alice",
    `rpcauth=alice:salt$${HASH}0`,
    "rpccookiefile=/run/cookie",
    "norpccookiefile=1",
    "rpccookieperms=group",
    "rpcallowip=everywhere",
    "rpcpassword=hunter2",
    "server=0",
    "ipcbind=unix",
    "includeconf=more.conf",
    "rpcalowip=10.0.0.0/8",
    "onlyne=onion"
  ]

  it.each(MISSING)("%s is set apart", (line) => {
    const { access, report, toml } = convert(line)
    assert.isAtLeast(access.length, 1)
    assert.isFalse(report.some((each) => each.startsWith("bitcoin.conf:1:")), report.join("\n"))
    assert.include(toml, "privacy and access are missing here")
    assert.notInclude(access.join("\n") + toml, "hunter2")
  })

  /** What the node does anyway, what has a counterpart, and what concerns neither. */
  const HARMLESS = [
    "i2psam=127.0.0.1:7656",
    "cjdnsreachable=1",
    "listenonion=0",
    "listenonion=1",
    "torcontrol=127.0.0.1:9051",
    "torpassword=hunter2",
    "bind=127.0.0.1:8334=onion",
    "natpmp=1",
    "upnp=0",
    "i2pacceptincoming=0",
    "cjdnsreachable=0",
    "forcednsseed=0",
    "dns=1",
    "networkactive=1",
    "server=1",
    "v2transport=0",
    "v2transport=1",
    "logips=1",
    "whitelistrelay=1",
    "whitelistforcerelay=0",
    "rpccookieperms=owner",
    "rpccookiefile=.cookie",
    "rpcport=1",
    "rpcuser=alice",
    "blocksonly=1",
    "blocksonly=0",
    "onlynet=ipv4",
    "onlynet=IPv6",
    "rpcallowip=10.0.0.0/8",
    `rpcauth=alice:salt$${HASH}`,
    "rpcwhitelist=alice:stop",
    "rest=1",
    "discover=0",
    "zmqpubrawtx=tcp://127.0.0.1:1",
    "maxmempool=300",
    "disablewallet=1",
    "peerblockfilters=1",
    "uacomment=x"
  ]

  it.each(HARMLESS)("%s is not", (line) => {
    const { access, toml } = convert(line)
    assert.deepStrictEqual(access, [])
    assert.notInclude(toml, "missing here")
  })

  it("salted passwords, lists of methods and subnets are taken over; every call needs credentials then", () => {
    const draft = draftOf(
      `rpcauth=alice:salt$${HASH}`,
      `rpcauth=bob:pepper$${HASH}`,
      "rpcwhitelist=alice:getblockcount, getbestblockhash,help",
      "rpcwhitelist=alice:help getblockcount",
      "rpcwhitelist=bob",
      "rpcwhitelistdefault=0",
      "rpcallowip=10.0.0.0/255.0.0.0",
      "rpcallowip=2001:db8::1"
    )
    assert.deepStrictEqual(draft["rpc_auth"], {
      required: true,
      rpcauth: [`alice:salt$${HASH}`, `bob:pepper$${HASH}`],
      whitelist: { alice: ["getblockcount", "help"], bob: [] },
      whitelist_default: false
    })
    assert.deepStrictEqual(draft["rpc"], { allow_ip: ["10.0.0.0/255.0.0.0", "2001:db8::1"] })
    for (const line of ["dbcache=450", "rpcport=7"]) assert.isUndefined(draftOf(line)["rpc_auth"], line)
  })

  it("an onion service is made where the file speaks of it, and the node listens", () => {
    assert.deepStrictEqual(draftOf("listenonion=1")["connections"], { tor_control: "127.0.0.1:9051" })
    assert.deepStrictEqual(draftOf("torcontrol=[::1]", "torpassword=hunter2", "onlynet=onion")["connections"], {
      tor_control: "[::1]:9051",
      tor_password: "hunter2",
      onlynet: ["onion"]
    })
    for (const none of ["listenonion=0", "listen=0"]) {
      assert.isUndefined(draftOf("torcontrol=127.0.0.1:9052", none)["connections"]?.["tor_control"])
    }
    assert.include(
      convert("torcontrol=tor.example").report.join() + convert("torcontrol=tor.example").access.join(),
      "by its address"
    )
    const only = draftOf("bind=127.0.0.1=onion", "bind=127.0.0.2:7=onion", "port=8400")
    assert.strictEqual(only["listen_addr"] as unknown, "127.0.0.1:8401")
    assert.deepStrictEqual(only["connections"], { onion_listen_addrs: ["127.0.0.1:8401", "127.0.0.2:7"] })
    assert.deepStrictEqual(draftOf("listenonion=1", "proxy=tor.example:9050")["connections"], {
      only_persistent_peers: true,
      listen: false
    })
  })

  it("ways into I2P and CJDNS are kept, and networks without one are not chosen", () => {
    assert.deepStrictEqual(
      draftOf(
        "i2psam=127.0.0.1",
        "i2pacceptincoming=0",
        "cjdnsreachable=1",
        "onlynet=i2p",
        "onlynet=cjdns"
      )["connections"],
      {
        i2p_sam: "127.0.0.1:7656",
        i2p_accept_incoming: false,
        cjdns_reachable: true,
        onlynet: ["i2p", "cjdns"]
      }
    )
    assert.deepStrictEqual(draftOf("onlynet=i2p", "onlynet=ipv4", "cjdnsreachable=0", "onlynet=cjdns")["connections"], {
      cjdns_reachable: false,
      onlynet: ["ipv4"]
    })
    assert.include(convert("i2psam=router.example").access.join(), "named by its address")
  })

  it("private broadcast is kept where Tor or I2P is reached, and set apart elsewhere", () => {
    for (const way of ["proxy=127.0.0.1:1", "onion=127.0.0.1:1", "i2psam=127.0.0.1:1", "torcontrol=127.0.0.1:1"]) {
      assert.deepStrictEqual(draftOf("privatebroadcast=1", way)["relay"], { private_broadcast: true }, way)
    }
    for (const lines of [["onlynet=ipv4", "proxy=127.0.0.1:1"], ["connect=192.0.2.1", "proxy=127.0.0.1:1"]]) {
      assert.isUndefined(draftOf("privatebroadcast=1", ...lines)["relay"])
      assert.include(convert("privatebroadcast=1", ...lines).access.join(), "privatebroadcast: it needs Tor or I2P")
    }
    assert.deepStrictEqual(convert("privatebroadcast=0").access, [])
  })

  it("another place for the cookie is set apart with the place that it has", () => {
    assert.include(
      convert("rpccookiefile=/run/cookie").access.join(),
      "the cookie is always the file .cookie in the data"
    )
  })

  it("a list that closes the cookie out is remarked on", () => {
    assert.include(convert("rpcwhitelist=alice:help").report.join(), "the cookie may call nothing")
    assert.notInclude(convert("rpcwhitelist=alice:help", "rpcwhitelist=__cookie__:stop").report.join(), "the cookie")
    assert.notInclude(convert("rpcwhitelist=alice:help", "rpcwhitelistdefault=0").report.join(), "the cookie")
  })

  it("a subnet that is none allows this machine alone, not all addresses", () => {
    assert.deepStrictEqual(draftOf("rpcallowip=everywhere")["rpc"], { allow_ip: ["127.0.0.1"] })
  })

  it("rpcbind holds with rpcallowip alone", () => {
    const alone = convert("rpcbind=0.0.0.0", "rpcport=8400")
    assert.include(alone.toml, "--rpc-addr 127.0.0.1:8400")
    assert.include(alone.report.join(), "rpcbind says nothing without rpcallowip")
    assert.include(convert("rpcbind=0.0.0.0", "rpcallowip=10.0.0.0/8").toml, "--rpc-addr 0.0.0.0:8332")
    assert.include(convert("rpcbind=127.0.0.2").toml, "--rpc-addr 127.0.0.2:8332")
  })

  it("a name without a password, and a password without a name", () => {
    assert.deepStrictEqual(draftOf("rpcuser=alice")["rpc_auth"], { required: true })
    assert.include(convert("rpcuser=alice").report.join(), "rpcuser says nothing without rpcpassword")
    assert.deepStrictEqual(draftOf("rpcpassword=x")["rpc_auth"], { required: true })
  })

  it("REST, blocks only, and networks have counterparts", () => {
    assert.deepStrictEqual(draftOf("rest=1")["rest_api"], { enabled: true })
    assert.deepStrictEqual(draftOf("rest=0")["rest_api"], { enabled: false })
    assert.deepStrictEqual(draftOf("blocksonly=1")["connections"], { blocks_only: true })
    assert.deepStrictEqual(draftOf("v2transport=0")["connections"], { v2_transport: false })
    assert.deepStrictEqual(draftOf("onlynet=ipv4", "onlynet=Onion", "onion=127.0.0.1:9050")["connections"], {
      onion_proxy: "127.0.0.1:9050",
      onlynet: ["ipv4", "onion"]
    })
    assert.deepStrictEqual(draftOf("proxy=127.0.0.1:9050", "onion=0", "listen=1")["connections"], {
      listen: true,
      proxy: "127.0.0.1:9050",
      onlynet: ["ipv4", "ipv6"]
    })
    assert.deepStrictEqual(draftOf("proxy=127.0.0.1:1=onion", "proxy=[::1]:2", "listen=1")["connections"], {
      listen: true,
      proxy: "[::1]:2",
      onion_proxy: "127.0.0.1:1"
    })
  })

  it("a draft that lost its proxy, or all its networks, makes no automatic connections", () => {
    const closed = { listen: false, only_persistent_peers: true }
    for (const line of ["proxy=tor.example:9050", "proxy=unix:tor.sock"]) {
      const draft = draftOf(line, "addnode=192.0.2.1", "listen=1")
      assert.deepStrictEqual([draft["connections"], draft["persistent_peers"]], [closed, undefined], line)
    }
    for (const line of ["onlynet=i2p", "onlynet=onion"]) {
      const draft = draftOf(line, "addnode=192.0.2.1")
      assert.deepStrictEqual(
        [draft["connections"], draft["persistent_peers"] as unknown],
        [closed, ["192.0.2.1:8333"]],
        line
      )
    }
    assert.deepStrictEqual(draftOf("onion=unix:x", "proxy=127.0.0.1:9050", "listen=1")["connections"], {
      listen: true,
      proxy: "127.0.0.1:9050",
      onlynet: ["ipv4", "ipv6"]
    })
  })

  it("places that are lost are not replaced by all addresses", () => {
    for (const line of ["bind=host.example=onion", "bind=host.example", "whitebind=127.0.0.1:8333"]) {
      assert.deepStrictEqual(draftOf(line)["connections"], { listen: false }, line)
    }
    assert.strictEqual(draftOf("bind=host.example", "bind=127.0.0.1:8333")["connections"], undefined)
  })

  it("combinations that a start refuses do not get into the draft", () => {
    assert.strictEqual(draftOf("prune=550", "txindex=1", "txospenderindex=1")["storage"]?.["indexing"], undefined)
    assert.strictEqual(draftOf("testactivationheight=csv@1", "mocktime=1")["regtest"], undefined)
    assert.deepStrictEqual(draftOf("onlynet=onion", "proxy=127.0.0.1:1", "dnsseed=1", "listen=1")["connections"], {
      listen: true,
      proxy: "127.0.0.1:1",
      onlynet: ["onion"]
    })
    assert.strictEqual(draftOf("bind=0.0.0.0:9", "bind=127.0.0.1:9")["connections"], undefined)
    assert.strictEqual(draftOf("nodebuglogfile=1")["logging"], undefined)
  })

  it("what contradicts itself altogether is no draft", () => {
    const { problems, toml } = convert("port=8332")
    assert.strictEqual(toml, "")
    assert.match(problems.join(), /start would refuse the draft: \S+:8332 is given twice/)
  })

  it("every setting that is set apart has a mapping that says why", () => {
    for (const key of ACCESS_KEYS) assert.isTrue(Object.hasOwn(CORE_MAPPING, key), key)
    assert.isAbove(ACCESS_KEYS.size, 30)
  })
})
