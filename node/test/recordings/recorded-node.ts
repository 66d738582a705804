import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { type Ending, freePort, type RunningNode } from "../process/node-process.ts"
import { patience } from "../process/patience.ts"
import type { Answer } from "./answers.ts"
import { startBitcoind } from "./recorded-bitcoind.ts"
import type { RecordedSubscriber } from "./recorded-subscriber.ts"
import type { Listener, TestPeer } from "./test-peer.ts"

/** A node of a conversation: a process of ours on a data directory that lasts over restarts. */
export interface RecordedNode {
  /** Stands for the data directory of Bitcoin Core; that of our chain is `regtest` in it. */
  readonly directory: string
  process: RunningNode | undefined
  /** What calls are made with. */
  authorization: string
  port: number
  /** Ports that stand for those of options: `{port+K}`, by K. */
  readonly ports: Map<string, number>
  /** Who receives what the node publishes through ZeroMQ, by topic. */
  readonly subscribers: Map<string, RecordedSubscriber>
  /** What the clock was last set to, in Unix seconds. */
  clock: number
  /** The conversation set the clock by itself, and moves it by itself. */
  hasOwnClock: boolean
  isNew: boolean
  readonly peers: Map<string, TestPeer>
  readonly listeners: Array<Listener>
  /** Blocks that came to the node since the peer was last notified of one, by connection. */
  readonly sinceAnnounced: Map<string, number>
}

export const recordedNode = (root: string, index: number): RecordedNode => ({
  directory: join(root, `datadir${index}`),
  process: undefined,
  authorization: "",
  port: 0,
  ports: new Map(),
  subscribers: new Map(),
  clock: 0,
  hasOwnClock: false,
  isNew: true,
  peers: new Map(),
  listeners: [],
  sinceAnnounced: new Map()
})

/** Calls a method with parameters as they were recorded, a list or members. */
export const rawCall = async (node: RecordedNode, method: string, params: unknown): Promise<Answer> => {
  const { body } = await node.process!.client.post(
    JSON.stringify({ jsonrpc: "1.0", id: 1, method, params }),
    { authorization: node.authorization }
  )
  return JSON.parse(body) as Answer
}

/** Sets the clock of the node. */
export const setClock = async (node: RecordedNode, seconds: number): Promise<void> => {
  const { error } = await rawCall(node, "setmocktime", [seconds])
  if (error !== undefined && error !== null) throw new Error(`setmocktime ${seconds}: ${error.message}`)
}

/** Moves the clock to the time of a row, unless the conversation moves it itself. */
export const follow = async (node: RecordedNode, at: number | undefined): Promise<void> => {
  if (at === undefined || at <= node.clock) return
  node.clock = at
  if (!node.hasOwnClock && node.process !== undefined) await setClock(node, at)
}

/** Waits for the mempool of the last run, as the frame of Bitcoin Core's tests does: blocks must not overtake it. */
const untilMempoolIsLoaded = async (node: RecordedNode): Promise<void> => {
  const end = performance.now() + patience(30_000)
  for (;;) {
    const { error, result } = await rawCall(node, "getmempoolinfo", [])
    if (error !== undefined && error !== null || (result as { readonly loaded: boolean }).loaded) return
    if (performance.now() > end) throw new Error("the mempool of the last run is not loaded")
    await sleep(10)
  }
}

/** Gives each `{port+K}` of the options a port that is free, the same over restarts. */
const givePorts = async ({ ports }: RecordedNode, args: ReadonlyArray<string>): Promise<void> => {
  for (const [, offset] of args.join(" ").matchAll(/\{port\+(\d+)\}/g)) {
    if (!ports.has(offset!)) ports.set(offset!, await freePort())
  }
}

/** A text of the conversation with the ports of this node. */
export const withPorts = ({ ports }: RecordedNode, text: string): string =>
  text.replace(/\{port\+(\d+)\}/g, (whole, offset: string) => String(ports.get(offset) ?? whole))

/** Starts the node through its launcher, with the options of Bitcoin Core as they were recorded. */
export const start = async (node: RecordedNode, recorded: ReadonlyArray<string>, at: number): Promise<void> => {
  await givePorts(node, recorded)
  const args = recorded.map((arg) => withPorts(node, arg))
  mkdirSync(node.directory, { recursive: true })
  const own = args.find((arg) => arg.startsWith("-mocktime="))
  node.hasOwnClock = own !== undefined
  node.clock = own === undefined ? at : Number(own.slice("-mocktime=".length))
  node.port = await freePort()
  Object.assign(node, await startBitcoind(node, args))
  await untilMempoolIsLoaded(node)
}

const gone = (node: RecordedNode): void => {
  node.process?.client.close()
  node.process = undefined
  for (const peer of node.peers.values()) peer.close()
  for (const listener of node.listeners.splice(0)) listener.close()
  for (const subscriber of node.subscribers.values()) subscriber.close()
  node.subscribers.clear()
  node.peers.clear()
}

/** Stops the node and waits for the end of the process. */
export const stop = async (node: RecordedNode): Promise<Ending> => {
  const running = node.process!
  await rawCall(node, "stop", [])
  const ending = await running.ended
  gone(node)
  return ending
}

/** Ends the process at once. */
export const kill = async (node: RecordedNode): Promise<void> => {
  node.process?.signal("SIGKILL")
  await node.process?.ended
  gone(node)
}
