import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { mkdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import {
  baseDirectory,
  defaultDirectory,
  makeDirectories,
  makeIndexDirectory,
  pathOf,
  under
} from "../../src/bitcoind/args/directories.ts"
import type { Plan } from "../../src/bitcoind/plan/plan.ts"
import { optionsHelpText, optionText } from "../../src/bitcoind/process/help-text.ts"
import { chainSteps, openingLines } from "../../src/bitcoind/run/chain-steps.ts"
import { startLines } from "../../src/bitcoind/run/start-lines.ts"
import type { Chain } from "../../src/engine-client/chain.ts"
import { type Home, makeHome } from "./given.ts"

let home: Home
beforeEach(() => void (home = makeHome()))
afterEach(() => home.remove())

const planOn = (chain: string, ...words: ReadonlyArray<string>): Plan =>
  Result.getOrThrowWith(home.plan(`-chain=${chain}`, ...words), ({ problems }) => new Error(problems.join()))

describe("what a start says before the chain is open", () => {
  it("has the cache, the assumed block, the least work and the store", () => {
    const store = join(home.base, "regtest", "chainstate")
    const lines = (...words: ReadonlyArray<string>) => openingLines(planOn("regtest", ...words))
    assert.deepStrictEqual(lines("-dbcache=7"), [
      "Cache configuration:",
      "* Using 7.0 MiB for in-memory UTXO set (plus unused mempool space)",
      "init message: Loading block index…",
      "Validating signatures for all blocks.",
      `Setting nMinimumChainWork=${"0".repeat(64)}`,
      `Opening LevelDB in ${store}`,
      "Checking all blk files are present..."
    ])
    const hash = "0a".repeat(32)
    const given = lines(`-assumevalid=${hash}`, "-minimumchainwork=1f")
    assert.deepStrictEqual(given.slice(3, 5), [
      `Assuming ancestors of block ${hash} have valid signatures.`,
      `Setting nMinimumChainWork=${"1f".padStart(64, "0")}`
    ])
    for (const word of ["-reindex", "-reindex-chainstate"]) assert.include(lines(word), `Wiping LevelDB in ${store}`)
    const main = (...words: ReadonlyArray<string>) => openingLines(planOn("main", ...words))[3]!
    assert.match(main(), /^Assuming ancestors of block 0{10,}[0-9a-f]+ have valid signatures\.$/)
    assert.strictEqual(main("-assumevalid=0"), "Validating signatures for all blocks.")
  })
})

describe("what a start says about the chain", () => {
  const said = async (change: object, ...words: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
    const lines: Array<string> = []
    const state = {
      hash: new Uint8Array(32).fill(0xab),
      height: 3,
      headersHeight: 8,
      progress: 0.5,
      loadingBlocks: false,
      time: 1_700_000_000,
      ...change
    }
    const chain = {
      state: () => state,
      call: () => Effect.succeed({ isSound: true, limit: undefined, problem: undefined, transactions: 4 })
    } as unknown as Chain["Service"]
    await Effect.runPromise(chainSteps(planOn("regtest", ...words), chain, {
      say: (line) => void lines.push(line),
      warn: (line) => void lines.push(`warning: ${line}`),
      write: ({ text }) => void lines.push(text)
    }))
    return lines
  }

  it("is its tip, the check of its blocks, and the heights", async () => {
    assert.deepStrictEqual(await said({}), [
      `Loaded best chain: hashBestChain=${"ab".repeat(32)} height=3 date=2023-11-14T22:13:20Z progress=0.500000`,
      "Opened LevelDB successfully",
      "init message: Verifying blocks…",
      "Verifying last 3 blocks at level 3",
      "Verification: No coin database inconsistencies in last 3 blocks (4 transactions)",
      "Block index and chainstate loaded",
      "Setting NODE_NETWORK in non-prune mode",
      "initload thread start",
      "initload thread exit",
      "block tree size = 9",
      "nBestHeight = 3"
    ])
  })

  it("is nothing of a tip or a check at the first block, and of pruning where that is on", async () => {
    mkdirSync(join(home.base, "regtest", "blocks"), { recursive: true })
    assert.deepStrictEqual((await said({ height: 0 }, "-prune=1")).slice(0, 4), [
      "Opened LevelDB successfully",
      "init message: Verifying blocks…",
      "Block index and chainstate loaded",
      "init message: Pruning blockstore…"
    ])
  })

  it("is that blocks are taken in again, which are not checked before", async () => {
    const lines = await said({ loadingBlocks: true }, "-reindex")
    assert.notInclude(lines, "init message: Verifying blocks…")
    assert.include(lines, "Reindexing block file blk00000.dat (0% complete)...")
    assert.notInclude(lines, "initload thread exit")
    assert.notInclude(await said({ loadingBlocks: true }), "Reindexing block file blk00000.dat (0% complete)...")
    assert.notInclude(await said({}, "-reindex"), "Reindexing block file blk00000.dat (0% complete)...")
  })

  it("is the key of block files", async () => {
    const blocks = join(home.base, "regtest", "blocks")
    mkdirSync(blocks, { recursive: true })
    writeFileSync(join(blocks, "xor.dat"), Uint8Array.of(1, 0xfe))
    assert.include(await said({}), `Using obfuscation key for blocksdir *.dat files (${blocks}): '01fe'`)
  })
})

describe("the first lines of the log", () => {
  const lines = (chain: string, ...words: ReadonlyArray<string>): ReadonlyArray<string> =>
    startLines(
      Result.getOrThrow(home.read(`-chain=${chain}`, ...words)),
      planOn(chain, ...words),
      home.machine
    )

  it("name places and values, in the order of names, and no secret", () => {
    home.write("bitcoin.conf", "rpcpassword=secret\nnosuch=1\n[regtest]\npar=2\n")
    const shown = lines("regtest", "-txindex", "-dbcache=9", "-rpcuser=me")
    const from = shown.indexOf(`Default data directory ${home.base}`)
    assert.deepStrictEqual(shown.slice(from), [
      `Default data directory ${home.base}`,
      `Using data directory ${join(home.base, "regtest")}`,
      `Config file: ${join(home.base, "bitcoin.conf")}`,
      "Config file arg: [regtest] par=\"2\"",
      "Config file arg: rpcpassword=****",
      "Command-line arg: chain=\"regtest\"",
      "Command-line arg: dbcache=\"9\"",
      "Command-line arg: rpcuser=****",
      "Command-line arg: txindex=\"\"",
      "Using at most 125 automatic connections (1024 file descriptors available)",
      "scheduler thread start",
      "No wallet support compiled in!"
    ])
  })

  it("say that there is no file, or that none is read", () => {
    assert.include(lines("regtest"), `Config file: ${join(home.base, "bitcoin.conf")} (not found, skipping)`)
    assert.include(lines("regtest", "-noconf"), "Config file: <disabled>")
  })

  it("warn of testnet3 alone, and show the magic of signet alone", () => {
    const of = (chain: string) =>
      lines(chain).filter((line) => line.startsWith("Warning: Support for testnet3") || line.startsWith("Signet"))
    assert.lengthOf(of("test"), 1)
    assert.deepStrictEqual(of("signet"), ["Signet derived magic (message start): 0a03cf40"])
    assert.deepStrictEqual([of("main"), of("testnet4")], [[], []])
  })
})

describe("what one option implies for others", () => {
  it.each<readonly [words: string, implied: ReadonlyArray<string>]>([
    ["", []],
    ["-bind=127.0.0.1", ["-bind set -> setting -listen=1"]],
    ["-bind=127.0.0.1 -listen=1", []],
    ["-whitebind=127.0.0.1:5", ["-whitebind set -> setting -listen=1"]],
    ["-connect=a -listen=1", ["-connect or -maxconnections=0 set -> setting -dnsseed=0"]],
    ["-maxconnections=0 -listen=1 -dnsseed=0", []],
    ["-maxconnections=1", []],
    ["-maxconnections=0 -listen=1", ["-connect or -maxconnections=0 set -> setting -dnsseed=0"]],
    ["-proxy=127.0.0.1:1 -listen=1", [
      "-proxy set -> setting -natpmp=0",
      "-proxy set -> setting -discover=0"
    ]],
    ["-proxy=0", []],
    [
      "-listen=0",
      ["-natpmp=0", "-discover=0", "-listenonion=0", "-i2pacceptincoming=0"].map((each) =>
        `-listen=0 -> setting ${each}`
      )
    ],
    ["-externalip=11.0.0.1", ["-externalip set -> setting -discover=0"]],
    ["-blocksonly", ["-blocksonly=1 -> setting -whitelistrelay=0", "-blocksonly=1 -> setting -maxmempool=5"]],
    ["-whitelistforcerelay", ["-whitelistforcerelay=1 -> setting -whitelistrelay=1"]],
    ["-whitelistforcerelay=0 -blocksonly=0", []],
    ["-onlynet=ONION", ["-onlynet excludes IPv4 and IPv6 -> setting -dnsseed=0"]],
    ["-onlynet=onion -onlynet=IPV6", []],
    ["-onlynet=ipv4", []]
  ])("is said in the log: %s", (words, implied) => {
    const { lines } = Result.getOrThrow(home.read("-regtest", ...words.split(" ").filter((word) => word !== "")))
    assert.deepStrictEqual(lines, implied.map((line) => `parameter interaction: ${line}`))
  })
})

describe("values of the plan as a whole", () => {
  it.each<readonly [words: string, of: (plan: Plan) => unknown, value: unknown]>([
    ["", ({ banSeconds, maxTipAge, peerTimeoutSeconds }) => [banSeconds, maxTipAge, peerTimeoutSeconds], [
      86_400,
      86_400,
      60
    ]],
    [
      "-bantime=0 -maxtipage=-1 -peertimeout=1",
      ({ banSeconds, maxTipAge, peerTimeoutSeconds }) => [banSeconds, maxTipAge, peerTimeoutSeconds],
      [1, 0, 1]
    ],
    [
      "-bantime=1099511627777 -maxtipage=1099511627777 -peertimeout=1099511627777",
      ({ banSeconds, maxTipAge, peerTimeoutSeconds }) => [banSeconds, maxTipAge, peerTimeoutSeconds],
      [2 ** 40, 2 ** 40, 2 ** 40]
    ],
    ["", ({ config, isNetworkActive }) => [isNetworkActive, config.mempool.savesVersion1], [true, false]],
    ["-networkactive=0 -persistmempoolv1", ({ config, isNetworkActive }) => [
      isNetworkActive,
      config.mempool.savesVersion1
    ], [false, true]],
    ["", ({ config }) => config.peers.mayListen, [{ host: "::", port: 18_444 }]],
    ["-port=7", ({ config }) => config.peers.mayListen, [{ host: "::", port: 7 }]],
    ["-bind=127.0.0.1", ({ config }) => config.peers.mayListen, []],
    ["-whitebind=127.0.0.1:5", ({ config }) => config.peers.mayListen, []]
  ])("with %s", (words, of, value) => {
    assert.deepStrictEqual(of(planOn("regtest", ...words.split(" ").filter((word) => word !== ""))), value)
  })
})

describe("directories of bitcoind", () => {
  const place = (platform: string, at = "/h") => ({ home: at, directory: "/w", platform })

  it("are where Bitcoin Core has them", () => {
    assert.deepStrictEqual([defaultDirectory(place("linux")), defaultDirectory(place("darwin"))], [
      "/h/.bitcoin",
      "/h/Library/Application Support/Bitcoin"
    ])
    assert.strictEqual(defaultDirectory(place("linux", "")), "/.bitcoin")
    assert.deepStrictEqual([undefined, false, "", "a/../b//", "/", "/c/"].map(pathOf), [
      undefined,
      undefined,
      undefined,
      "b",
      "/",
      "/c"
    ])
    assert.deepStrictEqual([under("/d", "a"), under("/d", "/a")], ["/d/a", "/a"])
    assert.deepStrictEqual([baseDirectory("x", place("linux")), baseDirectory(undefined, place("linux"))], [
      "/w/x",
      "/h/.bitcoin"
    ])
  })

  it("are made for their owner alone, with one for wallets where there was none", () => {
    const path = join(home.base, "new", "deep")
    makeDirectories(path)
    assert.strictEqual(statSync(join(path, "wallets")).mode & 0o777, 0o700)
    const old = join(home.base, "old")
    mkdirSync(old)
    makeDirectories(old)
    assert.throws(() => statSync(join(old, "wallets")), /ENOENT/)
    makeIndexDirectory(old)
    assert.isTrue(statSync(join(old, "blocks", "index")).isDirectory())
  })
})

describe("the help of options", () => {
  it("breaks lines before the eightieth column", () => {
    // Seven spaces and 72 characters are 79 columns.
    const about = `${"a".repeat(36)} ${"b".repeat(35)} ${"c".repeat(80)} d`
    assert.strictEqual(
      optionText({ name: "x", argument: "=<n>", about }),
      `  -x=<n>\n       ${"a".repeat(36)} ${"b".repeat(35)}\n       ${"c".repeat(80)}\n       d\n`
    )
    const longer = `${"a".repeat(36)} ${"b".repeat(36)}`
    assert.strictEqual(
      optionText({ name: "x", argument: "", about: longer }),
      `  -x\n       ${"a".repeat(36)}\n       ${"b".repeat(36)}\n`
    )
  })

  it("is nothing but the usage without options", () => {
    assert.strictEqual(optionsHelpText([], true), "\nUsage:  bitcoind [options]\n\n\n")
  })
})
