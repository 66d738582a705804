import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { CrashPoint } from "../../../src/engine/options/crash-point.ts"
import { EndedWhileStarting, freePort, type RunningNode, startNode } from "../../process/node-process.ts"
import { type Random, randomOf } from "../random.ts"
import { checkPool, poolOf, type SavedPool, savedPool, untilLoaded } from "./check.ts"
import { type LooseCoin, PAY_TO_ANCHOR_ADDRESS, type Workload, workloadOf } from "./families.ts"
import { type Run, stream } from "./stream.ts"

const TOKEN = "mempool-crash-admin"
const MATURITY = 100
const FAMILIES = 6

export interface MempoolCrashOptions {
  readonly rounds: number
  readonly seed: number
  readonly onRound?: (round: number, text: string) => void
}

/** What the rounds of a series share. */
interface Series {
  readonly directory: string
  readonly config: string
  readonly file: string
  readonly random: Random
  workload: Workload
  /** Blocks whose coinbases the workloads have spent. */
  used: number
  /** A block came since the last save. */
  isMined: boolean
  tip: string
  node: RunningNode | undefined
}

interface Started {
  readonly node: RunningNode
  readonly p2pPort: number
}

const start = async (series: Series, crashAt = ""): Promise<Started> => {
  const { config, directory } = series
  series.node = undefined
  const p2pPort = await freePort()
  const node = await startNode(directory, {
    args: ["--config", config, "--listen-addr", `127.0.0.1:${p2pPort}`],
    token: TOKEN,
    env: { LOCKSTEP_TEST_CRASH_AT: crashAt }
  })
  series.node = node
  return { node, p2pPort }
}

const coinbaseOf = async ({ client }: RunningNode, height: number): Promise<LooseCoin> => {
  const hash = await client.call("getblockhash", height)
  const { tx: [coinbase] } = await client.call("getblock", hash, 2) as {
    readonly tx: ReadonlyArray<{ readonly txid: string; readonly vout: ReadonlyArray<{ readonly value: number }> }>
  }
  const txid = Uint8Array.from(Buffer.from(coinbase!.txid, "hex")).reverse()
  return { outpoint: { txid, vout: 0 }, value: BigInt(Math.round(coinbase!.vout[0]!.value * 1e8)) }
}

/** Mines all of the mempool, which shows that it is valid, and makes new transactions of other coins. */
const renew = async (series: Series, node: RunningNode): Promise<void> => {
  await node.client.call("generatetoaddress", series.used === 0 ? MATURITY + FAMILIES : FAMILIES, PAY_TO_ANCHOR_ADDRESS)
  const left = await poolOf(node.client)
  if (left.length > 0) throw new Error(`not mined: ${left.join(", ")}`)
  const coins: Array<LooseCoin> = []
  for (let i = 1; i <= FAMILIES; i++) coins.push(await coinbaseOf(node, series.used + i))
  Object.assign(series, { workload: workloadOf(coins), used: series.used + FAMILIES, isMined: true })
}

/** How a run ends. The calls of the stream are waited for. */
const endAfter = async (run: Run, node: RunningNode, milliseconds: number, isClean: boolean): Promise<void> => {
  const timer = setTimeout(() => node.signal(isClean ? "SIGTERM" : "SIGKILL"), milliseconds)
  void node.ended.then(() => (run.isOver = true))
  if (isClean) setTimeout(() => (run.isOver = true), milliseconds)
  const { exitCode, signal, stderr } = await node.ended
  clearTimeout(timer)
  // That it was killed, the process beside it says.
  const said = stderr.split("\n").filter((line) => line !== "" && !line.startsWith("node: the process ended suddenly"))
  if (said.length > 0) throw new Error(`the node complained:\n${stderr}`)
  if (signal !== "SIGKILL" && exitCode !== 0) throw new Error(`the node ended with exit code ${exitCode}`)
}

/** A start that the load of the file may end. Answers whether it did. */
const diesLoading = async (series: Series, point: CrashPoint): Promise<boolean> => {
  const before = savedPool(series.file)
  const count = series.random.below(Math.max(1, before?.txids.size ?? 0)) + 1
  try {
    const { node } = await start(series, point === "mempool-transaction-loaded" ? `${point}:${count}` : point)
    // The node may answer before it has got there.
    const deadline = setTimeout(() => node.signal("SIGKILL"), 300)
    await node.ended
    clearTimeout(deadline)
    node.client.close()
  } catch (error) {
    if (!(error instanceof EndedWhileStarting) || error.signal !== "SIGKILL") throw error
  }
  const after = savedPool(series.file)
  if (before === undefined ? after !== undefined : !after?.bytes.equals(before.bytes)) {
    throw new Error("the file changed while it was loaded")
  }
  return before !== undefined
}

