import { connect } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import { freePort, spawnNode } from "../../node/test/process/node-process.ts"
import { asOperator } from "../sync/as-operator.ts"
import { processFigures } from "../sync/process-figures.ts"

const LOOK_AGAIN_MILLISECONDS = 2
/** Seconds. */
const PATIENCE = 60

/** A start in figures; times in seconds, memory in bytes. */
export interface Start {
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

/** Environment of a start from the sources, without the build that the launcher keeps. */
export const SOURCES = { LOCKSTEP_SOURCES: "1" }

/** Starts a node on `directory` as an operator does, does `work` while it runs, and stops it. */
export const start = async (
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
