import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { type Plan, planOf } from "../../src/bitcoind/plan/plan.ts"
import { type Home, makeHome } from "./given.ts"
import { rows } from "./plan-rows.ts"

let home: Home
beforeAll(() => void (home = makeHome()))
afterAll(() => home.remove())

const plan = (...words: ReadonlyArray<string>): Plan =>
  Result.getOrThrowWith(home.plan("-regtest", ...words), ({ problems }) => new Error(problems.join("; ")))

const MEBIBYTE = 1_048_576

/** The plan of a machine with so many MiB of memory. */
const onMachineOf = (memory: number, ...words: ReadonlyArray<string>): Plan =>
  Result.getOrThrow(
    planOf(Result.getOrThrow(home.read("-regtest", ...words)), { ...home.machine, memoryBytes: memory * MEBIBYTE })
  )

const holds = (words: string, of: (made: Plan) => unknown, value: unknown): void => {
  assert.deepStrictEqual(of(plan(...words.split(" ").filter((word) => word !== ""))), value)
}

describe("the policy that options amount to", () => {
  it.each(rows(
    [
      "bytes of a signature operation",
      ({ config }) => config.mempool.policy.bytesPerSigOp,
      ["", 20],
      [
        "-bytespersigop=0",
        1
      ],
      ["-bytespersigop=7", 7],
      ["-bytespersigop=1000001", 1_000_000]
    ],
    [
      "bytes of data carriers",
      ({ config }) => config.mempool.policy.dataCarrierBytes,
      ["-datacarriersize=7", 7],
      ["-datacarriersize=-1", 0],
      ["-datacarriersize=4000001", 4_000_000],
      ["-datacarriersize=7 -datacarrier=0", 0],
      ["-datacarriersize=7 -datacarrier=1", 7]
    ],
    ["transactions of a cluster", ({ config }) => config.mempool.policy.cluster.count, ["", 64], [
      "-limitclustercount=0",
      1
    ], ["-limitclustercount=9", 9]],
    ["weight of a template", ({ config }) => config.mining.blockMaxWeight, ["", 4_000_000], [
      "-blockmaxweight=8000",
      8_000
    ], ["-blockmaxweight=4000000", 4_000_000]],
    ["weight that is kept free", ({ config }) => config.mining.blockReservedWeight, ["", 8_000], [
      "-blockreservedweight=2000",
      2_000
    ]],
    ["version of a template", ({ config }) => config.mining.blockVersion, ["", undefined], ["-blockversion=9", 9], [
      "-blockversion=2147483648",
      2_147_483_647
    ], ["-blockversion=-1", 0]],
    ["fee rate of a template", ({ config }) => config.mining.blockMinFee, ["", 1n], ["-blockmintxfee=0.00000007", 7n]]
  ))("%s: with the words %j", (_, words, of, value) => holds(words, of, value))
})

describe("the access that options amount to", () => {
  const workQueue = ({ config }: Plan) => config.rpc.limits.workQueue
  const timeout = ({ config }: Plan) => config.rpc.limits.requestTimeoutSeconds
  it.each(rows(
    ["threads", ({ access }) => access.threads, ["", 16], ["-rpcthreads=0", 1], ["-rpcthreads=3", 3]],
    [
      "calls at once",
      workQueue,
      ["", 80],
      ["-rpcthreads=3 -rpcworkqueue=5", 8],
      ["-rpcthreads=0 -rpcworkqueue=0", 2],
      ["-rpcworkqueue=1000000", 100_000]
    ],
    ["seconds of a call", timeout, ["", 30], ["-rpcservertimeout=1", 1], ["-rpcservertimeout=0", 86_400], [
      "-rpcservertimeout=-1",
      86_400
    ], ["-rpcservertimeout=86401", 86_400]],
    ["a server", ({ access }) => access.isServing, ["", true], ["-server=0", false]],
    ["REST", ({ access }) => access.hasRest, ["", false], ["-rest", true]],
    ["a check of answers", ({ access }) => access.checksAnswers, ["", false], ["-rpcdoccheck", true]],
    ["readers of the cookie", ({ access }) => access.cookie?.mode, ["", 0o600], ["-rpccookieperms=owner", 0o600], [
      "-rpccookieperms=group",
      0o640
    ], ["-rpccookieperms=all", 0o644]],
    ["a whitelist by default", ({ config }) => config.rpc.credentials.whitelistDefault, ["", undefined], [
      "-rpcwhitelistdefault=0",
      false
    ], ["-rpcwhitelistdefault", true]],
    [
      "a whitelist given twice",
      ({ config }) => config.rpc.credentials.whitelist,
      ["-rpcwhitelist=a:help,stop -rpcwhitelist=a:stop,uptime", { a: ["stop"] }],
      ["-rpcwhitelist=a", { a: [] }]
    ],
    ["limits of a caller", ({ config }) => config.rpc.limits.rates.address, ["", { burst: 0, rate: 0 }]],
    ["limits of a user", ({ config }) => config.rpc.limits.rates.user, ["", { burst: 0, rate: 0 }]],
    ["refusals after wrong credentials", ({ config }) => config.rpc.limits.rates.failures, ["", 0]]
  ))("%s: with the words %j", (_, words, of, value) => holds(words, of, value))

  it("has the places that are bound, where subnets are allowed", () => {
    const placesOf = (...words: ReadonlyArray<string>) => {
      const { access, config } = plan(...words)
      return [config.rpc.bind, ...access.moreBinds].map(({ host, port }) => `${host} ${port}`)
    }
    const own = ["127.0.0.1 18443", "::1 18443"]
    assert.deepStrictEqual(placesOf(), own)
    assert.deepStrictEqual(placesOf("-rpcbind=127.0.0.3"), own)
    assert.deepStrictEqual(placesOf("-rpcallowip=10.0.0.0/8"), own)
    const allowed = ["-rpcallowip=10.0.0.0/8", "-rpcport=5"]
    assert.deepStrictEqual(placesOf(...allowed, "-rpcbind=127.0.0.3", "-rpcbind=[::1]:7"), ["127.0.0.3 5", "::1 7"])
    const notices = (...words: ReadonlyArray<string>) => plan(...words).notices.join("\n")
    assert.include(notices("-rpcallowip=10.0.0.0/8"), "Option -rpcallowip was specified without -rpcbind")
    assert.notInclude(notices(...allowed, "-rpcbind=127.0.0.3"), "Option -rpc")
    assert.include(notices("-rpcbind=127.0.0.3"), "Option -rpcbind was ignored because -rpcallowip was not specified")
  })
})