/** What a save leaves behind that was cut. */
const leaveCutSave = ({ file, random }: Series, before: SavedPool | undefined): void => {
  if (before === undefined || random.below(2) === 0) return
  writeFileSync(`${file}.new`, before.bytes.subarray(0, before.bytes.length >> 1))
}

/** Looks at what the last run left. Answers what is in the mempool. */
const checkStarted = async (
  series: Series,
  { client }: RunningNode,
  before: SavedPool | undefined
): Promise<ReadonlyArray<string>> => {
  await untilLoaded(client)
  const tip = await client.call("getbestblockhash") as string
  if (series.tip !== "" && tip !== series.tip) throw new Error(`the tip was ${series.tip}, it is ${tip}`)
  return checkPool(client, before?.txids ?? new Set(), !series.isMined)
}

/** Looks at what this run has saved. */
const checkSaved = (series: Series, run: Run, before: SavedPool | undefined): SavedPool | undefined => {
  const now = savedPool(series.file)
  const lost = [...run.saved].filter((txid) => now?.txids.has(txid) !== true)
  if (lost.length > 0) throw new Error(`acknowledged before a save and not in it: ${lost.join(", ")}`)
  if (now !== undefined && before?.bytes.equals(now.bytes) !== true) {
    if (!run.hasSaved) throw new Error("the file changed without being saved")
    series.isMined = false
  }
  return now
}

type Way = "stop" | "kill" | "kill while it saves"

/** What the last run left, after a start; then transactions stream in until the end of this run. */
const streamingRound = async (series: Series, way: Way): Promise<string> => {
  const { random } = series
  const before = savedPool(series.file)
  leaveCutSave(series, before)
  const isAtPoint = way === "kill while it saves"
  const { node, p2pPort } = await start(series, isAtPoint ? `before-mempool-save:${random.below(15) + 1}` : "")
  const pool = await checkStarted(series, node, before)
  if (series.used === 0 || random.below(4) === 0) await renew(series, node)
  series.tip = await node.client.call("getbestblockhash") as string
  const { workload } = series
  const isLasting = (txid: string): boolean => !series.isMined && !workload.replaceable.has(txid)
  const run: Run = {
    client: node.client,
    p2pPort,
    random,
    workload,
    acknowledged: new Set(pool.filter(isLasting)),
    saved: new Set(),
    hasSaved: way === "stop",
    isOver: false
  }
  const streamed = stream(run, way !== "kill" || random.below(3) > 0)
  const after = isAtPoint ? 20_000 : random.below(2_000) + 1
  await endAfter(run, node, after, way === "stop")
  await streamed
  node.client.close()
  if (way === "stop") run.saved = run.acknowledged
  const now = checkSaved(series, run, before)
  return `${way} ${
    isAtPoint ? "" : `after ${after} ms`
  }: ${pool.length} loaded, ${run.acknowledged.size} acknowledged, ` +
    `${now?.txids.size ?? "none"} saved`
}

/** The first rounds: something is saved, and each kind comes once. */
const FIRST = [0, 4, 5, 1]

const oneRound = async (series: Series, round: number): Promise<string> => {
  const choice = FIRST[round] ?? series.random.below(8)
  if (choice < 3) return streamingRound(series, "kill")
  if (choice < 4) return streamingRound(series, "stop")
  if (choice < 5) return streamingRound(series, "kill while it saves")
  const point = series.random.pick<CrashPoint>(["mempool-transaction-loaded", "mempool-loaded"])
  return await diesLoading(series, point) ? `killed at ${point}` : "killed, nothing was saved yet"
}

/**
 * Lets a node die while transactions stream in, while it saves and while it loads the mempool, round after round. Throws
 * at the first thing that is wrong.
 */
export const mempoolCrashRounds = async (options: MempoolCrashOptions): Promise<void> => {
  const root = mkdtempSync(join(tmpdir(), "lockstep-mempool-crash-"))
  const config = join(root, "node.toml")
  writeFileSync(
    config,
    `transport_preference = "tcponly"\n[rpc_auth]\nadmin_tokens = ["${TOKEN}"]\nrate_limit_rate = 0\n`,
    { mode: 0o600 }
  )
  const directory = join(root, "data")
  const series: Series = {
    directory,
    config,
    file: join(directory, "regtest", "mempool.dat"),
    random: randomOf(options.seed),
    workload: workloadOf([]),
    used: 0,
    isMined: false,
    tip: "",
    node: undefined
  }
  try {
    for (let round = 0; round < options.rounds; round++) options.onRound?.(round, await oneRound(series, round))
    // Whatever was the last: the next start loads it.
    await streamingRound(series, "stop")
    rmSync(root, { recursive: true })
  } catch (error) {
    series.node?.signal("SIGKILL")
    series.node?.client.close()
    await series.node?.ended
    const message = error instanceof Error ? error.message : String(error)
    throw new Error(`seed ${options.seed}: ${message} (data in ${root})`, { cause: error })
  }
}
