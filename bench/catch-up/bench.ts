import { join } from "node:path"
import { freePort, type RunningNode } from "../../node/test/process/node-process.ts"
import type { BenchRun, BenchSettings } from "../bench.ts"
import { median } from "../measure.ts"
import { inTemporaryDirectory } from "../node/temporary-directory.ts"
import type { Row } from "../row.ts"
import { startBenchNode, stopBenchNode } from "../rpc/bench-node.ts"
import { asOperator } from "../sync/as-operator.ts"
import { catchUpTargets, ROW } from "./targets.ts"

/** Blocks of nothing but a coinbase: what is measured is what each of them costs beside its transactions. */
const BLOCKS = 2_100
const PATIENCE_MILLISECONDS = 300_000
const DAY = 24 * 60 * 60
const ADDRESS = "bcrt1q3zcr7kzscwrlj88gzrqwfwj356wehgxzyh40gc"

interface Server {
  readonly node: RunningNode
  readonly port: number
  readonly directory: string
}

/** A node that has the chain. `age`: how old its blocks are, in seconds. */
const serve = async (directory: string, age: number): Promise<Server> => {
  const port = await freePort()
  const node = await startBenchNode(directory, ["--listen-addr", `127.0.0.1:${port}`])
  const call = (method: string, ...params: ReadonlyArray<unknown>) => asOperator(node.port, directory, method, params)
  if (age > 0) await call("setmocktime", Math.floor(Date.now() / 1_000) - age)
  await call("generatetoaddress", BLOCKS, ADDRESS)
  if (age > 0) await call("setmocktime", 0)
  return { node, port, directory }
}

/** How long a node that has the first block takes to get all others, in seconds. */
const catchUp = (server: Server, expectsDownload: boolean): Promise<number> =>
  inTemporaryDirectory(async (empty) => {
    const directory = join(empty, "data")
    const node = await startBenchNode(directory, ["--listen-addr", "127.0.0.1:0"])
    try {
      const call = (method: string, ...params: ReadonlyArray<unknown>) =>
        asOperator(node.port, directory, method, params)
      const first = await asOperator(server.node.port, server.directory, "getblockhash", [1])
      await call("submitblock", await asOperator(server.node.port, server.directory, "getblock", [first, 0]))
      const { initialblockdownload: isDownload } = await call("getblockchaininfo") as {
        readonly initialblockdownload: boolean
      }
      if (isDownload !== expectsDownload) {
        throw new Error(`the node says that it is ${isDownload ? "" : "not "}in the initial block download`)
      }
      const start = performance.now()
      await call("addnode", `127.0.0.1:${server.port}`, "add")
      const reached = await call("waitforblockheight", BLOCKS, PATIENCE_MILLISECONDS) as { readonly height: number }
      if (reached.height < BLOCKS) {
        throw new Error(`the node is not in sync after ${PATIENCE_MILLISECONDS / 1_000} s:\n${node.stdout()}`)
      }
      return (performance.now() - start) / 1_000
    } finally {
      await stopBenchNode(node)
    }
  })

interface Round {
  readonly inside: number
  readonly outside: number
}

const rounds = ({ effort: { runs }, onStep }: BenchSettings): Promise<ReadonlyArray<Round>> =>
  inTemporaryDirectory(async (directory) => {
    onStep(`mining ${BLOCKS.toLocaleString("en-US")} blocks`)
    const old = await serve(join(directory, "old"), 3 * DAY)
    const recent = await serve(join(directory, "recent"), 0)
    const found: Array<Round> = []
    try {
      for (let run = 1; run <= runs; run++) {
        onStep(`catching up, ${run} of ${runs}`)
        found.push({ inside: await catchUp(old, true), outside: await catchUp(recent, false) })
      }
    } finally {
      await stopBenchNode(old.node)
      await stopBenchNode(recent.node)
    }
    return found
  })

/** Two nodes on one machine: many small blocks over a real socket, in the initial block download and out of it. */
export const catchUpBench = async (settings: BenchSettings): Promise<BenchRun> => {
  const provider = settings.providers[0]!.name
  const found = await rounds(settings)
  const middle = (figure: (round: Round) => number): number => median(found.map(figure))
  const rows: ReadonlyArray<Row> = [
    { name: ROW.INSIDE, provider, value: middle(({ inside }) => inside), unit: "s" },
    {
      name: ROW.OUTSIDE,
      provider,
      value: middle(({ outside }) => outside),
      unit: "s",
      ratio: middle(({ inside, outside }) => outside / inside),
      to: ROW.INSIDE
    }
  ]
  return { rows, targets: catchUpTargets(rows), second: "by the clock" }
}