describe("the storage that options amount to", () => {
  it.each(rows(
    ["a cache in MiB", ({ config }) => config.storage.dbcacheMegabytes, ["", 1_024], ["-dbcache=1", 4], [
      "-dbcache=131073",
      131_072
    ], ["-dbcache=450", 450]],
    ["script workers", ({ config }) => config.validation.scriptWorkers, ["", 4], ["-par=3", 3], ["-par=-1", 3], [
      "-par=-9",
      1
    ], ["-par=17", 16]],
    [
      "bytes for scripts that hold",
      ({ storage }) => storage.scriptCacheBytes,
      ["", 16 * MEBIBYTE],
      ["-maxsigcachesize=0", 0],
      ["-maxsigcachesize=-1", 0],
      ["-maxsigcachesize=1", MEBIBYTE / 2],
      ["-maxsigcachesize=2049", 1_024 * MEBIBYTE]
    ],
    [
      "pruning",
      ({ config }) => config.storage.pruning._tag,
      ["", "Disabled"],
      ["-prune=0", "Disabled"],
      ["-prune=1", "Manual"],
      ["-prune=550", "TargetSize"]
    ],
    [
      "indexes",
      ({ config: { storage } }) => [
        storage.transactionIndex,
        storage.spenderIndex,
        storage.blockFilterIndex,
        storage.coinStatisticsIndex
      ],
      ["", [false, false, false, false]],
      ["-txindex", [true, false, false, false]],
      ["-txospenderindex", [false, true, false, false]],
      ["-blockfilterindex", [false, false, true, false]],
      ["-blockfilterindex=basic", [false, false, true, false]],
      ["-blockfilterindex=0", [false, false, false, false]],
      ["-noblockfilterindex", [false, false, false, false]],
      ["-coinstatsindex", [false, false, false, true]]
    ],
    [
      "filters for peers",
      ({ config }) => config.peers.servesBlockFilters,
      ["", false],
      [
        "-blockfilterindex -peerblockfilters",
        true
      ],
      ["-blockfilterindex", false],
      ["-blockfilterindex -peerblockfilters=0", false]
    ],
    [
      "an assumed-valid block",
      ({ config }) => config.validation.assumedValid,
      ["", { _tag: "NetworkDefault" }],
      ["-assumevalid=0", { _tag: "Nothing" }],
      ["-assumevalid=0x0A", { _tag: "Block", hash: "a".padStart(64, "0") }],
      [`-assumevalid=${"f".repeat(64)}`, { _tag: "Block", hash: "f".repeat(64) }]
    ],
    [
      "a rebuild",
      ({ storage }) => [storage.rebuild, storage.rebuildsCoins],
      ["", [false, false]],
      ["-reindex", [true, false]],
      ["-reindex-chainstate", [false, true]],
      ["-reindex -reindex-chainstate", [true, false]]
    ],
    ["block files", ({ storage: { blockFileBytes, isXored, load } }) => [blockFileBytes, isXored, load], ["", [
      undefined,
      true,
      []
    ]], ["-fastprune -blocksxor=0 -loadblock=a -loadblock=b", [65_536, false, ["a", "b"]]]]
  ))("%s: with the words %j", (_, words, of, value) => holds(words, of, value))

  it.each([
    [4_096, 1_024, []],
    [4_095, 450, []],
    [2_047, 450, []],
    [1_024, 450, []]
  ])("of a machine with %d MiB has a cache of %d MiB, which is no risk", (memory, cache, warnings) => {
    const made = onMachineOf(memory)
    assert.deepStrictEqual([made.config.storage.dbcacheMegabytes, made.warnings], [cache, warnings])
  })

  it.each([[2_047, 450, 451], [2_048, 1_536, 1_537], [8_192, 6_144, 6_145]])(
    "of a machine with %d MiB has no risk in a cache of %d MiB, and a warning for one of %d",
    (memory, safe, large) => {
      assert.deepStrictEqual(onMachineOf(memory, `-dbcache=${safe}`).warnings, [])
      assert.deepStrictEqual(onMachineOf(memory, `-dbcache=${large}`).warnings, [
        `A ${large} MiB dbcache may be too large for a system memory of only ${memory} MiB.`
      ])
    }
  )
})

