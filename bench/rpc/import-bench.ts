import { copyFileSync, linkSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import type { RunningNode } from "../../node/test/process/node-process.ts"
import type { Row } from "../row.ts"
import { median } from "../measure.ts"
import { BENCH_CHAIN } from "../node/bench-chain.ts"
import { inTemporaryDirectory } from "../node/temporary-directory.ts"
import { type BareServer, startBareServer } from "./bare-server.ts"
import { startBenchNode, stopBenchNode, TOKEN } from "./bench-node.ts"
import { ROW } from "./targets.ts"
import { load, type LoadFigures } from "./wrk.ts"

interface Asked {
  /** The file of blocks. */
  readonly chain: string
  readonly provider: string
  readonly runs: number
  readonly onStep: (step: string) => void
}

/** From here on every block of the chain is full of signatures. */
const SIGNED = 310
const SECONDS = 4

/** About as often as monitoring asks a node: it is not what makes the node slow. */
const CONNECTIONS = 8
const PAUSE_MS = 10

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

const heightOf = async (node: RunningNode): Promise<number> => Number(await node.client.call("getblockcount"))

interface Round {
  /** What a server takes that has nothing else to do than the machine has. */
  readonly bare: LoadFigures
  readonly live: LoadFigures
  readonly count: LoadFigures
  readonly blocksPerSecond: number
}

const measured = async (node: RunningNode, bare: BareServer): Promise<Round> => {
  while (await heightOf(node) < SIGNED) await pause(20)
  const [before, start] = [await heightOf(node), performance.now()]
  const asked = { connections: CONNECTIONS, seconds: SECONDS, pause: PAUSE_MS }
  const url = `http://127.0.0.1:${node.port}`
  const [besides, live, count] = await Promise.all([
    load({ ...asked, url: `${bare.url}/`, body: "{}" }),
    load({ ...asked, url: `${url}/health/live` }),
    load({
      ...asked,
      url: `${url}/`,
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getblockcount" }),
      token: TOKEN
    })
  ])
  const after = await heightOf(node)
  if (after >= BENCH_CHAIN.height) throw new Error(`the import was over before ${SECONDS} seconds were`)
  return { bare: besides, live, count, blocksPerSecond: (after - before) / (performance.now() - start) * 1_000 }
}

/** A node that finds Bitcoin Core's block files reads them in place, as fast as it can, while it serves. */
const round = (chain: string): Promise<Round> =>
  inTemporaryDirectory(async (directory) => {
    const blocks = join(directory, "reference")
    mkdirSync(blocks)
    const file = join(blocks, "blk00000.dat")
    try {
      linkSync(chain, file)
    } catch {
      copyFileSync(chain, file)
    }
    const node = await startBenchNode(join(directory, "data"), ["--set", `storage.core_blocks_dir=${blocks}`])
    const bare = await startBareServer({ answer: "{}" })
    try {
      return await measured(node, bare)
    } finally {
      await bare.stop()
      await stopBenchNode(node)
    }
  })

/** How long answers take while the node imports at full speed. */
export const importRows = async ({ chain, onStep, provider, runs }: Asked): Promise<ReadonlyArray<Row>> => {
  const rounds: Array<Round> = []
  for (let run = 1; run <= runs; run++) {
    onStep(`asking while the chain is imported, ${run} of ${runs}`)
    rounds.push(await round(chain))
  }
  const middle = (figure: (round: Round) => number): number => median(rounds.map(figure))
  return [
    { name: ROW.BARE_P99, provider, value: middle(({ bare }) => bare.p99), unit: "ms" },
    { name: ROW.LIVE_P99, provider, value: middle(({ live }) => live.p99), unit: "ms" },
    { name: ROW.IMPORT_P99, provider, value: middle(({ count }) => count.p99), unit: "ms" },
    { name: ROW.IMPORT_BLOCKS, provider, value: middle(({ blocksPerSecond }) => blocksPerSecond), unit: "blocks/s" }
  ]
}
