import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import type { CoreOption } from "../../src/bitcoind/options/core-option.ts"
import type { PlanDraft } from "../../src/bitcoind/plan/draft.ts"
import { noticeOptions } from "../../src/bitcoind/plan/notices.ts"
import type { Plan } from "../../src/bitcoind/plan/plan.ts"
import { type Home, makeHome } from "./given.ts"
import { rows } from "./plan-rows.ts"

let home: Home
beforeAll(() => void (home = makeHome()))
afterAll(() => home.remove())

const wordsIn = (words: string): ReadonlyArray<string> => words.split(" ").filter((word) => word !== "")

const on = (chain: string, words: string): Plan =>
  Result.getOrThrowWith(
    home.plan(`-chain=${chain}`, ...wordsIn(words)),
    ({ problems }) => new Error(problems.join("; "))
  )

const problems = (words: string): ReadonlyArray<string> => {
  const made = home.plan("-regtest", ...wordsIn(words))
  return Result.isFailure(made) ? made.failure.problems : []
}

const shownAddress = ({ address, port }: Plan["externalAddresses"][number]) => [[...address.bytes], port]

describe("values at the edges of what an option takes", () => {
  it.each(rows(
    [
      "methods of callers",
      ({ config }) => config.rpc.credentials.whitelist,
      ["-rpcwhitelist=:help", { "": ["help"] }],
      ["-rpcwhitelist=a:help,,stop", { a: ["help", "stop"] }]
    ],
    [
      "addresses to announce",
      ({ externalAddresses }) => externalAddresses.map(shownAddress),
      ["", []],
      ["-externalip=8.8.8.8 -externalip=9.9.9.9:5", [[[8, 8, 8, 8], 18_444], [[9, 9, 9, 9], 5]]],
      ["-externalip=8.8.8.8 -port=7", [[[8, 8, 8, 8], 7]]],
      ["-externalip=10.0.0.1 -externalip=8.8.8.8", [[[8, 8, 8, 8], 18_444]]]
    ],
    [
      "categories in detail",
      ({ log }) => log.categories.size > 20,
      ["-debug=1", true],
      ["-debug", true],
      ["-debug=all", true],
      ["-debug=none", false],
      ["-debug=1 -debug=none", false],
      ["-debug=1 -debugexclude=1", false]
    ],
    [
      "levels of detail",
      ({ log }) => [log.level, [...log.levels]],
      ["", ["debug", []]],
      ["-loglevel=trace -loglevel=net:info -loglevel=all:trace", ["trace", [["net", "info"]]]],
      ["-loglevel=rpc:trace", ["debug", [["rpc", "trace"]]]]
    ],
    [
      "seeds that are asked",
      ({ network }) => [network.asksSeeds, network.forcesSeeds],
      ["", [true, false]],
      ["-onlynet=ipv4", [true, false]],
      ["-onlynet=IPV6", [true, false]],
      ["-onlynet=onion -onion=127.0.0.1:9050", [false, false]],
      ["-dnsseed=0", [false, false]],
      ["-forcednsseed", [true, true]]
    ],
    [
      "the old format of the mempool",
      ({ config }) => config.mempool.savesVersion1,
      ["", false],
      ["-persistmempoolv1", true]
    ],
    [
      "seconds of a peer, of a ban and of a tip",
      ({ banSeconds, maxTipAge, peerTimeoutSeconds }) => [peerTimeoutSeconds, banSeconds, maxTipAge],
      ["", [60, 86_400, 86_400]],
      ["-peertimeout=1 -bantime=1 -maxtipage=1", [1, 1, 1]],
      ["-bantime=0 -maxtipage=-1", [60, 1, 0]],
      [`-peertimeout=${2 ** 41} -bantime=${2 ** 41} -maxtipage=${2 ** 41}`, [2 ** 40, 2 ** 40, 2 ** 40]]
    ],
    [
      "weight of templates",
      ({ config: { mining } }) => [mining.blockMaxWeight, mining.blockReservedWeight],
      ["-blockmaxweight=3999999", [3_999_999, 8_000]],
      ["-blockreservedweight=3999999", [4_000_000, 3_999_999]]
    ],
    [
      "the file of the process id",
      ({ process }) => process.pidFile?.replace(/^.*\/\.bitcoin\//, ""),
      ["", "regtest/bitcoind.pid"],
      ["-pid=other.pid", "regtest/other.pid"],
      ["-pid=/run/it.pid", "/run/it.pid"],
      ["-nopid", undefined]
    ],
    [
      "a check of blocks",
      ({ process }) => process.check,
      ["-checklevel=-1", { blocks: 6, level: 0 }],
      ["-checkblocks=7 -checklevel=1", { blocks: 7, level: 1 }]
    ],
    [
      "a height to stop at",
      ({ process }) => process.stopAtHeight,
      ["-stopatheight=9223372036854775807", Number.MAX_SAFE_INTEGER]
    ],
    [
      "bytes that may be sent in a day",
      ({ config }) => config.peers.uploadTarget,
      ["", 0],
      ["-maxuploadtarget=1", 1_048_576],
      ["-maxuploadtarget=1k", 1_000]
    ],
    [
      "proxies",
      ({ config: { peers } }) => [peers.proxy, peers.onionProxy],
      ["", [undefined, undefined]],
      ["-proxy=127.0.0.1:1", [{ host: "127.0.0.1", port: 1 }, { host: "127.0.0.1", port: 1 }]],
      ["-proxy=127.0.0.1:1=ipv6", [{ host: "127.0.0.1", port: 1 }, undefined]],
      ["-onion=127.0.0.1:2", [undefined, { host: "127.0.0.1", port: 2 }]],
      ["-proxy=127.0.0.1:1 -onion=0", [{ host: "127.0.0.1", port: 1 }, undefined]]
    ],
    [
      "bytes for scripts that hold",
      ({ storage }) => storage.scriptCacheBytes,
      ["", 16 * 1_048_576],
      ["-maxsigcachesize=1", 524_288],
      ["-maxsigcachesize=-1", 0],
      ["-maxsigcachesize=2049", 1_024 * 1_048_576]
    ],
    [
      "commands of a stop",
      ({ process }) => process.shutdownNotify,
      ["-shutdownnotify= -shutdownnotify=a -shutdownnotify=0", ["a"]]
    ],
    [
      "a clock that stands in",
      ({ config }) => config.validation.mockTime,
      ["", 0],
      ["-mocktime=1", 1],
      ["-mocktime=4294967295", 4_294_967_295]
    ],
    [
      "nodes to learn addresses from",
      ({ network }) => network.seedNodes,
      ["-seednode=a -seednode= -seednode=0 -seednode=b", ["a", "b"]],
      ["-seednode=a -connect=0", []]
    ]
  ))("%s: with the words %j", (_, words, of, value) => {
    assert.deepStrictEqual(of(on("regtest", words)), value)
  })

  it.each([
    ["-prune=-9223372036854775808", "Prune cannot be configured with a negative value."],
    ["-bind=[::1]:x=y", "Invalid port specified in -bind: '[::1]:x=y'"],
    ["-bind=127.0.0.1:5=y", "Cannot resolve -bind address: '127.0.0.1:5=y'"],
    [
      "-whitebind=out,noban@127.0.0.1:5",
      "whitebind may only be used for incoming connections (\"out\" was passed)"
    ],
    ["-whitebind=@127.0.0.1", "Need to specify a port with -whitebind: '127.0.0.1'"],
    ["-testactivationheight=@5", "Invalid name (@5) for -testactivationheight=name@height."],
    ["-testactivationheight=5", "Invalid format (5) for -testactivationheight=name@height."],
    ["-mocktime=-1", "-mocktime must be between 0 and 4294967295"],
    ["-mocktime=4294967296", "-mocktime must be between 0 and 4294967295"]
  ])("%s ends a start: %s", (words, problem) => {
    assert.deepStrictEqual(problems(words), [problem])
  })
})

describe("what a start says", () => {
  const notices = (chain: string, words: string): string => {
    const { notices: said, warnings } = on(chain, words)
    return [...said, ...warnings].join("\n")
  }

  it("of options of signet on another chain, and nothing of them on signet", () => {
    for (const name of ["signetchallenge", "signetseednode"]) {
      const text = `-${name} has no effect: it is about signet alone`
      assert.include(notices("regtest", `-${name}=51`), text)
      assert.notInclude(notices("regtest", ""), text)
      assert.notInclude(notices("signet", `-${name}=51`), text)
    }
  })

  it("of a least work that is below the usual one, and of no other", () => {
    const text = "nMinimumChainWork set below default value of "
    assert.include(notices("main", "-minimumchainwork=0x01"), text)
    const usual = new RegExp(`${text}([0-9a-f]{64})$`, "m").exec(notices("main", "-minimumchainwork=0"))![1]!
    assert.isAbove(Number(`0x${usual}`), 0)
    assert.notInclude(notices("main", `-minimumchainwork=${usual}`), text)
    assert.notInclude(notices("regtest", "-minimumchainwork=0"), text)
  })

  it("of private broadcast without circuits of its own, where that goes through Tor", () => {
    const text = "-proxyrandomize is disabled"
    const tor = "-privatebroadcast -onion=127.0.0.1:9050"
    assert.include(notices("regtest", `${tor} -proxyrandomize=0`), text)
    assert.notInclude(notices("regtest", tor), text)
    const i2p = "-privatebroadcast -i2psam=127.0.0.1:7656 -listenonion=0 -proxyrandomize=0"
    assert.notInclude(notices("regtest", i2p), text)
    assert.include(notices("regtest", `${tor} -proxyrandomize=0 -onlynet=onion`), text)
  })

  it("of private broadcast in a network that is not among those chosen, by its end", () => {
    const text = /but none of Tor or I2P networks is reachable$/
    const tor = "-privatebroadcast -onion=127.0.0.1:9050 -listenonion=0"
    assert.match(problems(`${tor} -onlynet=ipv4`)[0] ?? "", text)
    assert.deepStrictEqual(problems(`${tor} -onlynet=onion`), [])
    assert.deepStrictEqual(problems(tor), [])
    const i2p = "-privatebroadcast -i2psam=127.0.0.1:7656 -listenonion=0"
    assert.match(problems(`${i2p} -onlynet=ipv4`)[0] ?? "", text)
    assert.deepStrictEqual(problems(`${i2p} -onlynet=i2p`), [])
  })

  it("of a fee rate of replacements that raises that of relay, and of none that does not", () => {
    const text = "Increasing minrelaytxfee"
    assert.include(notices("regtest", "-incrementalrelayfee=0.00000101"), `${text} to 0.00000101 BTC/kvB`)
    assert.notInclude(notices("regtest", "-incrementalrelayfee=0.000001"), text)
  })

  it("of a name that names no node, and of none that does", () => {
    assert.include(notices("regtest", "-addnode=a:b:c"), "-addnode=a:b:c names no node")
    assert.notInclude(notices("regtest", "-addnode=127.0.0.1:5"), "names no node")
  })
})

describe("an option that is accepted", () => {
  const option = (more: Partial<CoreOption>): CoreOption =>
    ({
      name: "thing",
      group: "Options",
      argument: "=<x>",
      about: "A thing",
      shown: "always",
      state: "accepted",
      note: "there is none",
      example: ["-thing=a"],
      ...more
    }) as CoreOption

  const said = (values: ReadonlyArray<string>, more: Partial<CoreOption> = {}) => {
    const draft = {
      args: { text: () => values.at(-1), list: () => values },
      notices: [] as Array<string>,
      warnings: [] as Array<string>
    }
    noticeOptions(draft as unknown as PlanDraft, [option(more)])
    return [draft.notices, draft.warnings]
  }

  it("is named with its value and why it has no effect, each value of a list, and no secret", () => {
    assert.deepStrictEqual(said(["a", "b"]), [["-thing=b has no effect of its own: there is none"], []])
    assert.deepStrictEqual(said(["a", "b"], { list: true })[0], [
      "-thing=a has no effect of its own: there is none",
      "-thing=b has no effect of its own: there is none"
    ])
    assert.deepStrictEqual(said(["a"], { sensitive: true })[0], ["-thing=**** has no effect of its own: there is none"])
  })

  it("is not named where it was not given, asks for nothing, or has its effect, and is a warning where it says so", () => {
    assert.deepStrictEqual(said([]), [[], []])
    assert.deepStrictEqual(said([], { list: true }), [[], []])
    assert.deepStrictEqual(said(["0"], { inert: ["0"] }), [[], []])
    assert.deepStrictEqual(said(["a"], { state: "implemented" }), [[], []])
    assert.deepStrictEqual(said(["a"], { warns: true }), [[], ["there is none"]])
    assert.deepStrictEqual(said([], { warns: true }), [[], []])
  })
})
