import { join } from "node:path"
import { freePort, type RunningNode } from "../../node/test/process/node-process.ts"
import type { BenchRun, BenchSettings } from "../bench.ts"
import { median } from "../measure.ts"
import { BENCH_CHAIN, benchChainFile } from "../node/bench-chain.ts"
import { type RawRate, rawTeam } from "../node/raw-signatures.ts"
import { inTemporaryDirectory } from "../node/temporary-directory.ts"
import type { Row } from "../row.ts"
import { importInto, startBenchNode, stopBenchNode, TOKEN } from "../rpc/bench-node.ts"
import { asOperator } from "./as-operator.ts"
import { p99, probe } from "./probe.ts"
import { processFigures } from "./process-figures.ts"
import { expectSynced, expectTransport, untilHeight } from "./synced.ts"
import { ROW, syncTargets } from "./targets.ts"
import { transportsBench } from "./transports.ts"

/** Threads that judge scripts: the sync is measured where there are as many processors. */
const WORKERS = 2
const RAW_MILLISECONDS = 1_500
const MEBIBYTE = 1024 * 1024
/** The calls take time of the processors that are measured. */
const PAUSE_MILLISECONDS = 100

interface SyncFigures {
  readonly seconds: number
  readonly processorSeconds: number
  readonly serving: number
  readonly memory: number
  readonly live: number
  readonly rpc: number
}

interface Round {
  readonly raw: RawRate
  readonly sync: SyncFigures
  /** The same over the v1 transport. */
  readonly plain: SyncFigures
}

/** One node that has the chain, one that has nothing: how long until both have it. */
const syncOnce = (server: RunningNode, port: number, isV2: boolean): Promise<SyncFigures> =>
  inTemporaryDirectory(async (empty) => {
    const directory = join(empty, "data")
    const node = await startBenchNode(directory, [
      "--listen-addr",
      "127.0.0.1:0",
      "--set",
      `validation.script_workers=${WORKERS}`,
      "--set",
      `connections.v2_transport=${isV2}`
    ])
    try {
      const before = processFigures(node.pid)
      const served = processFigures(server.pid).processorSeconds
      const url = `http://127.0.0.1:${node.port}`
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getblockcount" })
      const live = probe({ url: `${url}/health/live`, pause: PAUSE_MILLISECONDS })
      const rpc = probe({ url: `${url}/`, body, token: TOKEN, pause: PAUSE_MILLISECONDS })
      const start = performance.now()
      await asOperator(node.port, directory, "addnode", [`127.0.0.1:${port}`, "add"])
      await untilHeight(node, directory, BENCH_CHAIN.height)
      const seconds = (performance.now() - start) / 1_000
      const after = processFigures(node.pid)
      const [lives, rpcs] = [await live.stop(), await rpc.stop()]
      await expectSynced(node)
      await expectTransport(server, isV2 ? "v2" : "v1")
      return {
        seconds,
        processorSeconds: after.processorSeconds - before.processorSeconds,
        serving: processFigures(server.pid).processorSeconds - served,
        memory: after.memory,
        live: p99(lives),
        rpc: p99(rpcs)
      }
    } finally {
      await stopBenchNode(node)
    }
  })

const rounds = (settings: BenchSettings, chain: string): Promise<ReadonlyArray<Round>> =>
  inTemporaryDirectory(async (directory) => {
    const { effort: { runs }, onStep, providers } = settings
    onStep("importing the chain into the node that serves")
    await importInto(directory, chain)
    const port = await freePort()
    const server = await startBenchNode(directory, ["--listen-addr", `127.0.0.1:${port}`])
    const team = await rawTeam(WORKERS, { provider: providers[0]!.name, chain })
    const found: Array<Round> = []
    try {
      for (let run = 1; run <= runs; run++) {
        onStep(`syncing, ${run} of ${runs}`)
        const before = await team.measure(RAW_MILLISECONDS, "bytes")
        // In turns, so that what else the machine does reaches both alike.
        const first = await syncOnce(server, port, run % 2 === 1)
        const second = await syncOnce(server, port, run % 2 === 0)
        const [sync, plain] = run % 2 === 1 ? [first, second] : [second, first]
        const after = await team.measure(RAW_MILLISECONDS, "bytes")
        const raw = {
          perSecond: (before.perSecond + after.perSecond) / 2,
          processorSecondsEach: (before.processorSecondsEach + after.processorSecondsEach) / 2
        }
        found.push({ raw, sync, plain })
      }
    } finally {
      await team.stop()
      await stopBenchNode(server)
    }
    return found
  })

/** Two nodes on one machine: full sync over a real socket, with all signatures, while a client asks for its health. */
export const syncBench = async (settings: BenchSettings): Promise<BenchRun> => {
  if (settings.transports.length > 0) return transportsBench(settings)
  const provider = settings.providers[0]!.name
  const { inputs } = BENCH_CHAIN
  const found = await rounds(settings, benchChainFile(settings.chain ?? process.env["LOCKSTEP_BENCH_CHAIN"]))
  const middle = (figure: (round: Round) => number): number => median(found.map(figure))
  const row = (name: string, value: number, unit: string, compared: Partial<Row> = {}): Row => ({
    name,
    provider,
    value,
    unit,
    ...compared
  })
  const rows = [
    row(ROW.RAW, middle(({ raw }) => raw.perSecond), "/s"),
    row(ROW.SYNC, middle(({ sync }) => inputs / sync.seconds), "inputs/s", {
      ratio: middle(({ raw, sync }) => inputs / sync.seconds / raw.perSecond),
      to: "raw signatures"
    }),
    row(ROW.V1, middle(({ plain }) => inputs / plain.seconds), "inputs/s"),
    row(ROW.V2, middle(({ sync }) => inputs / sync.seconds), "inputs/s", {
      ratio: middle(({ plain, sync }) => plain.seconds / sync.seconds),
      to: "sync over v1"
    }),
    row(ROW.V2_PROCESSOR, middle(({ sync }) => sync.processorSeconds + sync.serving), "s", {
      ratio: middle(({ plain, sync }) =>
        (plain.processorSeconds + plain.serving) / (sync.processorSeconds + sync.serving)
      ),
      to: "over v1"
    }),
    row(ROW.PROCESSOR, middle(({ sync }) => sync.processorSeconds), "s", {
      ratio: middle(({ raw, sync }) => inputs * raw.processorSecondsEach / sync.processorSeconds),
      to: "raw signatures of it"
    }),
    row(ROW.SERVING, middle(({ sync }) => sync.serving), "s"),
    row(ROW.MEMORY, middle(({ sync }) => sync.memory) / MEBIBYTE, "MiB"),
    row(ROW.LIVE_P99, middle(({ sync }) => sync.live), "ms"),
    row(ROW.RPC_P99, middle(({ sync }) => sync.rpc), "ms")
  ]
  return { rows, targets: syncTargets(rows), second: "by the clock unless it says of processors" }
}
