import * as Effect from "effect/Effect"
import { makeCoinCache } from "../../src/coins/make-coin-cache.ts"
import { openLmdbStore } from "../../src/storage/key-value/lmdb-store.ts"
import { openLevelStore } from "../../src/storage/key-value/level-store.ts"
import { outPointOf, overlayOf, randomBelow } from "./synthetic-coins.ts"
import { mkdtempSync, rmSync } from "node:fs"
const engine = process.argv[2]
const COINS = 5_000_000
const dir = mkdtempSync("/tmp/lockstep-stop-")
const run = Effect.gen(function*() {
  const store = yield* (engine === "heed3" ? openLmdbStore : openLevelStore)(dir)
  const cache = yield* makeCoinCache(store, { dbcacheBytes: 450 * 1048576 })
  const commits: Array<string> = []
  const commit = Effect.gen(function*() {
    const changes = cache.changes(); const c = process.cpuUsage(); const t = performance.now()
    yield* store.write(cache.writeChanges); cache.committed()
    const u = process.cpuUsage(c)
    console.log(engine, "changes", changes, "wall", ((performance.now() - t) / 1000).toFixed(2), "user", (u.user / 1e6).toFixed(2), "sys", (u.system / 1e6).toFixed(2), "MiB", (cache.bytes() / 1048576).toFixed(0))
  })
  const n = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i)
  for (let at = 0; at < COINS; at += 5000) {
    const made = n(at, 5000)
    yield* cache.gather(made.map(outPointOf)); cache.apply(overlayOf(cache, [], made))
    if (cache.isFull()) yield* commit
  }
  yield* commit
  console.log("set made")
  let full = 0
  for (let at = COINS; full < 2; at += 2500) {
    const spent = [...new Set(Array.from({ length: 2500 }, (_, i) => randomBelow(COINS, at + i)))].filter((x) => cache.coinAt(outPointOf(x)) !== undefined || true)
    const made = n(at, 2500)
    yield* cache.gather([...spent, ...made].map(outPointOf))
    const there = spent.filter((x) => cache.coinAt(outPointOf(x)) !== undefined)
    cache.apply(overlayOf(cache, there, made))
    if (cache.isFull()) { full++; yield* commit }
  }
  yield* store.close
})
await Effect.runPromise(run)
rmSync(dir, { recursive: true })
process.kill(process.pid, "SIGKILL")
