import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Plan, planOf } from "../../src/bitcoind/plan/plan.ts"
import { type Home, makeHome } from "./given.ts"
import { rows } from "./plan-rows.ts"

let home: Home
beforeAll(() => void (home = makeHome()))
afterAll(() => home.remove())

const wordsIn = (words: string): ReadonlyArray<string> => words.split(" ").filter((word) => word !== "")

const plan = (...words: ReadonlyArray<string>): Plan =>
  Result.getOrThrowWith(home.plan("-regtest", ...words), ({ problems }) => new Error(problems.join("; ")))

const problemsOn = (chain: string, ...words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const made = home.plan(`-chain=${chain}`, ...words)
  return Result.isFailure(made) ? made.failure.problems : []
}

const notesOf = (words: string) => {
  const { notices, warnings } = plan(...wordsIn(words))
  return [...notices, ...warnings]
}

describe("limits of options", () => {
  const weight = (name: string, value: number): string =>
    `-${name} (${value}) exceeds consensus maximum block weight (4000000)`
  const network = "Outbound connections restricted to"
  it.each<readonly [words: string, problems: ReadonlyArray<string>]>([
    ["-prune=2", ["Prune configured below the minimum of 550 MiB.  Please use a higher number."]],
    ["-prune=1 -reindex-chainstate", [
      "Prune mode is incompatible with -reindex-chainstate. Use full -reindex instead."
    ]],
    ["-prune=0 -txindex -reindex-chainstate", []],
    ["-blockfilterindex=1 -blockfilterindex=basic -peerblockfilters", []],
    [`-assumevalid=0x${"0".repeat(65)}`, [
      `Invalid assumevalid block hash specified (0x${"0".repeat(65)}), must be up to 64 hex digits (or 0 to disable)`
    ]],
    ["-peertimeout=1", []],
    ["-peertimeout=-1", ["peertimeout must be a positive integer."]],
    ["-prevoutfetchthreads=0", []],
    ["-prevoutfetchthreads=-1", [
      "-prevoutfetchthreads must be non-negative (got -1). Use 0 to disable parallel input fetching."
    ]],
    ["-maxmempool=5", []],
    ["-maxmempool=0", []],
    ["-maxmempool=-1", ["-maxmempool must be at least 5 MB"]],
    ["-maxmempool=8 -limitclustersize=200", []],
    ["-maxmempool=7 -limitclustersize=200", ["-maxmempool must be at least 8 MB"]],
    ["-limitclustercount=64", []],
    ["-limitclustercount=65", ["limitclustercount must be less than or equal to 64"]],
    ["-blockmaxweight=8000", []],
    ["-blockmaxweight=7999", ["-blockreservedweight (8000) exceeds -blockmaxweight (7999)"]],
    ["-blockreservedweight=2000", []],
    ["-blockreservedweight=1999", ["-blockreservedweight (1999) is lower than minimum safety value of (2000)"]],
    ["-blockreservedweight=4000000", []],
    ["-blockreservedweight=4000001", [
      weight("blockreservedweight", 4_000_001),
      "-blockreservedweight (4000001) exceeds -blockmaxweight (4000000)"
    ]],
    ["-blockmaxweight=4000001 -blockreservedweight=4000001", [
      weight("blockmaxweight", 4_000_001),
      weight("blockreservedweight", 4_000_001)
    ]],
    ["-maxconnections=0", []],
    ["-port=65535", []],
    ["-port=65536", ["Invalid port specified in -port: '65536'"]],
    ["-port=1", []],
    ["-listen=0 -listenonion=1", ["Cannot set -listen=0 together with -listenonion=1"]],
    ["-listen=0 -whitebind=127.0.0.1:5", ["Cannot set -bind or -whitebind together with -listen=0"]],
    ["-bind=127.0.0.1:0", ["Invalid port specified in -bind: '127.0.0.1:0'"]],
    ["-bind=127.0.0.1=ipv4", ["Cannot resolve -bind address: '127.0.0.1=ipv4'"]],
    ["-whitebind=127.0.0.1:x", ["Invalid port specified in -whitebind: '127.0.0.1:x'"]],
    ["-bind=127.0.0.1:5 -whitebind=noban@127.0.0.1:5", [
      "Duplicate binding configuration for address 127.0.0.1:5. Please check your -bind, -bind=...=onion and -whitebind settings."
    ]],
    ["-bind=127.0.0.1:5 -bind=127.0.0.1:6=onion", []],
    ["-forcednsseed -dnsseed=0", ["Cannot set -forcednsseed to true when setting -dnsseed to false."]],
    ["-forcednsseed", []],
    ["-onlynet=cjdns", [`${network} CJDNS (-onlynet=cjdns) but -cjdnsreachable is not provided`]],
    ["-onlynet=CJDNS -cjdnsreachable", []],
    ["-onlynet=i2p -i2psam=127.0.0.1", []],
    ["-onlynet=onion -onion=0", [
      `${network} Tor (-onlynet=onion) but the proxy for reaching the Tor network is explicitly forbidden: -onion=0`
    ]],
    ["-onlynet=onion -listen=0", [
      `${network} Tor (-onlynet=onion) but the proxy for reaching the Tor network is not provided: none of -proxy, -onion or -listenonion is given`
    ]],
    ["-onlynet=onion -listen=0 -onion=127.0.0.1", []],
    ["-onlynet=onion -dnsseed", [
      "Incompatible options: -dnsseed=1 was explicitly specified, but -onlynet forbids connections to IPv4/IPv6"
    ]],
    ["-onlynet=onion -onlynet=ipv6 -dnsseed", []],
    ["-onlynet=ipv4 -dnsseed", []],
    ["-asmap", ["Embedded asmap data not available"]],
    ["-noasmap", []],
    ["-mocktime=0", []],
    ["-testactivationheight=segwit@12345678901", [
      "Invalid height value (segwit@12345678901) for -testactivationheight=name@height."
    ]],
    ["-vbparams=testdummy:0", [
      "Version bits parameters malformed, expecting deployment:start:end[:min_activation_height]"
    ]],
    ["-vbparams=testdummy:0:1:2:3", [
      "Version bits parameters malformed, expecting deployment:start:end[:min_activation_height]"
    ]],
    ["-vbparams=testdummy:9223372036854775808:1", ["Invalid nStartTime (9223372036854775808)"]],
    ["-vbparams=testdummy:-9223372036854775808:-1", []],
    ["-vbparams=testdummy:-9223372036854775809:1", ["Invalid nStartTime (-9223372036854775809)"]],
    ["-vbparams=testdummy:0:x", ["Invalid nTimeout (x)"]],
    ["-vbparams=testdummy:0:1:2147483647", []],
    ["-vbparams=testdummy:0:1:2147483648", ["Invalid min_activation_height (2147483648)"]],
    ["-vbparams=segwit:0:1", ["Invalid deployment (segwit)"]],
    ["-externalip=1.2.3.4.5", ["Cannot resolve -externalip address: '1.2.3.4.5'"]],
    ["-externalip=0.0.0.0", ["Cannot resolve -externalip address: '0.0.0.0'"]],
    ["-rpcallowip=1.2.3.4/33", [
      "Invalid -rpcallowip subnet specification: 1.2.3.4/33. Valid values are a single IP (e.g. 1.2.3.4), a network/netmask (e.g. 1.2.3.4/255.255.255.0), a network/CIDR (e.g. 1.2.3.4/24), all ipv4 (0.0.0.0/0), or all ipv6 (::/0). RFC4193 is allowed only if -cjdnsreachable=0."
    ]],
    ["-loglevel=net:none", [
      "Unsupported category-specific logging level"
    ]],
    ["-loglevel=all:none", ["Unsupported category-specific logging level"]],
    ["-maxuploadtarget=1x", ["Unable to parse -maxuploadtarget: '1x'"]],
    ["-maxuploadtarget=17592186044415", []],
    ["-minrelaytxfee=21000000 -incrementalrelayfee=21000000 -dustrelayfee=21000000 -blockmintxfee=21000000", []],
    ["-incrementalrelayfee=21000000", []],
    ["-minrelaytxfee=.", ["Invalid amount for -minrelaytxfee=<amount>: '.'"]],
    ["-minrelaytxfee=0.000000001", ["Invalid amount for -minrelaytxfee=<amount>: '0.000000001'"]],
    ["-proxy=127.0.0.1:0", ["Invalid port specified in -proxy: '127.0.0.1:0'"]],
    ["-onion=a.b.c", ["Invalid -onion address or hostname: 'a.b.c'"]]
  ])("are kept: %s", (words, expected) => {
    const found = problemsOn("regtest", ...wordsIn(words))
    assert.deepStrictEqual(
      found.map((problem, i) =>
        expected[i]?.endsWith("logging level") === true && problem.startsWith(expected[i]!)
          ? expected[i]
          : problem
      ),
      expected
    )
  })

  it.each<readonly [chain: string, words: string, problem: string | undefined]>([
    ["main", "-acceptnonstdtxn", "acceptnonstdtxn is not currently supported for main chain"],
    ["main", "-acceptnonstdtxn=0", undefined],
    ["signet", "-acceptnonstdtxn", undefined],
    ["signet", "-acceptstalefeeestimates", "acceptstalefeeestimates is not supported on signet chain."],
    ["regtest", "-acceptstalefeeestimates", undefined],
    ["main", "-test=addrman", "-test=<option> can only be used with regtest"],
    ["main", "-mocktime=5", "-mocktime can only be used with regtest"],
    ["main", "-mocktime=0", undefined],
    ["main", "-vbparams=testdummy:0:1", "The -vbparams option may not be used on mainnet."],
    ["testnet4", "-vbparams=testdummy:0:1", undefined],
    [
      "main",
      "-testactivationheight=segwit@1",
      "The -testactivationheight option may not be used on mainnet."
    ],
    ["signet", "-testactivationheight=segwit@1", undefined]
  ])("are those of the chain %s: %s", (chain, words, problem) => {
    assert.deepStrictEqual(problemsOn(chain, ...wordsIn(words)), problem === undefined ? [] : [problem])
  })

  it("count the files that the process may have open", () => {
    const made = (descriptors: number, ...words: ReadonlyArray<string>) =>
      planOf(Result.getOrThrow(home.read("-regtest", ...words)), { ...home.machine, descriptors })
    const most = (descriptors: number, ...words: ReadonlyArray<string>) => {
      const one = made(descriptors, ...words)
      return Result.isFailure(one) ? one.failure.problems : [one.success.config.peers.maximum, one.success.warnings]
    }
    const lack = (available: number, required: number) => [
      `Not enough file descriptors available. ${available} available, ${required} required.`
    ]
    const reduced = (from: number, to: number) => [
      to,
      [`Reducing -maxconnections from ${from} to ${to}, because of system limitations.`]
    ]
    assert.deepStrictEqual(most(285), [125, []])
    assert.deepStrictEqual(most(284), reduced(125, 124))
    assert.deepStrictEqual(most(160), reduced(125, 0))
    assert.deepStrictEqual(most(159), lack(159, 160))
    assert.deepStrictEqual(most(159, "-bind=127.0.0.1:5", "-whitebind=127.0.0.1:6"), lack(159, 161))
    assert.deepStrictEqual(most(1_000_000, "-maxconnections=100001"), [100_000, []])
  })
})

