import { join } from "node:path"
import { type AvailableProvider } from "../../crypto/src/index.ts"
import { type Block, decodeBlock, type Transaction } from "../../kernel/src/index.ts"
import { freePort, type RunningNode } from "../../node/test/process/node-process.ts"
import type { BenchRun, BenchSettings } from "../bench.ts"
import { chainBuilder } from "../chain-builder.ts"
import { median } from "../measure.ts"
import { fundedChain } from "../mempool/funded-chain.ts"
import { benchKeys, PAY_TO_ANCHOR, spendSigned } from "../mempool/transactions.ts"
import { inTemporaryDirectory } from "../node/temporary-directory.ts"
import type { Row } from "../row.ts"
import { startBenchNode, stopBenchNode, TOKEN } from "../rpc/bench-node.ts"
import { asOperator } from "../sync/as-operator.ts"
import { type AnnouncingPeer, announcingPeer } from "./announcing-peer.ts"
import { compactTargets, ROW } from "./targets.ts"

const TRANSACTIONS = 4_000
const VALUE = 100_000n
const FEE = 500n
/** The first blocks compile the code. */
const WARM_UP = 2
const UNDER_WAY = 64
const PATIENCE_MILLISECONDS = 60_000

/** A chain with coins, and what spends them block by block. */
interface Material {
  readonly chain: ReadonlyArray<Uint8Array>
  readonly blocks: ReadonlyArray<Block>
  readonly time: number
}

const blockOf = (bytes: Uint8Array): Block => {
  const decoded = decodeBlock(bytes)
  if (decoded._tag === "Failure") throw new Error("the bench made a block that is none")
  return decoded.success
}

const materialOf = (count: number, { crypto }: AvailableProvider): Material => {
  const keys = benchKeys(count * TRANSACTIONS, crypto)
  const funded = fundedChain(keys.map(({ script }) => ({ value: VALUE, script })), crypto)
  const builder = chainBuilder(crypto, PAY_TO_ANCHOR, funded.end)
  const signed = keys.map((key, i) => spendSigned(funded.coins[i]!, key, [VALUE - FEE - 1_000n, 1_000n], crypto))
  // A block on top, by which the peer shows that it has valid ones.
  const first = blockOf(builder.add([]).bytes)
  const blocks = Array.from({ length: count }, (_, i) => {
    const own: ReadonlyArray<Transaction> = signed.slice(i * TRANSACTIONS, (i + 1) * TRANSACTIONS)
    return blockOf(builder.add(own).bytes)
  })
  return { chain: funded.blocks, blocks: [first, ...blocks], time: builder.end().time + 60 }
}

type Call = (method: string, ...params: ReadonlyArray<unknown>) => Promise<unknown>

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

/** Gives the node all transactions of a block but the coinbase, some at a time. */
const fillPool = async (call: Call, { transactions }: Block): Promise<void> => {
  let next = 1
  const lane = async (): Promise<void> => {
    while (next < transactions.length) await call("sendrawtransaction", hexOf(transactions[next++]!.bytes))
  }
  await Promise.all(Array.from({ length: UNDER_WAY }, lane))
}

/** Milliseconds from the announcement of a block until the node answers that it is its tip. */
const announced = async (peer: AnnouncingPeer, call: Call, block: Block, height: number): Promise<number> => {
  const waiting = call("waitforblockheight", height, PATIENCE_MILLISECONDS)
  await new Promise((resolve) => setTimeout(resolve, 200))
  const start = performance.now()
  peer.announce(block)
  const reached = await waiting as { readonly height: number }
  if (reached.height !== height) throw new Error(`the node has not taken block ${height}`)
  return performance.now() - start
}

/** Transactions of blocks that were put together, and whose scripts were verified before. */
interface Counts {
  readonly fromPool: number
  readonly verifiedBefore: number
}

const countsOf = async (node: RunningNode): Promise<Counts> => {
  const response = await fetch(`http://127.0.0.1:${node.port}/metrics`, {
    headers: { authorization: `Bearer ${TOKEN}` }
  })
  const text = await response.text()
  const valueOf = (sample: string): number => {
    const line = text.split("\n").find((each) => each.startsWith(`${sample} `))
    if (line === undefined) throw new Error(`the node has no metric ${sample}`)
    return Number(line.slice(sample.length))
  }
  return {
    fromPool: valueOf("lockstep_compact_block_transactions_total{source=\"mempool\"}"),
    verifiedBefore: valueOf("lockstep_block_scripts_total{verified=\"before\"}")
  }
}

interface Figures {
  readonly known: ReadonlyArray<number>
  readonly unknown: ReadonlyArray<number>
  /** Of the transactions in blocks of known ones. */
  readonly fromPool: number
  readonly skipped: number
}

const play = async (
  { effort: { runs }, onStep, providers }: BenchSettings,
  directory: string
): Promise<Figures> => {
  const provider = providers[0]!
  onStep("signing transactions")
  const { blocks, chain, time } = materialOf(WARM_UP + 2 * runs, provider)
  const port = await freePort()
  const node = await startBenchNode(directory, ["--listen-addr", `127.0.0.1:${port}`])
  try {
    const call: Call = (method, ...params) => asOperator(node.port, directory, method, params)
    await call("setmocktime", time)
    for (const bytes of chain) {
      const refused = await call("submitblock", hexOf(bytes))
      if (refused !== null) throw new Error(`a block of the bench is refused: ${String(refused)}`)
    }
    const peer = await announcingPeer(port, provider.crypto)
    peer.give(blocks[0]!)
    await peer.chosen
    let height = chain.length + 1
    const known: Array<number> = []
    const unknown: Array<number> = []
    let [fromPool, skipped, all] = [0, 0, 0]
    for (const [i, block] of blocks.slice(1).entries()) {
      const isKnown = i < WARM_UP || i % 2 === 0
      onStep(`announcing block ${i + 1} of ${blocks.length - 1}`)
      if (isKnown) await fillPool(call, block)
      const before = await countsOf(node)
      const milliseconds = await announced(peer, call, block, ++height)
      const after = await countsOf(node)
      if (i < WARM_UP) continue
      if (isKnown) {
        fromPool += after.fromPool - before.fromPool
        skipped += after.verifiedBefore - before.verifiedBefore
        all += block.transactions.length - 1
      }
      const figures = isKnown ? known : unknown
      figures.push(milliseconds)
    }
    peer.end()
    return { known, unknown, fromPool: fromPool / all, skipped: skipped / all }
  } finally {
    await stopBenchNode(node)
  }
}

/** A peer in high-bandwidth mode announces full blocks to a node that has their transactions, or has none of them. */
export const compactBench = async (settings: BenchSettings): Promise<BenchRun> => {
  const provider = settings.providers[0]!.name
  const { fromPool, known, skipped, unknown } = await inTemporaryDirectory((directory) =>
    play(settings, join(directory, "data"))
  )
  const rows: ReadonlyArray<Row> = [
    { name: ROW.TIP, provider, value: median(known), unit: "ms" },
    {
      name: ROW.UNKNOWN,
      provider,
      value: median(unknown),
      unit: "ms",
      ratio: median(unknown) / median(known),
      to: "known"
    },
    { name: ROW.POOL, provider, value: 100 * fromPool, unit: "%" },
    { name: ROW.SKIPPED, provider, value: 100 * skipped, unit: "%" }
  ]
  return { rows, targets: compactTargets(rows), second: "by the clock" }
}