describe("the process and the log that options amount to", () => {
  it.each(rows(
    [
      "the background",
      ({ process }) => process.daemon,
      ["", "no"],
      ["-daemon", "at once"],
      [
        "-daemonwait",
        "when started"
      ],
      ["-daemon -daemonwait", "when started"],
      ["-daemonwait=0 -daemon", "at once"]
    ],
    ["a height to stop at", ({ process }) => process.stopAtHeight, ["", 0], ["-stopatheight=9", 9], [
      "-stopatheight=-9",
      0
    ]],
    [
      "a check of blocks",
      ({ process }) => process.check,
      ["", { blocks: 6, level: 3 }],
      ["-checkblocks=0 -checklevel=0", { blocks: 0, level: 0 }],
      ["-checkblocks=-1 -checklevel=5", { blocks: 0, level: 4 }]
    ],
    [
      "commands",
      ({ process: { alertNotify, blockNotify, shutdownNotify, startupNotify } }) => [
        alertNotify,
        blockNotify,
        startupNotify,
        shutdownNotify
      ],
      ["", [undefined, undefined, undefined, []]],
      ["-alertnotify=a -blocknotify=b -startupnotify=c -shutdownnotify=d -shutdownnotify=e", ["a", "b", "c", [
        "d",
        "e"
      ]]],
      ["-noalertnotify -blocknotify= -nostartupnotify -shutdownnotify=0", [undefined, undefined, undefined, []]]
    ],
    ["an end after an import", ({ process }) => process.stopAfterImport, ["", false], ["-stopafterblockimport", true]],
    ["a rebuild after a failure", ({ process }) => process.rebuildsAfterFailure, ["", false], [
      "-test=reindex_after_failure_noninteractive_yes",
      true
    ]],
    ["a console", ({ log }) => log.toConsole, ["", true], ["-daemon", false], ["-daemonwait", false], [
      "-daemon -printtoconsole",
      true
    ], ["-printtoconsole=0", false]],
    [
      "what lines show",
      ({ log }) => [
        log.showsIps,
        log.showsThreads,
        log.showsTime,
        log.showsMicroseconds,
        log.showsLevels,
        log.showsSources
      ],
      ["", [false, false, true, false, false, false]],
      ["-logips -logthreadnames -logtimestamps=0 -logtimemicros -loglevelalways -logsourcelocations", [
        true,
        true,
        false,
        true,
        true,
        true
      ]]
    ],
    ["a limit of lines", ({ log }) => log.isLimited, ["", true], ["-logratelimit=0", false]],
    ["a cut of the file", ({ log }) => log.shrinks, ["", true], ["-debug=net", false], ["-shrinkdebugfile=0", false], [
      "-debug=net -shrinkdebugfile",
      true
    ]],
    ["lines of templates and kept messages", ({ log }) => [log.printsPriority, log.capturesMessages], ["", [
      false,
      false
    ]], ["-printpriority -capturemessages", [true, true]]],
    [
      "categories",
      ({ log }) => [...log.categories].toSorted(),
      ["", []],
      ["-debug=net -debug=rpc", ["net", "rpc"]],
      ["-debug=net -debug=none -debug=rpc", ["rpc"]],
      ["-debug=net -debug=0", []],
      ["-debug=net -debug=rpc -debugexclude=net", ["rpc"]]
    ],
    ["no file", ({ log }) => log.file, ["-nodebuglogfile", undefined]]
  ))("%s: with the words %j", (_, words, of, value) => holds(words, of, value))
})
