import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort, type RunningNode, startNode } from "../../process/node-process.ts"
import { patience } from "../../process/patience.ts"

/** A node of a test, as an operator has it. */
export interface PlacedNode {
  readonly running: RunningNode
  readonly directory: string
  readonly p2pPort: number
  readonly call: <A = unknown>(method: string, ...params: ReadonlyArray<unknown>) => Promise<A>
}

/** Where a test keeps its nodes. */
export interface Place {
  /** Of the whole place; gone at the end. */
  readonly root: string
  readonly config: string
  /** Starts a node, new or again, by its name. */
  readonly start: (
    name: string,
    args?: ReadonlyArray<string>,
    env?: Readonly<Record<string, string>>
  ) => Promise<PlacedNode>
  readonly stop: (node: PlacedNode, signal?: NodeJS.Signals) => Promise<void>
  readonly clear: () => void
}

export const ADDRESS = "bcrt1q6rhpng9evdsfnn833a4f4vej0asu6dk5srld6x"

const PATIENCE_MS = patience(60_000)

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Looks again and again until it holds. */
export const until = async (what: string, holds: () => Promise<boolean>, milliseconds = PATIENCE_MS): Promise<void> => {
  const deadline = Date.now() + milliseconds
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`not within ${milliseconds} ms: ${what}`)
    await pause(50)
  }
}

export const coinsOf = async ({ call }: PlacedNode): Promise<string> =>
  (await call<{ readonly muhash: string }>("gettxoutsetinfo", "muhash")).muhash

/** A place for nodes, which share one file of configuration. */
export const place = (name: string): Place => {
  const root = mkdtempSync(join(tmpdir(), `lockstep-${name}-`))
  const config = join(root, "node.toml")
  writeFileSync(config, `transport_preference = "tcponly"\n[rpc_auth]\nadmin_tokens = ["${name}"]\n`)
  return {
    root,
    config,
    start: async (of, args = [], env = {}) => {
      const [p2pPort, directory] = [await freePort(), join(root, of)]
      const running = await startNode(directory, {
        token: name,
        args: ["--config", config, "--listen-addr", `127.0.0.1:${p2pPort}`, ...args],
        env
      })
      return {
        running,
        directory,
        p2pPort,
        call: (method, ...params) => running.client.call(method, ...params) as Promise<never>
      }
    },
    stop: async ({ running }, signal = "SIGTERM") => {
      running.signal(signal)
      running.client.close()
      await running.ended
    },
    clear: () => rmSync(root, { recursive: true, force: true })
  }
}
