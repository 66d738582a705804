import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { configWith } from "../../node/test/process/config-with.ts"
import { freePort, type RunningNode } from "../../node/test/process/node-process.ts"
import { untilHolds } from "../../node/test/modules/escape/module-node.ts"
import { MODULE_SOURCE } from "../../node/test/modules/lifecycle/module-program.ts"
import { MODULE_EVENT_TYPES, type ModuleEventType } from "../../protocol/src/module-ipc/index.ts"
import type { BenchSettings } from "../bench.ts"
import { median } from "../measure.ts"
import { BENCH_CHAIN, benchChainFile } from "../node/bench-chain.ts"
import { inTemporaryDirectory } from "../node/temporary-directory.ts"
import type { Row } from "../row.ts"
import { importInto, startBenchNode, stopBenchNode, TOKEN } from "../rpc/bench-node.ts"
import { asOperator } from "../sync/as-operator.ts"
import { untilHeight } from "../sync/synced.ts"
import { mainThreadSeconds } from "../sync/process-figures.ts"
import { ROW } from "./targets.ts"

const MODULES = 20

/** What the modules subscribe to. */
const TYPES: ReadonlyArray<ModuleEventType> = [
  "NewBlock",
  "BlockValidationStarted",
  "BlockValidationCompleted",
  "UTXOValidationStarted",
  "UTXOValidationCompleted"
]

/** Reads what it is sent, and does nothing with it. */
const PROGRAM = `${MODULE_SOURCE}
handshake()
subscribe(${TYPES.map((type) => MODULE_EVENT_TYPES.indexOf(type)).join()})
`

/** Puts so many modules into a directory. */
const installReaders = (directory: string, count: number): void => {
  mkdirSync(directory)
  for (let i = 0; i < count; i++) {
    const name = `reader-${i}`
    const place = join(directory, name)
    mkdirSync(place)
    writeFileSync(join(place, "run"), PROGRAM, { mode: 0o755 })
    writeFileSync(
      join(place, "module.toml"),
      `name = "${name}"\nversion = "0.1.0"\ndescription = ""\nentry_point = "run"\ncapabilities = ["subscribe_events"]\n`
    )
  }
}

/** What `listmodules` says of a module. */
interface Listed {
  readonly status: string
  readonly events: { readonly delivered: number; readonly dropped: number }
}

const listed = async (node: RunningNode, directory: string): Promise<ReadonlyArray<Listed>> =>
  await asOperator(node.port, directory, "listmodules", []) as ReadonlyArray<Listed>

/** That each module runs; at the end, that each had every event. */
const expectModules = async (
  node: RunningNode,
  directory: string,
  modules: number,
  events: number
): Promise<void> => {
  const all = await listed(node, directory)
  const well = all.filter(({ events: { delivered, dropped }, status }) =>
    status === "loaded" && delivered >= events && dropped === 0
  )
  if (all.length !== modules || well.length !== modules) {
    throw new Error(`of ${modules} modules ${well.length} run and had all events:\n${JSON.stringify(all)}`)
  }
}

/** Processor seconds of the main thread, and seconds by the clock. */
interface SyncWithModules {
  readonly main: number
  readonly seconds: number
}

const syncOnce = (port: number, modules: number): Promise<SyncWithModules> =>
  inTemporaryDirectory(async (empty) => {
    const [directory, config] = [join(empty, "data"), join(empty, "node.toml")]
    installReaders(join(empty, "m"), modules)
    writeFileSync(
      config,
      configWith(
        TOKEN,
        `[modules]\nenabled = true\nmodules_dir = "${join(empty, "m")}"\nsocket_dir = "${join(empty, "s")}"`
      )
    )
    const node = await startBenchNode(directory, ["--config", config, "--listen-addr", "127.0.0.1:0"])
    try {
      await untilHolds(() => node.stdout().includes("Component startup complete"), node.stdout)
      await expectModules(node, directory, modules, 0)
      const [before, start] = [mainThreadSeconds(node.pid), performance.now()]
      await asOperator(node.port, directory, "addnode", [`127.0.0.1:${port}`, "add"])
      await untilHeight(node, directory, BENCH_CHAIN.height)
      const figures = { main: mainThreadSeconds(node.pid) - before, seconds: (performance.now() - start) / 1_000 }
      await expectModules(node, directory, modules, TYPES.length * BENCH_CHAIN.height)
      return figures
    } finally {
      await stopBenchNode(node)
    }
  })

/** The main thread while the bench chain is synced from another node, with modules that subscribe and without any. */
export const mainThreadDuringSync = (settings: BenchSettings, chain: string): Promise<Row> =>
  inTemporaryDirectory(async (directory) => {
    const { effort: { runs }, onStep } = settings
    const file = benchChainFile(chain)
    onStep("importing the chain into the node that serves")
    await importInto(directory, file)
    const port = await freePort()
    const server = await startBenchNode(directory, ["--listen-addr", `127.0.0.1:${port}`])
    const pairs: Array<readonly [SyncWithModules, SyncWithModules]> = []
    try {
      for (let run = 1; run <= runs; run++) {
        onStep(`syncing with ${MODULES} modules and without, ${run} of ${runs}`)
        // In turns, so that what else the machine does reaches both alike.
        const isFirst = run % 2 === 1
        const first = await syncOnce(port, isFirst ? MODULES : 0)
        const second = await syncOnce(port, isFirst ? 0 : MODULES)
        pairs.push(isFirst ? [first, second] : [second, first])
      }
    } finally {
      await stopBenchNode(server)
    }
    return {
      name: ROW.DURING_SYNC,
      provider: `${MODULES} processes that read`,
      value: median(pairs.map(([{ main, seconds }, without]) => 100 * (main - without.main) / seconds)),
      unit: "%",
      ratio: median(pairs.map(([{ main }, without]) => main / without.main)),
      to: "without modules"
    }
  })
