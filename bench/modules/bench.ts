import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { serveModules } from "../../node/test/modules/serve-for-bench.ts"
import type { BenchRun, BenchSettings } from "../bench.ts"
import { median } from "../measure.ts"
import { inChild } from "../node/in-child.ts"
import { inTemporaryDirectory } from "../node/temporary-directory.ts"
import type { Row } from "../row.ts"
import type { AskedOfFanOut, FanOut } from "../../node/test/modules/fan-out-for-bench.ts"
import { mainThreadDuringSync } from "./during-sync.ts"
import type { AskedOfModule } from "./module-program.ts"
import { moduleTargets, ROW } from "./targets.ts"

const BLOCK_BYTES = 4_000_000
const PROVIDER = "a module in a process of its own"

const MODULES = 20

const READERS = fileURLToPath(new URL("fan-out-readers.ts", import.meta.url))

/** Milliseconds of the main thread for the events of a block, beyond those that it takes without modules. */
const fanOut = async ({ effort: { runs }, onStep, quick }: BenchSettings, directory: string): Promise<Row> => {
  const blocks = quick ? 100 : 500
  const program = new URL("fan-out-program.ts", import.meta.url)
  const micros = async (modules: number): Promise<number> => {
    const path = join(directory, `fan-out-${modules}.sock`)
    const { dropped, micros: spent } = await inChild<FanOut>(
      program,
      { path, readers: READERS, modules, blocks } satisfies AskedOfFanOut
    )
    if (dropped > 0) throw new Error(`${dropped} events were dropped: the machine is too busy to judge`)
    return spent
  }
  const figures: Array<number> = []
  for (let run = 0; run < runs; run++) {
    onStep(`events for ${MODULES} modules, run ${run + 1} of ${runs}`)
    figures.push(await micros(MODULES) - await micros(0))
  }
  return {
    name: ROW.FAN_OUT,
    provider: "real sockets, one process that reads",
    value: median(figures) / blocks / 1_000,
    unit: "ms"
  }
}

/** Requests of a module in a process of its own, over a real socket, by the clock. */
export const modulesBench = (settings: BenchSettings): Promise<BenchRun> =>
  inTemporaryDirectory(async (directory) => {
    const { effort: { runs }, onStep, quick } = settings
    const chain = settings.chain ?? process.env["LOCKSTEP_BENCH_CHAIN"]
    const path = join(directory, "module.sock")
    const stop = await serveModules(path, new Uint8Array(BLOCK_BYTES).fill(7))
    /** Milliseconds of each run. */
    const ask = async (asked: Omit<AskedOfModule, "path">): Promise<ReadonlyArray<number>> => {
      const figures: Array<number> = []
      for (let run = 0; run < runs; run++) {
        onStep(`${asked.request}, run ${run + 1} of ${runs}`)
        figures.push(await inChild<number>(new URL("module-program.ts", import.meta.url), { ...asked, path }))
      }
      return figures
    }
    const perSecond = async (name: string, request: AskedOfModule["request"]): Promise<Row> => {
      const count = quick ? 5_000 : 50_000
      const spent = median(await ask({ request, count, underWay: 64 }))
      return { name, provider: PROVIDER, value: 1_000 * count / spent, unit: "/s" }
    }
    try {
      const blocks = quick ? 5 : 50
      const rows: ReadonlyArray<Row> = [
        await perSecond(ROW.REQUESTS, "GetBlockHeight"),
        await perSecond(ROW.WAITED, "GetChainTip"),
        {
          name: ROW.BLOCK,
          provider: PROVIDER,
          value: median(await ask({ request: "GetBlock", count: blocks, underWay: 1 })) / blocks,
          unit: "ms"
        },
        await fanOut(settings, directory),
        ...chain === undefined ? [] : [await mainThreadDuringSync(settings, chain)]
      ]
      return { rows, targets: moduleTargets(rows), second: "by the clock" }
    } finally {
      stop()
    }
  })
