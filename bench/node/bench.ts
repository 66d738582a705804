import { join } from "node:path"
import type { BenchRun, BenchSettings } from "../bench.ts"
import { median } from "../measure.ts"
import type { Row } from "../row.ts"
import { start } from "../start/operator-start.ts"
import { asOperator } from "../sync/as-operator.ts"
import { BENCH_CHAIN, benchChainFile } from "./bench-chain.ts"
import type { GenerateAsked } from "./generate-program.ts"
import type { HeadersAsked } from "./headers-program.ts"
import type { ImportAsked, ImportFigures } from "./import-program.ts"
import { inChild } from "./in-child.ts"
import { type RawRate, rawTeam } from "./raw-signatures.ts"
import type { StopAsked, StopFigures } from "./stop-program.ts"
import { nodeTargets, ROW, stopRow } from "./targets.ts"
import { inTemporaryDirectory } from "./temporary-directory.ts"

/** Threads that judge scripts: the import is measured where there are as many processors. */
const WORKERS = 2
const RAW_MILLISECONDS = 1_500
const MEBIBYTE = 1024 * 1024
const HEADERS = 100_000
const BLOCKS = 1_000

/** An import with all signatures, and the raw rate right before and after it. */
interface Round {
  readonly raw: RawRate
  /** The same where keys that were parsed are kept, as the import keeps them. */
  readonly rawKept: RawRate
  readonly checked: ImportFigures
  readonly assumed: ImportFigures
}

const meanOf = (a: RawRate, b: RawRate): RawRate => ({
  perSecond: (a.perSecond + b.perSecond) / 2,
  processorSecondsEach: (a.processorSecondsEach + b.processorSecondsEach) / 2
})

const rounds = async (
  chain: string,
  provider: string,
  runs: number,
  onStep: (step: string) => void
): Promise<ReadonlyArray<Round>> => {
  const team = await rawTeam(WORKERS, { provider, chain })
  const importOf = (assumedValid: boolean) =>
    inChild<ImportFigures>("import-program.ts", { chain, scriptWorkers: WORKERS, assumedValid } satisfies ImportAsked)
  const found: Array<Round> = []
  for (let run = 1; run <= runs; run++) {
    onStep(`importing the chain, ${run} of ${runs}`)
    const both = async () =>
      [await team.measure(RAW_MILLISECONDS, "bytes"), await team.measure(RAW_MILLISECONDS, "kept")] as const
    const before = await both()
    const checked = await importOf(false)
    const after = await both()
    const [raw, rawKept] = [meanOf(before[0], after[0]), meanOf(before[1], after[1])]
    found.push({ raw, rawKept, checked, assumed: await importOf(true) })
  }
  await team.stop()
  return found
}

const importRows = (found: ReadonlyArray<Round>, provider: string): ReadonlyArray<Row> => {
  const { inputs } = BENCH_CHAIN
  const middle = (figure: (round: Round) => number): number => median(found.map(figure))
  const row = (name: string, value: number, unit: string, compared: Partial<Row> = {}): Row => ({
    name,
    provider,
    value,
    unit,
    ...compared
  })
  return [
    row(ROW.RAW, middle(({ raw }) => raw.perSecond), "/s"),
    row(ROW.RAW_KEPT, middle(({ rawKept }) => rawKept.perSecond), "/s"),
    row(ROW.CHECKED, middle(({ checked }) => inputs / checked.seconds), "inputs/s", {
      ratio: middle(({ checked, raw }) => inputs / checked.seconds / raw.perSecond),
      to: "raw signatures"
    }),
    row(ROW.CHECKED_KEPT, middle(({ checked }) => inputs / checked.seconds), "inputs/s", {
      ratio: middle(({ checked, rawKept }) => inputs / checked.seconds / rawKept.perSecond),
      to: "raw signatures, keys kept"
    }),
    row(ROW.CHECKED_PROCESSOR, middle(({ checked }) => checked.processorSeconds), "s", {
      ratio: middle(({ checked, raw }) => inputs * raw.processorSecondsEach / checked.processorSeconds),
      to: "raw signatures of it"
    }),
    row(ROW.CHECKED_MEMORY, middle(({ checked }) => checked.memory) / MEBIBYTE, "MiB"),
    row(ROW.ASSUMED, middle(({ assumed }) => inputs / assumed.seconds), "inputs/s"),
    row(ROW.ASSUMED_PROCESSOR, middle(({ assumed }) => assumed.processorSeconds), "s", {
      ratio: middle(({ assumed, raw }) => assumed.processorSeconds / (inputs * raw.processorSecondsEach)),
      to: "raw signatures"
    }),
    row(ROW.ASSUMED_MEMORY, middle(({ assumed }) => assumed.memory) / MEBIBYTE, "MiB")
  ]
}

/** Starts a node as an operator does; answers the seconds until the chain can be asked. */
const restartSeconds = async (directory: string): Promise<number> => {
  const { ready } = await start(directory, {}, async (port) => {
    const { headers } = await asOperator(port, directory, "getblockchaininfo", []) as { readonly headers: number }
    if (headers !== HEADERS) throw new Error(`after the restart there are ${headers} headers of ${HEADERS}`)
  })
  return ready
}

const restartRows = (provider: string): Promise<ReadonlyArray<Row>> =>
  inTemporaryDirectory(async (directory) => {
    const asked: HeadersAsked = { directory: join(directory, "regtest"), count: HEADERS }
    const taken = await inChild<number>("headers-program.ts", asked)
    // The first start may build and compile.
    await restartSeconds(directory)
    const restarts: Array<number> = []
    for (let i = 0; i < 3; i++) restarts.push(await restartSeconds(directory))
    return [
      { name: ROW.HEADERS, provider, value: HEADERS / taken, unit: "/s" },
      { name: ROW.RESTART, provider, value: median(restarts), unit: "s" }
    ]
  })

const STORES = ["heed3", "leveldb"] as const

const stopRows = (
  backend: StopAsked["backend"],
  provider: string,
  { bytes, changes, seconds }: StopFigures
): ReadonlyArray<Row> => {
  const name = stopRow(backend)
  return [
    { name, provider, value: seconds, unit: "s" },
    { name: `${name}: written`, provider, value: changes, unit: "coins" },
    { name: `${name}: cache`, provider, value: bytes / MEBIBYTE, unit: "MiB" }
  ]
}

/** The engine on a real disk: import, memory, restart, mining, stop. */
export const nodeBench = async ({ chain, effort, onStep, providers }: BenchSettings): Promise<BenchRun> => {
  const file = benchChainFile(chain ?? process.env["LOCKSTEP_BENCH_CHAIN"])
  const provider = providers[0]!.name
  const found = await rounds(file, provider, effort.runs, onStep)
  const rows: Array<Row> = [...importRows(found, provider)]
  onStep(`restarting on ${HEADERS.toLocaleString("en-US")} headers`)
  rows.push(...await restartRows(provider))
  onStep(`generating ${BLOCKS.toLocaleString("en-US")} blocks`)
  const generated = await inChild<number>("generate-program.ts", { blocks: BLOCKS } satisfies GenerateAsked)
  rows.push({ name: ROW.GENERATE, provider, value: generated, unit: "s" })
  for (const backend of STORES) {
    onStep(`stopping with a full cache on ${backend}`)
    rows.push(
      ...stopRows(backend, provider, await inChild<StopFigures>("stop-program.ts", { backend } satisfies StopAsked))
    )
  }
  return { rows, targets: nodeTargets(rows), second: "by the clock unless it says of processors" }
}
