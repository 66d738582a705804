import type { LargeSetAsked, LargeSetFigures } from "../../node/test/coins/large-set-program.ts"
import type { BenchRun, BenchSettings } from "../bench.ts"
import { inChild } from "../node/in-child.ts"
import type { Row } from "../row.ts"

/** Where the node's own packages are found. */
const PROGRAM = new URL("../../node/test/coins/large-set-program.ts", import.meta.url)

const ENGINES = ["heed3", "leveldb"] as const
const COINS = 5_000_000
const QUICK_COINS = 500_000
const MEBIBYTE = 1024 * 1024
const DBCACHE_MEBIBYTES = 450
const HEAP_LIMIT_MEBIBYTES = 300

const HEAP = "most of the heap"

const rowsOf = (engine: string, figures: LargeSetFigures): ReadonlyArray<Row> => {
  const row = (name: string, value: number, unit: string): Row => ({ name, provider: engine, value, unit })
  const { commits, found } = figures
  return [
    row("coins created in an empty store", figures.created, "/s"),
    row("coins spent and created all over the set", figures.replaced, "/s"),
    row("changes written", commits.changesPerSecond, "/s"),
    row("commits", commits.number, ""),
    row("commit, longest", commits.longest, "s"),
    row("coins found in memory", found.inMemory, "/s"),
    row("coins found in the store", found.inStore, "/s"),
    row("walk over all coins", figures.walk, "/s"),
    row("size on disk", figures.sizeOnDisk / MEBIBYTE, "MiB"),
    row("coins in memory", figures.cache / MEBIBYTE, "MiB"),
    row("memory without pages of files", figures.memory / MEBIBYTE, "MiB"),
    row(HEAP, figures.heap / MEBIBYTE, "MiB")
  ]
}

/** A set of coins many times the size of the cache, on each engine: the heap must not know how large it is. */
export const coinsBench = async ({ onStep, quick }: BenchSettings): Promise<BenchRun> => {
  const coins = quick ? QUICK_COINS : COINS
  const dbcacheBytes = DBCACHE_MEBIBYTES * MEBIBYTE * coins / COINS
  const rows: Array<Row> = []
  for (const engine of ENGINES) {
    onStep(`${coins.toLocaleString("en-US")} coins on ${engine}`)
    const asked: LargeSetAsked = { engine, coins, dbcacheBytes }
    rows.push(...rowsOf(engine, await inChild<LargeSetFigures>(PROGRAM, asked)))
  }
  const targets = ENGINES.map((engine) => ({
    name: `heap with ${coins.toLocaleString("en-US")} coins on ${engine}, MiB`,
    bound: "at most" as const,
    limit: HEAP_LIMIT_MEBIBYTES,
    ratio: rows.find(({ name, provider }) => name === HEAP && provider === engine)?.value,
    missing: "it was not measured"
  }))
  return { rows, targets, second: "by the clock" }
}
