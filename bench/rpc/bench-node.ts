import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { PATH_WITH_NODE, type RunningNode, startNode } from "../../node/test/process/node-process.ts"

const run = promisify(execFile)

const LAUNCHER = fileURLToPath(new URL("../../node/bin/node", import.meta.url))

/** A token with normal privilege: what most programs that ask have. */
export const TOKEN = "bench-token"

/** No caller is limited in its requests, and every script is judged. */
const OPTIONS = [
  "--noassumevalid",
  "--set",
  "rpc.ip_rate_limit_rate=0",
  "--set",
  "rpc_auth.rate_limit_rate=0",
  "--set",
  "rpc.work_queue=1000",
  "--set",
  "transport_preference=tcponly"
]

/** A regtest node as operators start it, with nothing configured but the limits. `token` goes with every call. */
export const startBenchNode = (
  directory: string,
  args: ReadonlyArray<string> = [],
  token = TOKEN
): Promise<RunningNode> => startNode(directory, { token, args: [...OPTIONS, ...args], env: { RPC_AUTH_TOKENS: TOKEN } })

/** Takes blocks of a file into a data directory while no node runs on it. */
export const importInto = async (directory: string, file: string): Promise<void> => {
  const args = ["import", "--network", "regtest", "--data-dir", directory, ...OPTIONS, file]
  await run(LAUNCHER, args, { env: { ...process.env, PATH: PATH_WITH_NODE } })
}

export const stopBenchNode = async (node: RunningNode): Promise<void> => {
  node.signal("SIGTERM")
  node.client.close()
  const { exitCode, stderr } = await node.ended
  if (exitCode !== 0) throw new Error(`the node ended with exit code ${exitCode}: ${stderr}`)
}
