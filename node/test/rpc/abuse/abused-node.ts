import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { configWith } from "../../process/config-with.ts"
import { OPEN_ADDRESS } from "../../crash/open-wallet.ts"
import { type RunningNode, startNode } from "../../process/node-process.ts"

export const TOKEN = "abuse-admin"
export const HEIGHT = 101
export const TIMEOUT_SECONDS = 4

/** A real node that is going to be abused, and what can be seen of it from outside. */
export interface AbusedNode {
  readonly node: RunningNode
  /** The content of its cookie file. */
  readonly cookie: string
  /** Bytes of memory at this moment, and the most there ever were; 0 where the machine does not report it. */
  readonly memory: () => { readonly now: number; readonly most: number }
  /** Open files and sockets; 0 where the machine does not report it. */
  readonly handles: () => number
  readonly end: () => Promise<void>
}

const observed = (pid: number, name: string): number => {
  try {
    return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}

const handlesOf = (pid: number): number => {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return 0
  }
}

export const startAbusedNode = async (): Promise<AbusedNode> => {
  const root = mkdtempSync(join(tmpdir(), "lockstep-abuse-"))
  const config = join(root, "node.toml")
  const text = configWith(TOKEN, `[rpc]`, `request_timeout_secs = ${TIMEOUT_SECONDS}`)
  writeFileSync(config, text, { mode: 0o600 })
  const data = join(root, "data")
  const node = await startNode(data, { args: ["--config", config], token: TOKEN })
  await node.client.call("generatetoaddress", HEIGHT, OPEN_ADDRESS)
  return {
    node,
    cookie: readFileSync(join(data, "regtest", ".cookie"), "utf8"),
    memory: () => ({ now: observed(node.pid, "VmRSS"), most: observed(node.pid, "VmHWM") }),
    handles: () => handlesOf(node.pid),
    end: async () => {
      node.signal("SIGKILL")
      node.client.close()
      await node.ended
      rmSync(root, { recursive: true, force: true })
    }
  }
}
