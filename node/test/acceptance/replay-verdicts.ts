import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { configWith } from "../process/config-with.ts"
import { type RunningNode, startNode } from "../process/node-process.ts"
import { type RpcClient, RpcFailure } from "../process/rpc-client.ts"
import { hexOfRow, type Row, rowsOf } from "./recorded-rows.ts"

const TOKEN = "replay-admin"
const ACTIVATION = /^-testactivationheight=([a-z0-9]+)@([0-9]+)$/

/** What went otherwise than recorded: none is the aim. */
export interface ReplayReport {
  readonly rows: number
  readonly differences: ReadonlyArray<string>
}

interface ChainInfo {
  readonly blocks: number
  readonly headers: number
  readonly bestblockhash: string
  readonly chainwork: string
  readonly mediantime: number
}

const configOf = (args: ReadonlyArray<string>): string => {
  const heights = args.flatMap((arg) => {
    const match = ACTIVATION.exec(arg)
    return match === null ? [] : [`${match[1]} = ${match[2]}`]
  })
  return configWith(TOKEN, `[storage.indexing]`, `coinstatsindex = true`, `[regtest.activation_heights]`, ...heights)
}

const perform = (client: RpcClient, row: Row, hex: string | undefined): Promise<unknown> => {
  switch (row.op) {
    case "submitblock":
      return client.call("submitblock", hex)
    case "submitheader":
      return client.call("submitheader", hex)
    case "proposal":
      return client.call("getblocktemplate", { mode: "proposal", data: hex, rules: ["segwit"] })
    case "setmocktime":
      return client.call("setmocktime", row.t).then(() => null)
    case "invalidateblock":
    case "reconsiderblock":
    case "preciousblock":
      return client.call(row.op, row.hash).then(() => null)
    default:
      throw new Error(`row ${row.i}: unknown operation ${row.op}`)
  }
}

const answerOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    (result) => String(result),
    (error: unknown) => {
      if (error instanceof RpcFailure) return `error ${error.code} "${error.message}"`
      throw error
    }
  )

const expectedAnswer = ({ result = null }: Row): string =>
  result !== null && typeof result === "object"
    ? `error ${result.error.code} "${result.error.message}"`
    : String(result)

const coinsDiffer = async (client: RpcClient, row: Row, walk: boolean): Promise<ReadonlyArray<string>> => {
  if (row.utxo === undefined) return []
  const set = await client.call("gettxoutsetinfo", "muhash", null, !walk) as {
    txouts: number
    total_amount: number
    muhash: string
  }
  const found = [
    set.txouts === row.utxo.n ? "" : `${set.txouts} coins instead of ${row.utxo.n}`,
    set.total_amount.toFixed(8) === row.utxo.amount
      ? ""
      : `${set.total_amount.toFixed(8)} BTC instead of ${row.utxo.amount}`,
    set.muhash === row.utxo.muhash ? "" : `MuHash ${set.muhash} instead of ${row.utxo.muhash}`
  ]
  return found.filter((each) => each !== "")
}

const tipDiffers = async (client: RpcClient, row: Row): Promise<ReadonlyArray<string>> => {
  if (row.best === undefined) return []
  const { bestblockhash, blocks, headers } = await client.call("getblockchaininfo") as ChainInfo
  const found = [
    bestblockhash === row.best ? "" : `tip ${bestblockhash} instead of ${row.best}`,
    blocks === row.height ? "" : `height ${blocks} instead of ${row.height}`,
    headers === (row.headers ?? row.height) ? "" : `${headers} headers instead of ${row.headers ?? row.height}`
  ]
  return found.filter((each) => each !== "")
}

interface Tip {
  readonly height: number
  readonly hash: string
  readonly branchlen: number
  readonly status: string
}

const tipsText = (tips: ReadonlyArray<Tip>): string =>
  tips.map(({ branchlen, hash, height, status }) => `${height} ${hash} ${branchlen} ${status}`).toSorted().join("; ")

