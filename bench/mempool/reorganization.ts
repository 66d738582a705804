import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { selectProvider } from "../../crypto/src/index.ts"
import { type Transaction, transactionId } from "../../kernel/src/index.ts"
import { concatBytes } from "../../kernel/src/bytes/equal.ts"
import { transactionOf } from "../../kernel/src/model/transaction-encode.ts"
import { networkCalled } from "../../protocol/src/index.ts"
import { encodeMempoolFile } from "../../node/src/engine/mempool/mempool-file.ts"
import type { RunningNode } from "../../node/test/process/node-process.ts"
import { chainBuilder } from "../chain-builder.ts"
import { framed } from "../node/fan-out-chain.ts"
import { inTemporaryDirectory } from "../node/temporary-directory.ts"
import { importInto, startBenchNode, stopBenchNode, TOKEN } from "../rpc/bench-node.ts"
import { asOperator } from "../sync/as-operator.ts"
import { p99, probe } from "../sync/probe.ts"
import { cluster, CLUSTER_VALUE, clusterSizes } from "./clusters.ts"
import { fundedChain } from "./funded-chain.ts"
import { sequence } from "./sequence.ts"
import { PAY_TO_ANCHOR, type BenchCoin, benchKeys } from "./transactions.ts"

/** What is measured of a node that changes to another branch. */
export interface ReorganizationFigures {
  readonly blocks: number
  /** Transactions in the mempool before and after it. */
  readonly pooled: number
  readonly pooledAfter: number
  readonly seconds: number
  /** Milliseconds that 99 of 100 answers of `/health/live` and of a call of RPC took meanwhile. */
  readonly live: number
  readonly rpc: number
}

/** Transactions of a full block, each of about the usual size. */
const BLOCK_TRANSACTIONS = 2_380
const FILLING = Uint8Array.of(0x6a, 0x4d, 0x54, 0x01, ...new Uint8Array(340).fill(0x5a))
const LINE_VALUE = 900_000n
const LINE_FEE = 1_000n
const PAUSE_MILLISECONDS = 10
const MEGABYTE = 1_000_000
/** By Bitcoin Core's count a transaction of the bench takes a little more: with so much room the mempool is full. */
const BYTES_EACH = 1_250

const selection = selectProvider()
if (!selection.ok) throw new Error("there is no crypto provider")
const { crypto } = selection.provider

const lineTransaction = ({ txid, value, vout }: BenchCoin): Transaction =>
  transactionOf({
    version: 2,
    inputs: [{ prevout: { txid, vout }, script: new Uint8Array(0), sequence: 0xffffffff, witness: [] }],
    outputs: [{ value: value - LINE_FEE, script: PAY_TO_ANCHOR }, { value: 0n, script: FILLING }],
    lockTime: 0
  })

interface Material {
  readonly funded: ReadonlyArray<Uint8Array>
  readonly full: ReadonlyArray<Uint8Array>
  /** As many empty blocks in their place, and one more. */
  readonly other: ReadonlyArray<Uint8Array>
  readonly pooled: ReadonlyArray<Transaction>
  readonly time: number
}

const materialOf = (blocks: number, transactions: number): Material => {
  const below = sequence()
  const sizes = clusterSizes(transactions, below)
  const keys = benchKeys(sizes.length, crypto)
  const { blocks: funded, coins, end } = fundedChain([
    ...keys.map(({ script }) => ({ value: CLUSTER_VALUE, script })),
    ...Array.from({ length: BLOCK_TRANSACTIONS }, () => ({ value: LINE_VALUE, script: PAY_TO_ANCHOR }))
  ], crypto)
  const builder = chainBuilder(crypto, PAY_TO_ANCHOR, end)
  const other = chainBuilder(crypto, Uint8Array.of(0x51), end)
  let lines = coins.slice(sizes.length)
  const full = Array.from({ length: blocks }, () => {
    const block = lines.map(lineTransaction)
    lines = block.map((tx) => ({ txid: transactionId(tx, crypto), vout: 0, value: tx.outputs[0]!.value }))
    return builder.add(block).bytes
  })
  return {
    funded,
    full,
    other: Array.from({ length: blocks + 1 }, () => other.add([]).bytes),
    pooled: sizes.flatMap((size, i) => cluster(size, coins[i]!, keys[i]!, below, crypto)),
    time: other.end().time + 60
  }
}

const until = async (holds: () => Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 200))
}

interface MempoolInfo {
  readonly loaded: boolean
  readonly size: number
  readonly usage: number
  readonly maxmempool: number
}

const reorganize = async (
  node: RunningNode,
  directory: string,
  { full, other }: Material
): Promise<ReorganizationFigures> => {
  const info = () => asOperator(node.port, directory, "getmempoolinfo", []) as Promise<MempoolInfo>
  const submit = (block: Uint8Array) =>
    asOperator(node.port, directory, "submitblock", [Buffer.from(block).toString("hex")])
  await until(async () => (await info()).loaded)
  const before = await info()
  if (before.usage < before.maxmempool * 0.95) throw new Error(`the mempool is not full: ${JSON.stringify(before)}`)
  for (const block of other.slice(0, -1)) await submit(block)
  const url = `http://127.0.0.1:${node.port}`
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getblockcount" })
  const live = probe({ url: `${url}/health/live`, pause: PAUSE_MILLISECONDS })
  const rpc = probe({ url: `${url}/`, body, token: TOKEN, pause: PAUSE_MILLISECONDS })
  const start = performance.now()
  const verdict = await submit(other.at(-1)!)
  const seconds = (performance.now() - start) / 1_000
  const [lives, rpcs] = [await live.stop(), await rpc.stop()]
  if (verdict !== null) throw new Error(`the last block is refused: ${JSON.stringify(verdict)}`)
  const tip = await asOperator(node.port, directory, "getblockcount", [])
  const pooledAfter = (await info()).size
  if (typeof tip !== "number") throw new Error("there is no height")
  return { blocks: full.length, pooled: before.size, pooledAfter, seconds, live: p99(lives), rpc: p99(rpcs) }
}

/** A running node with a full mempool changes from full blocks to a branch of empty ones. */
export const measureReorganization = (blocks: number, transactions: number): Promise<ReorganizationFigures> =>
  inTemporaryDirectory(async (directory) => {
    const material = materialOf(blocks, transactions)
    const { magic } = networkCalled("regtest")!
    const file = join(directory, "blocks.dat")
    writeFileSync(file, concatBytes([...material.funded, ...material.full].map((block) => framed(magic, block))))
    const data = join(directory, "data")
    await importInto(data, file)
    mkdirSync(join(data, "regtest"), { recursive: true })
    const saved = material.pooled.map((tx) => ({ tx, time: material.time, feeDelta: 0n }))
    writeFileSync(
      join(data, "regtest", "mempool.dat"),
      encodeMempoolFile({ transactions: saved, deltas: [], unbroadcast: [] }, undefined)
    )
    const room = Math.ceil(transactions * BYTES_EACH / MEGABYTE)
    const node = await startBenchNode(data, [
      "--set",
      `regtest.mock_time=${material.time}`,
      "--set",
      `mempool.max_mb=${room}`
    ])
    try {
      return await reorganize(node, data, material)
    } finally {
      await stopBenchNode(node)
    }
  })
