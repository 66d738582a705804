import { join } from "node:path"
import type { BenchRun, BenchSettings } from "../bench.ts"
import { median } from "../measure.ts"
import { inTemporaryDirectory } from "../node/temporary-directory.ts"
import type { Row } from "../row.ts"
import { asOperator } from "../sync/as-operator.ts"
import { SOURCES, type Start, start } from "./operator-start.ts"
import { ROW, startTargets } from "./targets.ts"

const BLOCKS = 100
const ADDRESS = "bcrt1q3zcr7kzscwrlj88gzrqwfwj356wehgxzyh40gc"
const rounds = ({ effort: { runs }, onStep }: BenchSettings) =>
  inTemporaryDirectory(async (empty) => {
    const directory = join(empty, "data")
    onStep(`mining ${BLOCKS} blocks`)
    const mine = (port: number) => asOperator(port, directory, "generatetoaddress", [BLOCKS, ADDRESS])
    await start(directory, SOURCES, mine)
    const found: Array<{ readonly built: Start; readonly sources: Start }> = []
    // The first start of each kind compiles, and keeps what it compiled.
    for (let run = 0; run <= runs; run++) {
      onStep(run === 0 ? "starting once" : `starting, ${run} of ${runs}`)
      const round = { built: await start(directory, {}), sources: await start(directory, SOURCES) }
      if (run > 0) found.push(round)
    }
    return found
  })

/** Starts on a short chain: of the build that the launcher keeps, in turns with those of the sources. */
export const startBench = async (settings: BenchSettings): Promise<BenchRun> => {
  const provider = settings.providers[0]!.name
  const found = await rounds(settings)
  const rowsOf = (name: string, figure: keyof Start, unit: string, scale = 1): ReadonlyArray<Row> => {
    const built = median(found.map((round) => round.built[figure])) / scale
    const sources = median(found.map((round) => round.sources[figure])) / scale
    const from = `${name}, from the sources`
    return [
      { name, provider, value: built, unit, ratio: built / sources, to: from },
      { name: from, provider, value: sources, unit }
    ]
  }
  const rows = [
    ...rowsOf(ROW.LISTENS, "listens", "s"),
    ...rowsOf(ROW.READY, "ready", "s"),
    ...rowsOf(ROW.PROCESSORS, "processors", "s"),
    ...rowsOf(ROW.MEMORY, "memory", "MiB", 1_048_576)
  ]
  return { rows, targets: startTargets(rows), second: "by the clock" }
}