describe("where blocks are", () => {
  it("is below the directory of the chain, or below another one that exists, from the place of the start on", () => {
    assert.strictEqual(plan().storage.blocks, join(home.base, "regtest", "blocks"))
    mkdirSync(join(home.machine.home, "far"))
    const far = join(home.machine.home, "far", "regtest", "blocks")
    assert.strictEqual(plan("-blocksdir=far").storage.blocks, far)
    assert.strictEqual(plan(`-blocksdir=${join(home.machine.home, "far")}`).storage.blocks, far)
  })

  it("is refused where there is none, or what stands there is no directory", () => {
    const none = join(home.machine.home, "none")
    assert.deepStrictEqual(problemsOn("regtest", "-blocksdir=none"), [
      `Specified blocks directory "${none}" does not exist.`
    ])
    writeFileSync(join(home.machine.home, "file"), "")
    assert.lengthOf(problemsOn("regtest", "-blocksdir=file"), 1)
    const [problem] = problemsOn("regtest", `-blocksdir=/${"a".repeat(300)}`)
    assert.match(problem!, /File name too long|ENAMETOOLONG/)
  })
})

describe("values that options amount to", () => {
  it.each(rows(
    [
      "the size to prune to",
      ({ config: { storage: { pruning } } }) => pruning._tag === "TargetSize" ? pruning.bytes / 2 ** 20 : undefined,
      ["-prune=550", 550],
      ["-prune=1000000001", 1_000_000_000],
      ["-prune=1", undefined]
    ],
    [
      "networks",
      ({ config }) => config.peers.onlyNetworks,
      ["", []],
      ["-onlynet=IPv4 -onlynet=ipv4 -onlynet=ipv6", ["ipv4", "ipv6"]]
    ],
    [
      "switches of connections",
      ({ config: { peers } }) => [
        peers.servesBloomFilters,
        peers.isBlocksOnly,
        peers.isV2,
        peers.isAdvertised,
        peers.hasCjdns,
        peers.isolateStreams
      ],
      ["", [false, false, true, true, false, true]],
      ["-peerbloomfilters -blocksonly -v2transport=0 -discover=0 -cjdnsreachable -proxyrandomize=0", [
        true,
        true,
        false,
        false,
        true,
        false
      ]]
    ],
    [
      "nodes to stay with",
      ({ config: { peers } }) => [peers.persistent, peers.isOnlyPersistent],
      ["", [[], false]],
      ["-connect=a.example -addnode=11.0.0.1:5", [["a.example", "11.0.0.1:5"], true]],
      ["-addnode=b.example", [["b.example"], false]],
      ["-connect=0", [[], true]]
    ],
    ["connections", ({ config }) => config.peers.maximum, ["", 125], ["-maxconnections=7", 7], [
      "-maxconnections=0",
      0
    ]],
    [
      "the place of a file of networks",
      ({ config: { peers } }) => peers.asmap?.endsWith("/.bitcoin/regtest/a/b"),
      ["-asmap=a/b", true],
      ["-noasmap", undefined]
    ],
    [
      "the way into I2P",
      ({ config }) => config.peers.i2p,
      ["", undefined],
      ["-i2psam=127.0.0.1", { at: { host: "127.0.0.1", port: 7_656 }, acceptsIncoming: true }],
      ["-i2psam=127.0.0.1:5 -i2pacceptincoming=0", { at: { host: "127.0.0.1", port: 5 }, acceptsIncoming: false }]
    ],
    [
      "places to listen at",
      ({ config: { peers } }) => [[peers.listen, ...peers.moreListen], peers.onionListen],
      ["", [[{ host: "0.0.0.0", port: 18_444 }], [{ host: "127.0.0.1", port: 18_445 }]]],
      ["-port=65535", [[{ host: "0.0.0.0", port: 65_535 }], []]],
      ["-port=65534", [[{ host: "0.0.0.0", port: 65_534 }], [{ host: "127.0.0.1", port: 65_535 }]]],
      ["-bind=127.0.0.1 -bind=127.0.0.2:5 -whitebind=noban@127.0.0.3:6", [
        [{ host: "127.0.0.1", port: 18_444 }, { host: "127.0.0.2", port: 5 }, { host: "127.0.0.3", port: 6 }],
        []
      ]],
      ["-bind=127.0.0.1=onion", [[{ host: "127.0.0.1", port: 18_445 }], [{ host: "127.0.0.1", port: 18_445 }]]]
    ],
    [
      "the mempool",
      ({ config: { mempool } }) => [
        mempool.maxBytes,
        mempool.expirySeconds,
        mempool.extraTransactions,
        mempool.persists,
        mempool.policy.requireStandard,
        mempool.policy.permitBareMultisig,
        mempool.acceptsStaleEstimates
      ],
      ["", [300_000_000, 336 * 3_600, 100, true, true, true, false]],
      [
        "-maxmempool=7 -mempoolexpiry=2 -blockreconstructionextratxn=3 -persistmempool=0 -acceptnonstdtxn -permitbaremultisig=0 -acceptstalefeeestimates",
        [7_000_000, 7_200, 3, false, false, false, true]
      ],
      [
        "-maxmempool=1000000001 -mempoolexpiry=1000001 -blockreconstructionextratxn=1000001",
        [1e15, 1_000_000 * 3_600, 1_000_000, true, true, true, false]
      ]
    ],
    [
      "fee rates",
      ({ config: { mempool: { policy } } }) => [policy.minRelayFee, policy.incrementalRelayFee, policy.dustRelayFee],
      ["-minrelaytxfee=0.00000001 -incrementalrelayfee=1.5 -dustrelayfee=2", [
        { fee: 1n, size: 1_000 },
        { fee: 150_000_000n, size: 1_000 },
        { fee: 200_000_000n, size: 1_000 }
      ]],
      ["-minrelaytxfee=21000000 -incrementalrelayfee=21000000 -dustrelayfee=10000", [
        { fee: 1_000_000_000_000_000n, size: 1_000 },
        { fee: 1_000_000_000_000n, size: 1_000 },
        { fee: 1_000_000_000_000n, size: 1_000 }
      ]]
    ],
    ["filters of blocks", ({ config }) => config.storage.blockFilterIndex, ["-blockfilterindex=1", true]],
    ["milliseconds to connect", ({ network }) => network.connectTimeout, ["-timeout=1", 1]],
    [
      "a cluster in bytes",
      ({ config }) => config.mempool.policy.cluster.weight / 4,
      ["-limitclustersize=7", 7_000],
      ["-maxmempool=30000 -limitclustersize=500000", 500_000_000],
      ["-maxmempool=30000 -limitclustersize=500001", 500_000_000],
      ["-limitclustersize=0", 1]
    ]
  ))("%s: with the words %j", (_, words, of, value) => {
    assert.deepStrictEqual(of(plan(...wordsIn(words))), value)
  })
})

