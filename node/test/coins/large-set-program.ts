import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { nobleCrypto } from "@lockstep/kernel/noble"
import type { CoinCache } from "../../src/coins/coin-cache.ts"
import { makeCoinCache } from "../../src/coins/make-coin-cache.ts"
import { walkSet } from "../../src/coins/set-walk.ts"
import type { KeyValueStore } from "../../src/storage/key-value/key-value-store.ts"
import { openLevelStore } from "../../src/storage/key-value/level-store.ts"
import { openLmdbStore } from "../../src/storage/key-value/lmdb-store.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { outPointOf, overlayOf, randomBelow } from "./synthetic-coins.ts"

/** What the program is given, as JSON. */
export interface LargeSetAsked {
  readonly engine: "heed3" | "leveldb"
  readonly coins: number
  readonly dbcacheBytes: number
}

/** What the program prints, as JSON. */
export interface LargeSetFigures {
  /** Coins put into an empty store, by the second, commits included. */
  readonly created: number
  /** Spent and created again, by the second, look-ups and commits included. */
  readonly replaced: number
  /** Coins asked for by the second, of those in memory and of those only in the store. */
  readonly found: { readonly inMemory: number; readonly inStore: number }
  readonly commits: { readonly number: number; readonly longest: number; readonly changesPerSecond: number }
  readonly walk: number
  readonly sizeOnDisk: number
  readonly heap: number
  readonly cache: number
  /** Memory of the process that is no page of a file. */
  readonly memory: number
}

/** As large blocks have them. */
const PER_BLOCK = 5_000
const LOOKED_AT = 200_000

interface Run {
  readonly cache: CoinCache
  readonly store: KeyValueStore
  readonly commits: Array<{ readonly changes: number; readonly seconds: number }>
  heap: number
}

const secondsSince = (start: number): number => (performance.now() - start) / 1_000

const anonymousMemory = (): number => {
  const [, kibibytes] = /^RssAnon:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8")) ?? []
  return kibibytes === undefined ? process.memoryUsage().rss : Number(kibibytes) * 1_024
}

const commit = (run: Run) =>
  Effect.gen(function*() {
    const start = performance.now()
    const changes = run.cache.changes()
    yield* run.store.write(run.cache.writeChanges)
    run.cache.committed()
    run.commits.push({ changes, seconds: secondsSince(start) })
  })

const numbers = (from: number, count: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, i) => from + i)

const block = (run: Run, spent: ReadonlyArray<number>, created: ReadonlyArray<number>) =>
  Effect.gen(function*() {
    yield* run.cache.prefetchCoins([...spent, ...created].map(outPointOf))
    run.cache.apply(overlayOf(run.cache, spent, created))
    run.heap = Math.max(run.heap, process.memoryUsage().heapUsed)
    if (run.cache.isFull()) yield* commit(run)
  })

/** Creates all coins; answers how many a second. */
const create = (run: Run, coins: number) =>
  Effect.gen(function*() {
    const start = performance.now()
    for (let at = 0; at < coins; at += PER_BLOCK) yield* block(run, [], numbers(at, Math.min(PER_BLOCK, coins - at)))
    yield* commit(run)
    return coins / secondsSince(start)
  })

/** Spends coins from all over the set and creates as many; answers how many a second. */
const replace = (run: Run, coins: number) =>
  Effect.gen(function*() {
    const start = performance.now()
    const count = coins / 5
    for (let done = 0; done < count; done += PER_BLOCK) {
      const spent = [...new Set(numbers(done, PER_BLOCK).map((at) => randomBelow(coins, at)))]
      yield* block(run, spent, numbers(coins + done, PER_BLOCK))
    }
    yield* commit(run)
    return count / secondsSince(start)
  })

const find = ({ cache }: Run, coins: number) =>
  Effect.gen(function*() {
    const wanted = numbers(0, LOOKED_AT).map((at) => outPointOf(randomBelow(coins, at + 0x1000_0000)))
    const before = cache.statistics().misses
    const asked = performance.now()
    for (let at = 0; at < wanted.length; at += PER_BLOCK) yield* cache.prefetchCoins(wanted.slice(at, at + PER_BLOCK))
    const inStore = (cache.statistics().misses - before) / secondsSince(asked)
    const start = performance.now()
    for (const outpoint of wanted) cache.coinAt(outpoint)
    return { inMemory: wanted.length / secondsSince(start), inStore }
  })

const walk = ({ store }: Run) =>
  Effect.scoped(Effect.gen(function*() {
    const snapshot = yield* Effect.acquireRelease(store.snapshot, ({ close }) => close)
    const start = performance.now()
    const { coins } = yield* walkSet(snapshot, { hashType: "none", crypto: nobleCrypto })
    return coins / secondsSince(start)
  }))

const figures = ({ coins, dbcacheBytes, engine }: LargeSetAsked) =>
  Effect.gen(function*() {
    const directory = yield* temporaryDirectory
    const store = yield* engine === "heed3" ? openLmdbStore(directory) : openLevelStore(directory)
    const cache = yield* makeCoinCache(store, { dbcacheBytes })
    const run: Run = { cache, store, commits: [], heap: 0 }
    const created = yield* create(run, coins)
    const replaced = yield* replace(run, coins)
    const found = yield* find(run, coins)
    const seconds = run.commits.map((each) => each.seconds)
    const changes = run.commits.reduce((sum, each) => sum + each.changes, 0)
    const answer: LargeSetFigures = {
      created,
      replaced,
      found,
      commits: {
        number: seconds.length,
        longest: Math.max(...seconds),
        changesPerSecond: changes / seconds.reduce((sum, each) => sum + each, 0)
      },
      heap: run.heap,
      cache: cache.bytes(),
      memory: anonymousMemory(),
      walk: yield* walk(run),
      sizeOnDisk: yield* store.sizeOnDisk
    }
    yield* store.close
    return answer
  })

const asked = JSON.parse(process.argv[2]!) as LargeSetAsked
process.stdout.write(JSON.stringify(await Effect.runPromise(Effect.scoped(figures(asked)))))
