import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { configWith } from "../../process/config-with.ts"
import { freePort, type RunningNode, spawnNode, startNode } from "../../process/node-process.ts"
import { patience } from "../../process/patience.ts"

const TOKEN = "wire-admin"
const PAUSE_MS = 20

/** A real node that other programs connect to. */
export interface WireNode {
  readonly running: RunningNode
  readonly token: string
  readonly p2pPort: number
  readonly directory: string
  readonly call: <A = unknown>(method: string, ...params: ReadonlyArray<unknown>) => Promise<A>
}

/** Nodes that share a temporary directory. */
export interface WireNodes {
  readonly root: string
  /** Takes the blocks of a file into a directory while no node runs on it. */
  readonly importInto: (name: string, file: string) => Promise<void>
  /** Starts a node on the directory of this name; all scripts are judged. Others connect to it on 127.0.0.1. */
  readonly start: (name: string, args?: ReadonlyArray<string>) => Promise<WireNode>
  readonly stop: (node: WireNode) => Promise<void>
  readonly kill: (node: WireNode) => Promise<void>
  /** Kills what still runs, and takes the directory away. */
  readonly end: () => Promise<void>
}

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Waits until something holds; says what when it never does. */
export const until = async (
  what: string,
  holds: () => boolean | Promise<boolean>,
  milliseconds = patience(120_000)
): Promise<void> => {
  const deadline = performance.now() + milliseconds
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not within ${milliseconds} ms: ${what}`)
    await pause(PAUSE_MS)
  }
}

export const tipOf = ({ call }: WireNode): Promise<string> => call<string>("getbestblockhash")

export const coinsOf = async ({ call }: WireNode): Promise<string> =>
  (await call<{ readonly muhash: string }>("gettxoutsetinfo", "muhash")).muhash

export const wireNodes = (): WireNodes => {
  const root = mkdtempSync(join(tmpdir(), "lockstep-wire-"))
  const config = join(root, "node.toml")
  writeFileSync(
    config,
    configWith(TOKEN, `rate_limit_rate = 0`),
    { mode: 0o600 }
  )
  const live = new Set<WireNode>()

  const ended = async (node: WireNode, signal: NodeJS.Signals): Promise<void> => {
    live.delete(node)
    node.running.signal(signal)
    node.running.client.close()
    const { exitCode, stderr } = await node.running.ended
    if (signal !== "SIGKILL" && (exitCode !== 0 || stderr !== "")) {
      throw new Error(`a node ended with exit code ${exitCode}: ${stderr}`)
    }
  }

  return {
    root,
    importInto: async (name, file) => {
      const args = ["import", "--network", "regtest", "--data-dir", join(root, name), "--config", config, file]
      const { exitCode, stderr } = await spawnNode(args).ended
      if (exitCode !== 0) throw new Error(`the import ended with exit code ${exitCode}: ${stderr}`)
    },
    start: async (name, args = []) => {
      const p2pPort = await freePort()
      const directory = join(root, name)
      const running = await startNode(directory, {
        token: TOKEN,
        args: ["--config", config, "--noassumevalid", "--listen-addr", `127.0.0.1:${p2pPort}`, ...args]
      })
      const call = <A>(method: string, ...params: ReadonlyArray<unknown>): Promise<A> =>
        running.client.call(method, ...params) as Promise<A>
      const node: WireNode = { running, token: TOKEN, p2pPort, directory, call }
      live.add(node)
      return node
    },
    stop: (node) => ended(node, "SIGTERM"),
    kill: (node) => ended(node, "SIGKILL"),
    end: async () => {
      for (const node of live) await ended(node, "SIGKILL")
      rmSync(root, { recursive: true, force: true })
    }
  }
}