const endDiffers = async (client: RpcClient, row: Row): Promise<ReadonlyArray<string>> => {
  const differences: Array<string> = []
  const serialized = await client.call("gettxoutsetinfo", "hash_serialized_3") as Record<string, unknown>
  const mu = await client.call("gettxoutsetinfo", "muhash", null, false) as Record<string, unknown>
  for (const [key, value] of Object.entries(row.txoutset ?? {})) {
    const actual = key === "muhash" ? mu[key] : serialized[key]
    if (actual !== value) differences.push(`gettxoutsetinfo ${key}: ${String(actual)} instead of ${String(value)}`)
  }
  const tips = tipsText(await client.call("getchaintips") as ReadonlyArray<Tip>)
  const expected = tipsText(row.chaintips ?? [])
  if (tips !== expected) differences.push(`chain tips ${tips} instead of ${expected}`)
  const info = await client.call("getblockchaininfo") as ChainInfo
  if (info.chainwork !== row.blockchaininfo?.chainwork) differences.push(`chain work ${info.chainwork}`)
  if (info.mediantime !== row.blockchaininfo?.mediantime) differences.push(`median time ${info.mediantime}`)
  return differences
}

/** A full walk over the coins is slow, the index is quick: both are asked, the walk now and then. */
const WALK_EVERY = 40

const isCall = ({ op }: Row): boolean => op !== "start" && op !== "restart" && op !== "end"

const rowDiffers = async (
  client: RpcClient,
  row: Row,
  earlier: ReadonlyMap<number, Row>
): Promise<ReadonlyArray<string>> => {
  const expected = expectedAnswer(row)
  const answer = isCall(row) ? await answerOf(perform(client, row, hexOfRow(row, earlier))) : expected
  return [
    ...(answer === expected ? [] : [`answer ${answer} instead of ${expected}`]),
    ...await tipDiffers(client, row),
    ...await coinsDiffer(client, row, row.i % WALK_EVERY === 0),
    ...(row.op === "end" ? await endDiffers(client, row) : [])
  ]
}

/** What a start is made with, until a later row says otherwise. */
interface Situation {
  readonly args: ReadonlyArray<string>
  readonly mocktime: number
}

const situationAfter = (row: Row, before: Situation | undefined): Situation => {
  const mocktime = (row.op === "setmocktime" ? row.t : row.mocktime) ?? before?.mocktime
  const args = row.args ?? before?.args
  if (mocktime === undefined || args === undefined) throw new Error("the recording does not begin with a start")
  return { args, mocktime }
}

const begin = async (root: string, { args, mocktime }: Situation): Promise<RunningNode> => {
  writeFileSync(join(root, "node.toml"), configOf(args))
  const node = await startNode(join(root, "data"), { args: ["--config", join(root, "node.toml")], token: TOKEN })
  await node.client.call("setmocktime", mocktime)
  return node
}

const endsWell = async (node: RunningNode): Promise<ReadonlyArray<string>> => {
  await node.client.call("stop")
  const { exitCode, stderr } = await node.ended
  return exitCode === 0 && stderr === "" ? [] : [`stop: exit code ${exitCode}, standard error: ${stderr}`]
}

/** Plays a recording to a node that runs as its own process, over HTTP, and lists every difference. */
export const replayVerdicts = async (path: string, upTo: number): Promise<ReplayReport> => {
  const root = mkdtempSync(join(tmpdir(), "lockstep-replay-"))
  const differences: Array<string> = []
  const earlier = new Map<number, Row>()
  let node: RunningNode | undefined
  let situation: Situation | undefined
  let rows = 0
  try {
    for await (const row of rowsOf(path)) {
      if (row.i >= upTo) break
      if (row.hex !== undefined || row.rle !== undefined) earlier.set(row.i, row)
      situation = situationAfter(row, situation)
      if (node !== undefined && row.op === "restart") {
        differences.push(...await endsWell(node))
        node.client.close()
        node = undefined
      }
      node ??= await begin(root, situation)
      const found = await rowDiffers(node.client, row, earlier)
      differences.push(...found.map((each) => `row ${row.i} (${row.op}): ${each}`))
      rows++
    }
    if (node !== undefined) differences.push(...await endsWell(node))
    return { rows, differences }
  } finally {
    node?.signal("SIGKILL")
    node?.client.close()
    await node?.ended
    rmSync(root, { recursive: true, force: true })
  }
}
