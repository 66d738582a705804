import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:net"
import { delimiter, dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { type RpcClient, rpcClient, RpcFailure } from "./rpc-client.ts"
import { patience } from "./patience.ts"
import { endsWithTests } from "./ends-with-tests.ts"

const LAUNCHER = fileURLToPath(new URL("../../bin/node", import.meta.url))

const LOWEST_PORT = 20_000
const PORTS = 12_000

/** For processes with a home of their own: here the node is built once, and not for each of them. */
export const CACHE = fileURLToPath(new URL("../../../.cache", import.meta.url))

/** How a process ended, and what it had said. */
export interface Ending {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** A node as an operator runs it: its own process, real sockets, real files. */
export interface NodeProcess {
  readonly pid: number
  readonly stdout: () => string
  readonly stderr: () => string
  readonly signal: (signal: NodeJS.Signals) => void
  readonly ended: Promise<Ending>
}

/**
 * Unless a test says otherwise, other nodes may connect from this machine alone, at a port that the system chooses, and
 * the node makes no connection of itself: peers of a test may announce addresses all over the world.
 */
const NEARBY = { NODE_LISTEN_ADDR: "127.0.0.1:0", NODE_NETWORK_TARGET_PEER_COUNT: "0", LOCKSTEP_COMMAND: "lockstep" }

/** The launcher takes the first Node.js on its path: the one that runs the tests. */
export const PATH_WITH_NODE = `${dirname(process.execPath)}${delimiter}${process.env["PATH"]}`

/** Starts `node/bin/node` with these arguments. */
export const spawnNode = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}): NodeProcess => {
  const surroundings = { ...NEARBY, ...process.env, PATH: PATH_WITH_NODE, ...env }
  const child = endsWithTests(spawn(LAUNCHER, args, { env: surroundings, stdio: ["ignore", "pipe", "pipe"] }))
  let stdout = ""
  let stderr = ""
  child.stdout.on("data", (chunk: Buffer) => void (stdout += chunk.toString("utf8")))
  child.stderr.on("data", (chunk: Buffer) => void (stderr += chunk.toString("utf8")))
  const ended = once(child, "close").then(([exitCode, signal]): Ending => {
    return { exitCode: exitCode as number | null, signal: signal as NodeJS.Signals | null, stdout, stderr }
  })
  return {
    pid: child.pid!,
    stdout: () => stdout,
    stderr: () => stderr,
    signal: (signal) => void child.kill(signal),
    ended
  }
}

/**
 * A port on 127.0.0.1 on which no program listens at this moment, below those that the system gives to connections: a test
 * that runs beside this one does not get it between the look and its use.
 */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = LOWEST_PORT + Math.floor(Math.random() * PORTS)
    const server = createServer()
    server.listen(port, "127.0.0.1")
    const free = await once(server, "listening").then(() => true, () => false)
    if (!free) continue
    server.close()
    await once(server, "close")
    return port
  }
}

/** The process ended before it answered. */
export class EndedWhileStarting extends Error {
  readonly signal: NodeJS.Signals | null
  constructor({ signal, stderr, stdout }: Ending, cause: unknown) {
    super(`the node ended while starting:\n${stdout}\n${stderr}`, { cause })
    this.signal = signal
  }
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

const isStillStarting = (error: unknown): boolean => error instanceof RpcFailure ? error.code === -28 : true

/** Far more than a start takes. */
const READY_MS = 90_000

/** Waits until the node answers calls about its chain. */
export const untilReady = async (
  node: NodeProcess,
  client: RpcClient,
  milliseconds = patience(READY_MS)
): Promise<void> => {
  let over: Ending | undefined
  void node.ended.then((ending) => (over = ending))
  const deadline = Date.now() + milliseconds
  for (;;) {
    try {
      await client.call("getblockcount")
      return
    } catch (error) {
      if (!isStillStarting(error)) throw error
      if (over !== undefined) throw new EndedWhileStarting(over, error)
      if (Date.now() > deadline) {
        throw new Error(`the node is not ready after ${milliseconds} ms:\n${node.stdout()}\n${node.stderr()}`, {
          cause: error
        })
      }
      await pause(20)
    }
  }
}

export interface RunningNode extends NodeProcess {
  readonly port: number
  readonly client: RpcClient
}

/** Starts a regtest node on a data directory and waits until it answers; calls are made with admin privilege. */
export const startNode = async (
  directory: string,
  options: {
    readonly args?: ReadonlyArray<string>
    readonly env?: Readonly<Record<string, string>>
    readonly token: string
  }
): Promise<RunningNode> => {
  const port = await freePort()
  const args = [
    "start",
    "--network",
    "regtest",
    "--data-dir",
    directory,
    "--rpc-addr",
    `127.0.0.1:${port}`,
    ...(options.args ?? [])
  ]
  const node = spawnNode(args, options.env)
  const client = rpcClient(port, options.token)
  await untilReady(node, client)
  return { ...node, port, client }
}
