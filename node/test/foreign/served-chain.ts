import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type RunningNode, startNode } from "../process/node-process.ts"

/** A node for programs that know nothing but RPC with a name and a password. */
export interface ServedNode {
  readonly node: RunningNode
  readonly stop: () => Promise<void>
}

export const USER = "explorer"
export const PASSWORD = "open-sesame"

const TOKEN = "test"

const CONFIGURATION = `transport_preference = "tcponly"

[rpc_auth]
username = "${USER}"
password = "${PASSWORD}"
admin_tokens = ["${TOKEN}"]

[storage.indexing]
txindex = true
`

/** Starts a node on regtest with an index of transactions. */
export const servedNode = async (): Promise<ServedNode> => {
  const directory = mkdtempSync(join(tmpdir(), "lockstep-"))
  const config = join(directory, "node.toml")
  writeFileSync(config, CONFIGURATION, { mode: 0o600 })
  const node = await startNode(join(directory, "data"), { args: ["--config", config], token: TOKEN })
  return {
    node,
    stop: async () => {
      await node.client.call("stop")
      node.client.close()
      await node.ended
      rmSync(directory, { recursive: true, force: true })
    }
  }
}
