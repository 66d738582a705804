import { join } from "node:path"
import { serveModules } from "../../node/test/modules/serve-for-bench.ts"
import type { BenchRun, BenchSettings } from "../bench.ts"
import { median } from "../measure.ts"
import { inChild } from "../node/in-child.ts"
import { inTemporaryDirectory } from "../node/temporary-directory.ts"
import type { Row } from "../row.ts"
import type { AskedOfModule } from "./module-program.ts"
import { moduleTargets, ROW } from "./targets.ts"

const BLOCK_BYTES = 4_000_000
const PROVIDER = "a module in a process of its own"

/** Requests of a module in a process of its own, over a real socket, by the clock. */
export const modulesBench = ({ effort: { runs }, onStep, quick }: BenchSettings): Promise<BenchRun> =>
  inTemporaryDirectory(async (directory) => {
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
        }
      ]
      return { rows, targets: moduleTargets(rows), second: "by the clock" }
    } finally {
      stop()
    }
  })