describe("what a start says about its options", () => {
  it.each<readonly [words: string, said: string, isSaid: boolean]>([
    ["-connect=a.example -seednode=b", "-seednode is ignored when -connect is used", true],
    ["-connect=0 -seednode=b", "-seednode is ignored when -connect is used", false],
    ["-seednode=b", "-seednode is ignored when -connect is used", false],
    [
      "-connect=a.example -dnsseed -proxy=127.0.0.1:1",
      "-dnsseed is ignored when -connect is used and -proxy is specified",
      true
    ],
    ["-connect=a.example -dnsseed", "-dnsseed is ignored when -connect is used and -proxy is specified", false],
    ["-addnode=a:b:c:d:", "-addnode=a:b:c:d: names no node", true],
    ["-connect=a:b:c:d:", "-connect=a:b:c:d: names no node", true],
    ["-vbparams=taproot:0:1", "-vbparams=taproot:0:1 has no effect of its own: taproot is always active", true],
    ["-externalip=10.0.0.1", "-externalip=10.0.0.1 is not announced: it is not routable", true],
    ["-externalip=11.0.0.1", "-externalip=11.0.0.1 is not announced: it is not routable", false],
    [
      "-bind=127.0.0.1:5=onion -bind=127.0.0.1:6=onion",
      "More than one onion bind address is provided. Using 127.0.0.1:5 for the automatically created Tor onion service.",
      true
    ],
    [
      "-bind=127.0.0.1:5=onion",
      "More than one onion bind address is provided. Using 127.0.0.1:5 for the automatically created Tor onion service.",
      false
    ],
    [
      "-dustrelayfee=10000.00000001",
      "-dustrelayfee=10000.00000001 is more than any transaction can pay, and counts as less",
      true
    ],
    [
      "-dustrelayfee=10000 -minrelaytxfee=10000000",
      "-dustrelayfee=10000 is more than any transaction can pay, and counts as less",
      false
    ],
    ["-rpcpassword=a", "The use of rpcuser/rpcpassword is less secure", true],
    ["-rpcuser=a", "The use of rpcuser/rpcpassword is less secure", false],
    [
      "-rpcallowip=10.0.0.0/8 -rpcbind=0.0.0.0",
      "The RPC server is not safe to expose to untrusted networks such as the public internet",
      true
    ],
    [
      "-rpcallowip=10.0.0.0/8 -rpcbind=127.0.0.1",
      "The RPC server is not safe to expose to untrusted networks such as the public internet",
      false
    ]
  ])("with %s: %s (%s)", (words, said, isSaid) => {
    assert.strictEqual(notesOf(words).some((note) => note.startsWith(said)), isSaid, notesOf(words).join("\n"))
  })
})
