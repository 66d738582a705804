import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { until } from "../bitcoind/bitcoind-process.ts"
import { freePort, PATH_WITH_NODE } from "../process/node-process.ts"
import { type RpcClient, rpcClient } from "../process/rpc-client.ts"
import { endsWithTests } from "../process/ends-with-tests.ts"

/** A node for programs that know nothing but `bitcoind`, its configuration and its RPC. */
export interface ServedNode {
  readonly port: number
  /** The configuration file, which such programs read as well. */
  readonly configuration: string
  readonly client: Pick<RpcClient, "call">
  readonly stop: () => Promise<void>
}

export const USER = "explorer"
export const PASSWORD = "open-sesame"

/** Where the launcher is that programs find by the name `bitcoind`. */
const PROGRAMS = fileURLToPath(new URL("../../bin", import.meta.url))

/** What other programs look for. */
const NAME = "bitcoind"

/** A node that takes no peers. */
const ALONE: ReadonlyArray<string> = ["listen=0", "connect=0"]

const configurationOf = (port: number, lines: ReadonlyArray<string>, reached: ReadonlyArray<string>): string =>
  ["regtest=1", "server=1", "txindex=1", ...lines, "[regtest]", `rpcport=${port}`, ...reached, ""].join("\n")

/** How callers prove who they are: as a user with a password, or by the cookie. */
type Credentials = "password" | "cookie"

/**
 * Starts `bitcoind`, found on the path as other programs find it, on regtest with an index of transactions. `reached`: the
 * lines of its configuration that say how else it is reached.
 */
export const servedNode = async (
  credentials: Credentials = "password",
  reached: ReadonlyArray<string> = ALONE
): Promise<ServedNode> => {
  const home = mkdtempSync(join(tmpdir(), "lockstep-"))
  const base = join(home, "data")
  mkdirSync(base)
  const port = await freePort()
  const configuration = join(base, "bitcoin.conf")
  const lines = credentials === "password" ? [`rpcuser=${USER}`, `rpcpassword=${PASSWORD}`] : [`datadir=${base}`]
  writeFileSync(configuration, configurationOf(port, lines, reached), { mode: 0o600 })
  const child = endsWithTests(spawn(NAME, [`-datadir=${base}`, "-printtoconsole=0"], {
    env: { ...process.env, PATH: `${PROGRAMS}${delimiter}${PATH_WITH_NODE}` },
    stdio: ["ignore", "ignore", "inherit"]
  }))
  const ended = once(child, "close")
  const cookie = join(base, "regtest", ".cookie")
  const secret = (): string => credentials === "password" ? `${USER}:${PASSWORD}` : readFileSync(cookie, "utf8")
  const client = rpcClient(port)
  const call: RpcClient["call"] = async (method, ...params) => {
    const headers = { authorization: `Basic ${Buffer.from(secret()).toString("base64")}` }
    const { body } = await client.post(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }), headers)
    const { error, result } = JSON.parse(body) as { readonly result?: unknown; readonly error?: { message: string } }
    if (error !== undefined) throw new Error(error.message)
    return result
  }
  await until("bitcoind answers", async () => {
    if (child.exitCode !== null) throw new Error(`bitcoind ended with ${child.exitCode}`)
    return (credentials === "password" || existsSync(cookie)) &&
      await call("getblockcount").then(() => true, () => false)
  })
  return {
    port,
    configuration,
    client: { call },
    stop: async () => {
      await call("stop")
      client.close()
      await ended
      rmSync(home, { recursive: true, force: true })
    }
  }
}
