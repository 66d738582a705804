import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { join } from "node:path"
import type { Plan } from "../../src/bitcoind/plan/plan.ts"
import { shownProblem } from "../../src/bitcoind/plan/http-failed.ts"
import { printHostPort } from "../../src/config/host-port.ts"
import { version } from "../../src/version.ts"
import { type Home, makeHome } from "./given.ts"

let home: Home
beforeEach(() => void (home = makeHome()))
afterEach(() => home.remove())

const plan = (...words: ReadonlyArray<string>): Plan =>
  Result.getOrThrowWith(home.plan("-regtest", ...words), ({ problems }) => new Error(problems.join("; ")))

const problems = (...words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const made = home.plan(...words)
  return Result.isFailure(made) ? made.failure.problems : []
}

describe("what options amount to", () => {
  it("is a node of the chain in its directory", () => {
    const { access, config, process, storage } = plan()
    assert.strictEqual(config.network, "regtest")
    assert.strictEqual(config.dataDirectory, join(home.base, "regtest"))
    assert.strictEqual(storage.blocks, join(home.base, "regtest/blocks"))
    assert.deepStrictEqual(config.rpc.bind, { host: "127.0.0.1", port: 18_443 })
    assert.deepStrictEqual(access.moreBinds, [{ host: "::1", port: 18_443 }])
    assert.deepStrictEqual(access.cookie, { file: join(home.base, "regtest/.cookie"), mode: 0o600 })
    assert.strictEqual(process.pidFile, join(home.base, "regtest/bitcoind.pid"))
    assert.isTrue(config.rpc.credentials.required)
    assert.deepStrictEqual(config.rpc.allowed, ["127.0.0.0/8"])
    assert.strictEqual(config.storage.minimumFreeMegabytes, 50)
  })

  it("keeps the deprecated answers that it knows, and takes any other name", () => {
    assert.deepStrictEqual(plan().config.rpc.deprecated, [])
    const named = ["-deprecatedrpc=fullrbf", "-deprecatedrpc=bip125", "-deprecatedrpc=whatever"]
    assert.sameMembers([...plan(...named).config.rpc.deprecated], ["bip125", "fullrbf"])
  })

  it("binds where it is asked to, at the ports of the chain", () => {
    const { peers } = plan("-port=18999", "-bind=127.0.0.1", "-bind=127.0.0.2=onion", "-bind=[::1]:7").config
    assert.deepStrictEqual(peers.listen, { host: "127.0.0.1", port: 18_999 })
    assert.deepStrictEqual(peers.moreListen, [{ host: "::1", port: 7 }])
    assert.deepStrictEqual(peers.onionListen, [{ host: "127.0.0.2", port: 19_000 }])
    assert.isTrue(peers.isListenGiven)
  })

  it("has a place for Tor beside the usual one, and makes an onion service that leads there", () => {
    const onionOf = (...words: ReadonlyArray<string>) => {
      const { config: { peers: { listen, onionListen, torControl } }, warnings } = plan(...words)
      return { listen: listen.port, onion: onionListen.map(printHostPort), torControl, warnings }
    }
    const at = { host: "127.0.0.1", port: 9_051 }
    const usual = { listen: 18_444, onion: ["127.0.0.1:18445"], torControl: { at, password: undefined } }
    assert.deepInclude(onionOf(), usual)
    assert.deepInclude(onionOf("-torcontrol=[::1]:7", "-torpassword=x"), {
      torControl: { at: { host: "::1", port: 7 }, password: "x" }
    })
    assert.deepInclude(onionOf("-listenonion=0", "-torpassword=x"), { ...usual, torControl: undefined })
    assert.deepInclude(onionOf("-listen=0"), { torControl: undefined })
    assert.deepInclude(onionOf("-port=65535"), { onion: [] })
    assert.deepInclude(onionOf("-bind=127.0.0.1"), { onion: [] })
    const two = onionOf("-bind=127.0.0.2=onion", "-bind=127.0.0.3:9=onion")
    assert.deepInclude(two, { listen: 18_445, onion: ["127.0.0.2:18445", "127.0.0.3:9"] })
    assert.include(
      two.warnings.join(),
      "More than one onion bind address is provided. Using 127.0.0.2:18445 for the automatically created Tor onion service."
    )
    assert.deepStrictEqual(plan("-onlynet=onion").config.peers.onlyNetworks, ["onion"])
    assert.include(
      problems("-onlynet=onion", "-listenonion=0").join(),
      "is not provided: none of -proxy, -onion or -listenonion is given"
    )
  })

  it("has ways into I2P and CJDNS where it is given them", () => {
    const peersOf = (...words: ReadonlyArray<string>) => plan(...words).config.peers
    const at = { host: "127.0.0.1", port: 7_656 }
    assert.isUndefined(peersOf().i2p)
    assert.isUndefined(peersOf("-i2psam=").i2p)
    assert.deepStrictEqual(peersOf("-i2psam=127.0.0.1").i2p, { at, acceptsIncoming: true })
    for (const none of ["-i2pacceptincoming=0", "-listen=0"]) {
      assert.deepStrictEqual(peersOf("-i2psam=localhost:7656", none).i2p, { at, acceptsIncoming: false })
    }
    const both = peersOf("-onlynet=i2p", "-onlynet=CJDNS", "-i2psam=127.0.0.1", "-cjdnsreachable")
    assert.deepStrictEqual([both.onlyNetworks, both.hasCjdns], [["i2p", "cjdns"], true])
  })

  it("sends own transactions through Tor or I2P alone, where they may be reached and peers are chosen", () => {
    const requested = "Private broadcast of own transactions requested (-privatebroadcast)"
    const isOn = (...words: ReadonlyArray<string>): boolean =>
      plan("-privatebroadcast", ...words).config.peers.broadcastsPrivately
    assert.isFalse(plan("-privatebroadcast=0").config.peers.broadcastsPrivately)
    // Tor's control port may name a proxy.
    for (const way of [[], ["-proxy=127.0.0.1:1"], ["-onion=127.0.0.1:1"], ["-listen=0", "-i2psam=127.0.0.1:1"]]) {
      assert.isTrue(isOn(...way), way.join())
    }
    const none = [`${requested}, but none of Tor or I2P networks is reachable`]
    assert.deepStrictEqual(problems("-privatebroadcast", "-listenonion=0"), none)
    assert.deepStrictEqual(problems("-privatebroadcast", "-onlynet=ipv4", "-proxy=127.0.0.1:1"), none)
    assert.deepStrictEqual(problems("-privatebroadcast", "-proxy=127.0.0.1:1", "-connect=0"), [
      `${requested}, but -connect is also configured. They are incompatible because the private broadcast needs to open new connections to randomly chosen Tor or I2P peers. Consider using -maxconnections=0 -addnode=... instead`
    ])
    const { warnings } = plan("-privatebroadcast", "-proxyrandomize=0", "-proxy=127.0.0.1:1")
    assert.deepStrictEqual(warnings, [
      `${requested} and -proxyrandomize is disabled. Tor circuits for private broadcast connections may be correlated to other connections over Tor. For maximum privacy set -proxyrandomize=1.`
    ])
    assert.deepStrictEqual(plan("-privatebroadcast", "-proxy=127.0.0.1:1").warnings, [])
  })

  it("makes no connection with -connect=0, and listens where it is asked to", () => {
    const { peers } = plan("-connect=0", "-bind=127.0.0.1:7").config
    assert.isTrue(peers.isOnlyPersistent)
    assert.isTrue(peers.isListening)
    assert.deepStrictEqual(peers.persistent, [])
    const { notices } = plan("-connect=192.0.2.1", "-seednode=192.0.2.2", "-dnsseed", "-proxy=127.0.0.1:1080")
    assert.includeMembers([...notices], [
      "-seednode is ignored when -connect is used",
      "-dnsseed is ignored when -connect is used and -proxy is specified"
    ])
    assert.notInclude(plan("-noconnect", "-seednode=192.0.2.2").notices.join(), "is ignored")
    assert.deepStrictEqual(plan("-connect=192.0.2.1:7", "-addnode=192.0.2.2").config.peers.persistent, [
      "192.0.2.1:7",
      "192.0.2.2"
    ])
  })

  it("looks at what is about RPC only where it is served, and at readers of the cookie where there is one", () => {
    const failed = ["Unable to start HTTP server. See debug log for details."]
    for (const words of [["-rpcauth=x"], ["-rpccookieperms=me"], ["-rpccookieperms=me", "-norpccookiefile"]]) {
      assert.deepStrictEqual(problems("-regtest", ...words), failed, words.join(" "))
      assert.deepStrictEqual(problems("-regtest", "-server=0", ...words), [], words.join(" "))
    }
    assert.deepStrictEqual(problems("-regtest", "-rpccookieperms=me", "-rpcuser=a", "-rpcpassword=b"), [])
    const [noSubnet = "", ...others] = problems("-regtest", "-rpcallowip=x")
    assert.match(noSubnet, /^Invalid -rpcallowip subnet specification: x\. Valid values are /)
    assert.deepStrictEqual(others, [])
    assert.deepStrictEqual(shownProblem(noSubnet), [noSubnet, ...failed])
    assert.deepStrictEqual(shownProblem("another"), ["another"])
    assert.deepStrictEqual(problems("-regtest", "-server=0", "-rpcallowip=x"), [])
    assert.deepStrictEqual(problems("-regtest", "-server=0", "-rpcport=x"), ["Invalid port specified in -rpcport: 'x'"])
  })

  it("has a password or a cookie", () => {
    const { access, config } = plan("-rpcuser=a", "-rpcpassword=b")
    assert.isUndefined(access.cookie)
    assert.deepStrictEqual(config.rpc.credentials.basic, { username: "a", password: "b" })
    assert.isUndefined(plan("-norpccookiefile").access.cookie)
    const isWarned = (...words: ReadonlyArray<string>) =>
      plan(...words).notices.some((text) => text.startsWith("The use of rpcuser/rpcpassword is less secure"))
    assert.isTrue(isWarned("-rpcpassword=b"))
    assert.isFalse(isWarned("-rpcuser=a"))
    assert.isFalse(isWarned("-rpcpassword=b", "-server=0"))
  })

  it("warns of calls from anywhere", () => {
    const unsafe = "The RPC server is not safe to expose to untrusted networks such as the public internet"
    for (const bind of ["0.0.0.0", "[::]:7"]) {
      assert.include(plan("-rpcallowip=127.0.0.1", `-rpcbind=${bind}`).notices, unsafe)
      assert.notInclude(plan(`-rpcbind=${bind}`).notices, unsafe)
    }
    assert.notInclude(plan("-rpcallowip=127.0.0.1", "-rpcbind=127.0.0.1").notices, unsafe)
  })

  it("counts upload targets in their units", () => {
    for (const [text, bytes] of [["500", 500 * 2 ** 20], ["5k", 5_000], ["5G", 5 * 2 ** 30], ["0", 0]] as const) {
      assert.strictEqual(plan(`-maxuploadtarget=${text}`).config.peers.uploadTarget, bytes)
    }
    assert.isAbove(plan("-maxuploadtarget=17592186044415").config.peers.uploadTarget, 2 ** 63)
    assert.deepStrictEqual(problems("-maxuploadtarget=x"), ["Unable to parse -maxuploadtarget: 'x'"])
  })

  it("names the matched release, then this software, with the operator's comments behind", () => {
    assert.strictEqual(plan().userAgent, `/Satoshi:31.99.0/Lockstep:${version()}/`)
    const { userAgent } = plan("-uacomment=testnode0", "-uacomment=b")
    assert.strictEqual(userAgent, `/Satoshi:31.99.0/Lockstep:${version()}(testnode0; b)/`)
  })

  it("takes a user agent of 256 characters, and refuses one of 257", () => {
    const room = 256 - `/Satoshi:31.99.0/Lockstep:${version()}()/`.length
    assert.strictEqual(plan(`-uacomment=${"a".repeat(room)}`).userAgent.length, 256)
    assert.deepStrictEqual(problems(`-uacomment=${"a".repeat(room + 1)}`), [
      "Total length of network version string (257) exceeds maximum length (256). Reduce the number or size of uacomments."
    ])
  })

  it("turns categories of the log on and off", () => {
    const { log } = plan("-debug", "-debugexclude=net", "-loglevel=trace", "-loglevel=rpc:info")
    assert.isTrue(log.categories.has("rpc"))
    assert.isFalse(log.categories.has("net"))
    assert.strictEqual(log.level, "trace")
    assert.strictEqual(log.levels.get("rpc"), "info")
    assert.deepStrictEqual([...plan("-debug=net", "-debug=0", "-debug=rpc").log.categories], ["rpc"])
    assert.strictEqual(plan("-loglevel=all:trace").log.level, "debug")
  })

  it.each<readonly [word: string, problem: string]>([
    ["-listen=0 -bind=127.0.0.1", "Cannot set -bind or -whitebind together with -listen=0"],
    ["-port=0", "Invalid port specified in -port: '0'"],
    ["-rpcport=70000", "Invalid port specified in -rpcport: '70000'"],
    ["-bind=no.such.name", "Cannot resolve -bind address: 'no.such.name'"],
    ["-proxy=127.0.0.1:9050=tor", "Unrecognized network in -proxy='127.0.0.1:9050=tor': 'tor'"],
    ["-proxy=1=", "Invalid -proxy address or hostname, ends with '=': '1='"],
    ["-onlynet=mars", "Unknown network specified in -onlynet: 'mars'"],
    ["-onlynet=i2p", "Outbound connections restricted to i2p (-onlynet=i2p) but -i2psam is not provided"],
    ["-prune=-1", "Prune cannot be configured with a negative value."],
    ["-prune=549", "Prune configured below the minimum of 550 MiB.  Please use a higher number."],
    ["-prune=550 -txindex", "Prune mode is incompatible with -txindex."],
    ["-prune=550 -txospenderindex", "Prune mode is incompatible with -txospenderindex."],
    ["-blockfilterindex=abc", "Unknown -blockfilterindex value abc."],
    ["-peerblockfilters", "Cannot set -peerblockfilters without -blockfilterindex."],
    ["-maxconnections=-1", "-maxconnections must be greater or equal than zero"],
    ["-uacomment=/", "User Agent comment (/) contains unsafe characters."],
    ["-assumevalid=x", "Invalid assumevalid block hash specified (x), must be up to 64 hex digits (or 0 to disable)"],
    ["-minimumchainwork=test", "Invalid minimum work specified (test), must be up to 64 hex digits"],
    ["-peertimeout=0", "peertimeout must be a positive integer."],
    ["-testactivationheight=name@2", "Invalid name (name@2) for -testactivationheight=name@height."],
    ["-testactivationheight=segwit@x", "Invalid height value (segwit@x) for -testactivationheight=name@height."],
    ["-testactivationheight=segwit", "Invalid format (segwit) for -testactivationheight=name@height."],
    ["-debugexclude=none", "Unsupported logging category -debugexclude=none."],
    ["-loglevel=:info", "Unsupported global logging level -loglevel=:info. Valid values: info, debug, trace."],
    ["-minrelaytxfee=21000000.00000001", "Invalid amount for -minrelaytxfee=<amount>: '21000000.00000001'"],
    ["-maxuploadtarget=17592186044416", "Unable to parse -maxuploadtarget: '17592186044416'"],
    ["-debug=abc", "Unsupported logging category -debug=abc."],
    ["-debugexclude=abc", "Unsupported logging category -debugexclude=abc."],
    ["-loglevel=abc", "Unsupported global logging level -loglevel=abc. Valid values: info, debug, trace."],
    ["-minrelaytxfee=x", "Invalid amount for -minrelaytxfee=<amount>: 'x'"],
    ["-maxmempool=4", "-maxmempool must be at least 5 MB"],
    ["-blockmaxweight=4000001", "-blockmaxweight (4000001) exceeds consensus maximum block weight (4000000)"],
    ["-whitelist=oops@1.2.3.4", "Invalid P2P permission: 'oops'"],
    ["-whitelist=in@1.2.3.4", "Only direction was set, no permissions: 'in@1.2.3.4'"],
    ["-whitelist=1.2.3", "Invalid netmask specified in -whitelist: '1.2.3'"],
    ["-whitebind=noban@127.0.0.1", "Need to specify a port with -whitebind: '127.0.0.1'"],
    ["-rpccookieperms=me", "Unable to start HTTP server. See debug log for details."],
    ["-rpcbind=def:xxx", "Invalid port specified in -rpcbind: 'def:xxx'"],
    ["-torcontrol=abc:0", "Invalid port specified in -torcontrol: 'abc:0'"],
    ["-i2psam=def:xyz", "Invalid port specified in -i2psam: 'def:xyz'"],
    ["-i2psam=def..abc:23456", "Invalid -i2psam address or hostname: 'def..abc:23456'"],
    ["-rpcauth=x", "Unable to start HTTP server. See debug log for details."]
  ])("refuses %s in Bitcoin Core's words", (words, problem) => {
    assert.deepStrictEqual(problems("-regtest", ...words.split(" ")), [problem])
  })

  it.each<readonly [word: string, warning: string]>([
    ["-checkpoints=0", "Option '-checkpoints' is set but checkpoints were removed. This option has no effect."],
    [
      "-limitancestorsize=101",
      "Option '-limitancestorsize' is given but ancestor size limits have been replaced with cluster size limits (see -limitclustersize). This option has no effect."
    ],
    ["-test=whatever", "Unrecognised option \"whatever\" provided in -test=<option>."],
    ["-dbcache=6145", "A 6145 MiB dbcache may be too large for a system memory of only 8192 MiB."],
    [
      "-port=22",
      "-port request to listen on port 22. This port is considered \"bad\" and thus it is unlikely that any peer will connect to it. See doc/p2p-bad-ports.md for details and a full list."
    ],
    [
      "-bind=127.0.0.1:6667",
      "-bind request to listen on port 6667. This port is considered \"bad\" and thus it is unlikely that any peer will connect to it. See doc/p2p-bad-ports.md for details and a full list."
    ]
  ])("warns of %s as Bitcoin Core does", (word, warning) => {
    assert.deepStrictEqual(plan(word).warnings, [warning])
  })

  it("warns of nothing that is usual", () => {
    for (
      const words of [["-dbcache=6144"], ["-port=8333"], ["-port=22", "-bind=127.0.0.1:8333"], ["-bind=[::1]:22=onion"]]
    ) {
      assert.deepStrictEqual(plan(...words).warnings, [], words.join(" "))
    }
  })

  it("takes amounts as Bitcoin Core reads them", () => {
    const rate = (text: string) => plan(`-dustrelayfee=${text}`).config.mempool.policy.dustRelayFee
    for (const text of [" 0.00003 ", "0000000000.00003", ".00003"]) assert.deepStrictEqual(rate(text), rate("0.00003"))
  })

  it("raises the least fee rate with that of replacements, unless it is given", () => {
    const rate = (...words: ReadonlyArray<string>) => plan(...words).config.mempool.policy.minRelayFee
    assert.deepStrictEqual(rate("-incrementalrelayfee=0.00003"), rate("-minrelaytxfee=0.00003"))
    assert.include(
      plan("-incrementalrelayfee=0.00003").notices,
      "Increasing minrelaytxfee to 0.00003000 BTC/kvB to match incrementalrelayfee"
    )
    assert.deepStrictEqual(rate("-incrementalrelayfee=0.00000001"), rate())
    assert.deepStrictEqual(
      rate("-incrementalrelayfee=0.00003", "-minrelaytxfee=0.00001"),
      rate("-minrelaytxfee=0.00001")
    )
  })

  it("takes any salted hash, and says which is that of no password", () => {
    const { config, notices } = plan("-rpcauth=alice:f7efda5c189b999524f151318c0c86$d5b51b3beffbc0")
    assert.deepStrictEqual(config.rpc.credentials.salted, [])
    assert.include(notices, "A hash of -rpcauth is that of no password: its user cannot log in.")
  })

  it("takes a whitelist with words that name no method, and says so", () => {
    const { config, notices } = plan(
      "-rpcwhitelist=alice::getblockcount,getbestblockhash, ,help:",
      "-rpcwhitelist=bob:"
    )
    assert.deepStrictEqual(config.rpc.credentials.whitelist, { alice: ["getbestblockhash"], bob: [] })
    assert.include(notices, "No method can have the name :getblockcount, which -rpcwhitelist gives to alice.")
    assert.include(notices, "No method can have the name help:, which -rpcwhitelist gives to alice.")
  })

  it("keeps options of the main chain away from others", () => {
    home.write("bitcoin.conf", "regtest=1\nport=1234\nrpcport=1235\n")
    assert.deepStrictEqual(problems(), [
      "Config setting for -port only applied on regtest network when in [regtest] section.\n" +
      "Config setting for -rpcport only applied on regtest network when in [regtest] section.\n"
    ])
    assert.deepStrictEqual(problems("-port=1", "-rpcport=3"), [])
  })
})
