import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { chainSteps } from "../../src/bitcoind/run/chain-steps.ts"
import type { Chain } from "../../src/engine-client/chain.ts"
import type { VerifyLimit } from "../../src/maintenance/verify-chain.ts"
import { type Home, makeHome } from "./given.ts"

let home: Home
beforeEach(() => void (home = makeHome()))
afterEach(() => home.remove())

const INDEXES = [
  { name: "txindex", synced: true, bestBlockHeight: 10, lacksBlocks: false },
  { name: "txospenderindex", synced: true, bestBlockHeight: 10, lacksBlocks: false },
  { name: "coinstatsindex", synced: false, bestBlockHeight: 4, lacksBlocks: false }
]

interface Given {
  readonly indexes?: typeof INDEXES
  readonly isSound?: boolean
  readonly limit?: VerifyLimit
}

/** A chain of ten blocks, of which the given calls are noted. */
const startWith = Effect.fnUntraced(function*(
  { indexes = INDEXES, isSound = true, limit }: Given,
  ...words: ReadonlyArray<string>
) {
  const calls: Array<unknown> = []
  const lines: Array<string> = []
  const state = {
    hash: new Uint8Array(32),
    height: 10,
    headersHeight: 10,
    progress: 1,
    loadingBlocks: false,
    time: 0
  }
  const call = (name: string, params: unknown) =>
    Effect.sync(() =>
      name === "indexes"
        ? indexes
        : (calls.push(params), { valid: isSound, problem: undefined, isSound, limit, transactions: 12 })
    )
  const chain = { state: () => state, call } as unknown as Chain["Service"]
  const plan = Result.getOrThrow(home.plan("-regtest", ...words))
  const failure = yield* Effect.flip(
    chainSteps(plan, chain, {
      say: (line) => void lines.push(line),
      warn: (line) => void lines.push(line),
      write: ({ text }) => void lines.push(text)
    })
  ).pipe(
    Effect.catch(() => Effect.undefined)
  )
  return { calls, failure: failure?._tag === "EngineFailure" ? failure.message : undefined, lines }
})

const start = (isSound: boolean, ...words: ReadonlyArray<string>) => startWith({ isSound }, ...words)

describe("a start checks the last blocks", () => {
  it.effect("as many and as thoroughly as -checkblocks and -checklevel say", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* start(true)).calls, [{ level: 3, blocks: 6 }])
      const { calls, lines } = yield* start(true, "-checkblocks=0", "-checklevel=9")
      assert.deepStrictEqual(calls, [{ level: 4, blocks: 10 }])
      assert.include(lines, "Verifying last 10 blocks at level 4")
      assert.include(lines, "Verification: No coin database inconsistencies in last 10 blocks (12 transactions)")
    }))

  it.effect("and goes on where the blocks below are not on disk, or memory for coins ends, and says so", () =>
    Effect.gen(function*() {
      const pruned = yield* startWith({ limit: { what: "no block data", height: 4 } })
      assert.include(
        pruned.lines,
        "Block verification stopping at height 4 (no data). This could be due to pruning or use of an assumeutxo snapshot."
      )
      const small = yield* startWith({ limit: { what: "memory" } })
      assert.include(
        small.lines,
        "Skipped verification of level >=3 (insufficient database cache size). Consider increasing -dbcache."
      )
      for (const { failure, lines } of [pruned, small]) {
        assert.isUndefined(failure)
        assert.include(lines, "Verification: No coin database inconsistencies in last 6 blocks (12 transactions)")
      }
    }))

  it.effect("and does not go on with damaged ones", () =>
    Effect.gen(function*() {
      const { failure, lines } = yield* start(false)
      assert.match(failure ?? "", /^Corrupted block database detected\.\nPlease restart with -reindex/)
      assert.notInclude(lines, "initload thread start")
      assert.include(lines, "Verification error: unknown")
    }))
})

describe("a start says", () => {
  it.effect("that an index needs blocks that are pruned, and does not go on", () =>
    Effect.gen(function*() {
      const indexes = [{ name: "coinstatsindex", synced: false, bestBlockHeight: 4, lacksBlocks: true }]
      const { failure, lines } = yield* startWith({ indexes }, "-prune=1", "-coinstatsindex")
      assert.match(
        failure ?? "",
        /^coinstatsindex best block of the index goes beyond pruned data \(including undo data\)\. /
      )
      assert.notInclude(lines, "coinstatsidx thread start")
    }))

  it.effect("first what is wrong with the index that Bitcoin Core starts first", () =>
    Effect.gen(function*() {
      const behind = [
        { name: "coinstatsindex", synced: false, bestBlockHeight: 3, lacksBlocks: true },
        { name: "basic block filter index", synced: false, bestBlockHeight: 3, lacksBlocks: true }
      ]
      const { failure } = yield* startWith({ indexes: behind }, "-prune=1", "-coinstatsindex", "-blockfilterindex")
      assert.match(failure ?? "", /^basic block filter index best block of the index goes beyond pruned data/)
    }))

  it.effect("how far the indexes are that are switched on", () =>
    Effect.gen(function*() {
      const { lines } = yield* start(true, "-txindex", "-txospenderindex", "-coinstatsindex")
      assert.deepStrictEqual(lines.slice(lines.indexOf("initload thread start") + 1, -2), [
        "txidx thread start",
        "txindex is enabled at height 10",
        "txidx thread exit",
        "txospenderidx thread start",
        "txospenderindex is enabled at height 10",
        "txospenderidx thread exit",
        "coinstatsidx thread start",
        "Syncing coinstatsindex with block chain from height 4",
        "initload thread exit"
      ])
      assert.notInclude((yield* start(true)).lines, "txidx thread start")
    }))

  it.effect.each([
    ["-txindex", "txidx thread start"],
    ["-txospenderindex", "txospenderidx thread start"],
    ["-blockfilterindex", "blkfltbscidx thread start"],
    ["-coinstatsindex", "coinstatsidx thread start"]
  ])("how far the index of %s is, also where it is the only one", ([word, line]) =>
    Effect.gen(function*() {
      const all = [...INDEXES, {
        name: "basic block filter index",
        synced: true,
        bestBlockHeight: 1,
        lacksBlocks: false
      }]
      assert.include((yield* startWith({ indexes: all }, word!)).lines, line)
    }))

  it.effect("which indexes it opens, and which it makes anew", () =>
    Effect.gen(function*() {
      const opened = (lines: ReadonlyArray<string>) =>
        lines.filter((line) => line.includes(" LevelDB in ")).map((line) => line.replace(/ in \S*\/regtest\//, " in "))
      const all = ["-txindex", "-txospenderindex", "-coinstatsindex", "-blockfilterindex"]
      const usual = yield* start(true, ...all)
      const places = ["txindex", "txospenderindex/db", "blockfilter/basic/db", "coinstatsindex/db"]
      assert.deepStrictEqual(opened(usual.lines), places.map((each) => `Opening LevelDB in indexes/${each}`))
      const { lines } = yield* start(true, "-coinstatsindex", "-reindex")
      assert.deepStrictEqual(opened(lines), [
        "Opening LevelDB in indexes/coinstatsindex/db",
        "Wiping LevelDB in indexes/coinstatsindex/db"
      ])
    }))
})
