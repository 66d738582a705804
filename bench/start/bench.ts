import { connect } from "node:net"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { freePort, spawnNode } from "../../node/test/process/node-process.ts"
import type { BenchRun, BenchSettings } from "../bench.ts"
import { median } from "../measure.ts"
import { inTemporaryDirectory } from "../node/temporary-directory.ts"
import type { Row } from "../row.ts"
import { asOperator } from "../sync/as-operator.ts"
import { processFigures } from "../sync/process-figures.ts"
import { ROW, startTargets } from "./targets.ts"

const BLOCKS = 100
const ADDRESS = "bcrt1q3zcr7kzscwrlj88gzrqwfwj356wehgxzyh40gc"
const LOOK_AGAIN_MILLISECONDS = 2
/** Seconds. */
const PATIENCE = 60

/** A start in figures; times in seconds, memory in bytes. */
interface Start {
  readonly listens: number
  readonly ready: number
  readonly processors: number
  readonly memory: number
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    const end = (answer: boolean): void => {
      socket.destroy()
      resolve(answer)
    }
    socket.once("connect", () => end(true))
    socket.once("error", () => end(false))
  })

const knowsChain = (port: number, directory: string): Promise<boolean> =>
  asOperator(port, directory, "getblockchaininfo", []).then(() => true, () => false)

/** Starts a node on `directory`, does `work` while it runs, and stops it. */
const start = async (
  directory: string,
  env: Readonly<Record<string, string>>,
  work: (port: number) => Promise<unknown> = () => Promise.resolve()
): Promise<Start> => {
  const port = await freePort()
  const began = performance.now()
  const seconds = (): number => (performance.now() - began) / 1_000
  const args = ["start", "--network", "regtest", "--data-dir", directory, "--rpc-addr", `127.0.0.1:${port}`]
  const node = spawnNode([...args, "--listen-addr", "127.0.0.1:0", "--set", "transport_preference=tcponly"], env)
  try {
    const until = async (holds: () => Promise<boolean>): Promise<number> => {
      while (!await holds()) {
        if (seconds() > PATIENCE) throw new Error(`the node does not start:\n${node.stdout()}${node.stderr()}`)
        await pause(LOOK_AGAIN_MILLISECONDS)
      }
      return seconds()
    }
    const listens = await until(() => isOpen(port))
    const ready = await until(() => knowsChain(port, directory))
    const { memory, processorSeconds: processors } = processFigures(node.pid)
    await work(port)
    return { listens, ready, processors, memory }
  } finally {
    node.signal("SIGTERM")
    await node.ended
  }
}

const SOURCES = { LOCKSTEP_SOURCES: "1" }

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
