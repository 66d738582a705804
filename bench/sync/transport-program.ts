import { join } from "node:path"
import { freePort, type RunningNode } from "../../node/test/process/node-process.ts"
import { BENCH_CHAIN } from "../node/bench-chain.ts"
import { answerParent } from "../node/in-child.ts"
import { inTemporaryDirectory } from "../node/temporary-directory.ts"
import { startBenchNode, stopBenchNode } from "../rpc/bench-node.ts"
import { asOperator } from "./as-operator.ts"
import { processFigures } from "./process-figures.ts"
import { expectSynced, expectTransport, untilHeight } from "./synced.ts"
import type { TransportName } from "./transport-names.ts"

export interface TransportAsked {
  /** Data directory of the node that has the chain. */
  readonly directory: string
  readonly transport: TransportName
}

export interface TransportFigures {
  readonly seconds: number
  /** Of both nodes. */
  readonly processorSeconds: number
}

interface Listening {
  readonly transports: ReadonlyArray<{ readonly name: string; readonly listening: ReadonlyArray<string> }>
}

const setting = (key: string, value: string): ReadonlyArray<string> => ["--set", `${key}=${value}`]

const SERVER: Readonly<Record<TransportName, ReadonlyArray<string>>> = {
  v1: setting("transport_preference", "tcponly"),
  v2: setting("transport_preference", "tcponly"),
  quic: setting("transport_preference", "quinnonly"),
  iroh: setting("transport_preference", "irohonly")
}

const CLIENT: Readonly<Record<TransportName, ReadonlyArray<string>>> = {
  ...SERVER,
  v1: [...SERVER.v1, ...setting("connections.v2_transport", "false")]
}

const addressOf = async (server: RunningNode, port: number, transport: TransportName): Promise<string> => {
  if (transport === "v1" || transport === "v2") return `127.0.0.1:${port}`
  const { transports } = await server.client.call("getnetworkinfo") as Listening
  return transports.find(({ name }) => name === transport)!.listening[0]!
}

const syncOver = (server: RunningNode, port: number, transport: TransportName): Promise<TransportFigures> =>
  inTemporaryDirectory(async (empty) => {
    const directory = join(empty, "data")
    const address = await addressOf(server, port, transport)
    const own = await freePort()
    const node = await startBenchNode(directory, ["--listen-addr", `127.0.0.1:${own}`, ...CLIENT[transport]])
    try {
      const spent = () => processFigures(node.pid).processorSeconds + processFigures(server.pid).processorSeconds
      const before = spent()
      const start = performance.now()
      await asOperator(node.port, directory, "addnode", [address, "add"])
      await untilHeight(node, directory, BENCH_CHAIN.height)
      const seconds = (performance.now() - start) / 1_000
      const processorSeconds = spent() - before
      await expectSynced(node)
      await expectTransport(server, transport)
      return { seconds, processorSeconds }
    } finally {
      await stopBenchNode(node)
    }
  })

/** Lets an empty node sync from one that has the chain. */
await answerParent(async ({ directory, transport }: TransportAsked): Promise<TransportFigures> => {
  const port = await freePort()
  const server = await startBenchNode(directory, ["--listen-addr", `127.0.0.1:${port}`, ...SERVER[transport]])
  try {
    await expectSynced(server)
    return await syncOver(server, port, transport)
  } finally {
    await stopBenchNode(server)
  }
})
