import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { until } from "../bitcoind/bitcoind-process.ts"
import { freePort, PATH_WITH_NODE } from "../process/node-process.ts"
import { rpcClient } from "../process/rpc-client.ts"
import { endsWithTests } from "../process/ends-with-tests.ts"

/** Ours, under the name and options of Bitcoin Core's. */
const OURS = fileURLToPath(new URL("../../bin/bitcoind", import.meta.url))

const versionOf = (program: string): string => {
  const { status, stdout } = spawnSync(program, ["-version"], { encoding: "utf8" })
  return status === 0 ? stdout : ""
}

/** Whether it is made of Bitcoin Core's code; ours says its own name as well. */
const isCore = (program: string): boolean => {
  const version = versionOf(program)
  return version.includes("The Bitcoin Core developers") && !version.includes("Lockstep")
}

const onPath = (): ReadonlyArray<string> =>
  (process.env["PATH"] ?? "").split(delimiter).map((directory) => join(directory, "bitcoind")).filter(existsSync)

const named = process.env["LOCKSTEP_BITCOIND"]

/** Bitcoin Core's daemon, or one of its code: what LOCKSTEP_BITCOIND names, or a `bitcoind` on the path; none: neither. */
export const coreDaemon: string | undefined = (named === undefined ? onPath() : [named]).find(isCore)

if (coreDaemon === undefined) {
  process.stderr.write(
    named === undefined
      ? "foreign programs: no bitcoind of Bitcoin Core on the path, and LOCKSTEP_BITCOIND names none: its tests are left out\n"
      : `foreign programs: LOCKSTEP_BITCOIND names no bitcoind of Bitcoin Core (${named}): its tests are left out\n`
  )
}

/** Knots has rules of its own about what it relays, and an option that puts Bitcoin Core's in their place. */
const corePolicy = (program: string): ReadonlyArray<string> =>
  versionOf(program).includes("Knots") ? ["-corepolicy"] : []

/** A daemon on regtest that others reach on 127.0.0.1. It connects to none by itself. */
export interface Daemon {
  readonly address: string
  readonly p2pPort: number
  readonly call: <A = unknown>(method: string, ...params: ReadonlyArray<unknown>) => Promise<A>
  readonly log: () => string
  readonly stop: () => Promise<void>
}

/** Starts ours, or the other one, with the same options. */
export const startDaemon = async (whose: "ours" | "theirs", ...options: ReadonlyArray<string>): Promise<Daemon> => {
  const program = whose === "ours" ? OURS : coreDaemon!
  const base = mkdtempSync(join(tmpdir(), `lockstep-${whose}-`))
  mkdirSync(base, { recursive: true })
  const [port, p2pPort] = [await freePort(), await freePort()]
  const child = endsWithTests(spawn(program, [
    `-datadir=${base}`,
    "-regtest",
    `-rpcport=${port}`,
    `-bind=127.0.0.1:${p2pPort}`,
    "-connect=0",
    "-listen=1",
    "-listenonion=0",
    "-discover=0",
    "-dnsseed=0",
    "-fixedseeds=0",
    "-printtoconsole=0",
    "-debug=net",
    "-debug=cmpctblock",
    "-debug=txpackages",
    "-debug=mempoolrej",
    ...whose === "ours" ? [] : corePolicy(program),
    ...options
  ], { env: { ...process.env, PATH: PATH_WITH_NODE }, stdio: ["ignore", "ignore", "pipe"] }))
  let said = ""
  child.stderr.on("data", (chunk: Buffer) => void (said += chunk.toString()))
  const ended = once(child, "close")
  const client = rpcClient(port)
  const cookie = join(base, "regtest", ".cookie")
  const call: Daemon["call"] = async (method, ...params) => {
    const authorization = `Basic ${readFileSync(cookie).toString("base64")}`
    const { body } = await client.post(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }), { authorization })
    const answer = JSON.parse(body) as {
      readonly result?: unknown
      readonly error?: { readonly message: string } | null
    }
    if (answer.error !== undefined && answer.error !== null) throw new Error(`${method}: ${answer.error.message}`)
    return answer.result as never
  }
  await until(`${whose} answers`, async () => {
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}:\n${said}`)
    return existsSync(cookie) && await call("getblockcount").then(() => true, () => false)
  })
  return {
    address: `127.0.0.1:${p2pPort}`,
    p2pPort,
    call,
    log: () => readFileSync(join(base, "regtest", "debug.log"), "utf8"),
    stop: async () => {
      await call("stop")
      client.close()
      await ended
      rmSync(base, { recursive: true, force: true })
    }
  }
}
