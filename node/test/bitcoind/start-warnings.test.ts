import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { nativeHashes } from "@lockstep/crypto/hash/native-hashes.ts"
import * as Result from "effect/Result"
import { existsSync, mkdirSync, readFileSync, statfsSync } from "node:fs"
import { join } from "node:path"
import { planOf } from "../../src/bitcoind/plan/plan.ts"
import { openFileLimit } from "../../src/bitcoind/process/open-file-limit.ts"
import { diskWarning } from "../../src/bitcoind/run/disk-warning.ts"
import { startLines } from "../../src/bitcoind/run/start-lines.ts"
import { patience } from "../process/patience.ts"
import { makePlace } from "./bitcoind-process.ts"
import { type Home, makeHome } from "./given.ts"

let home: Home
beforeEach(() => void (home = makeHome()))
afterEach(() => home.remove())

const GIGABYTES_FREE = 100

describe("a start warns", () => {
  const warning = (height: number, ...words: ReadonlyArray<string>): string | undefined =>
    diskWarning(Result.getOrThrow(home.plan(...words)), height, () => GIGABYTES_FREE * 2 ** 30)

  it("of a disk that is too small for the chain, on its first run alone", () => {
    assert.strictEqual(
      warning(0, "-chain=main"),
      `Disk space for "${
        join(home.base, "blocks")
      }" may not accommodate the block files. Approximately 810 GB of data will be stored in this directory.`
    )
    assert.isDefined(warning(1, "-chain=main", "-prune=1"))
    assert.isUndefined(warning(2, "-chain=main"))
    assert.isUndefined(warning(0, "-chain=main", "-prune=550"))
    assert.isUndefined(warning(0, "-chain=main", "-reindex"))
    assert.isUndefined(warning(0, "-chain=main", "-reindex-chainstate"))
    assert.isUndefined(warning(0, "-signet"))
    assert.isUndefined(warning(0, "-regtest"))
  })

  it("of a disk by the byte: what the chain or the limit of its files takes, and 50 MiB for all else", () => {
    const isWarned = (free: number, ...words: ReadonlyArray<string>): boolean =>
      diskWarning(Result.getOrThrow(home.plan(...words)), 0, () => free) !== undefined
    const [GIBIBYTE, MEBIBYTE] = [2 ** 30, 2 ** 20]
    for (
      const [needed, ...words] of [
        [810 * GIBIBYTE, "-chain=main"],
        [22 * GIBIBYTE, "-testnet4"],
        [550 * MEBIBYTE, "-prune=550"],
        [0, "-regtest"]
      ] as const
    ) {
      const least = needed + 50 * MEBIBYTE
      assert.deepStrictEqual([isWarned(least - 1, ...words), isWarned(least, ...words)], [true, false], words.join())
    }
    const { bavail, bsize } = statfsSync(home.base)
    const plan = Result.getOrThrow(home.plan("-regtest", `-blocksdir=${home.base}`))
    mkdirSync(plan.storage.blocks, { recursive: true })
    assert.strictEqual(diskWarning(plan, 0) === undefined, bavail * bsize >= 50 * MEBIBYTE)
  })

  it("of fewer connections where the system has few files for them, and refuses where it has too few", () => {
    const plan = (descriptors: number, ...words: ReadonlyArray<string>) =>
      planOf(Result.getOrThrow(home.read("-regtest", ...words)), { ...home.machine, descriptors })
    const some = Result.getOrThrow(plan(260, "-bind=127.0.0.1", "-bind=127.0.0.2"))
    assert.deepInclude(some.warnings, "Reducing -maxconnections from 125 to 99, because of system limitations.")
    assert.strictEqual(some.config.peers.maximum, 99)
    const enough = Result.getOrThrow(plan(285))
    assert.deepStrictEqual([enough.warnings, enough.config.peers.maximum], [[], 125])
    const none = plan(159)
    assert.deepInclude(
      Result.isFailure(none) ? none.failure.problems : [],
      "Not enough file descriptors available. 159 available, 160 required."
    )
    assert.isAbove(openFileLimit(), 0)
  })

  it("of a data directory that is relative", () => {
    const { notices } = Result.getOrThrow(home.plan("-regtest", "-datadir=.bitcoin"))
    assert.match(
      notices.join(),
      /^Relative datadir option '\.bitcoin' specified, .*This is fragile, because if bitcoin/
    )
    assert.notMatch(Result.getOrThrow(home.plan("-regtest")).notices.join(), /Relative datadir/)
  })
})

describe("the log begins with", () => {
  it("kept settings that are not known too, and how many connections there can be", () => {
    home.write("regtest/settings.json", JSON.stringify({ string: "text", dbcache: 8, rpcuser: "me", list: [6, 7] }))
    const lines = startLines(
      Result.getOrThrow(home.read("-regtest")),
      Result.getOrThrow(home.plan("-regtest")),
      home.machine
    )
    assert.deepStrictEqual(lines.filter((line) => line.startsWith("Setting file arg: ")), [
      "Setting file arg: dbcache = 8",
      "Setting file arg: list = [6,7]",
      "Setting file arg: rpcuser = ****",
      "Setting file arg: string = \"text\""
    ])
    assert.include(lines, `Using the '${nativeHashes().detail}' SHA256 implementation`)
    assert.include(lines, "Using at most 125 automatic connections (1024 file descriptors available)")
    const saved = JSON.parse(readFileSync(join(home.base, "regtest", "settings.json"), "utf8")) as object
    assert.include(Object.values(saved)[0], "This file is automatically generated and updated by Bitcoin Core.")
  })

  it("values of its files by name, those outside of sections first, and then those of the command line", () => {
    home.write("bitcoin.conf", "par=2\nblocksonly=1\n[regtest]\npar=1\n")
    const words = ["-regtest", "-rpcuser=me", "-par=3", "-par=4"]
    const lines = startLines(
      Result.getOrThrow(home.read(...words)),
      Result.getOrThrow(home.plan(...words)),
      home.machine
    )
    assert.deepStrictEqual(lines.filter((line) => / arg: /.test(line)), [
      "Config file arg: blocksonly=\"1\"",
      "Config file arg: par=\"2\"",
      "Config file arg: [regtest] par=\"1\"",
      "Command-line arg: par=\"3\"",
      "Command-line arg: par=\"4\"",
      "Command-line arg: regtest=\"\"",
      "Command-line arg: rpcuser=****"
    ])
  })

  it("where fees are not known from the last run, in a directory in which tools find the block index", async () => {
    const place = await makePlace()
    const node = place.start()
    await place.ready()
    await place.call("stop")
    const { exitCode, stderr } = await node.ended
    assert.deepStrictEqual([exitCode, stderr], [0, ""])
    assert.include(place.debugLog(), `${join(place.directory, "fee_estimates.dat")} is not found. Continue anyway.`)
    assert.isTrue(existsSync(join(place.directory, "blocks", "index")))
    place.remove()
  }, patience(60_000))
})
