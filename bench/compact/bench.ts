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

/** A node of the bench and how it is called. */
interface Party {
  readonly node: RunningNode
  readonly call: Call
}

const tipOf = async ({ call }: Party, height: number): Promise<number> => {
  const reached = await call("waitforblockheight", height, PATIENCE_MILLISECONDS) as { readonly height: number }
  if (reached.height !== height) throw new Error(`a node has not taken block ${height}`)
  return performance.now()
}

/** Milliseconds from the announcement of a block until each node answers that it is its tip. */
const announced = async (
  announce: () => void,
  parties: ReadonlyArray<Party>,
  height: number
): Promise<ReadonlyArray<number>> => {
  const tips = parties.map((party) => tipOf(party, height))
  await new Promise((resolve) => setTimeout(resolve, 200))
  const start = performance.now()
  announce()
  return (await Promise.all(tips)).map((at) => at - start)
}

/** What a node has counted of compact blocks: all it put together, those without a request, and their transactions. */
interface Counts {
  readonly rebuilt: number
  readonly atOnce: number
  readonly fromPool: number
  readonly verifiedBefore: number
}

const countsOf = async ({ node }: Party): Promise<Counts> => {
  const response = await fetch(`http://127.0.0.1:${node.port}/metrics`, {
    headers: { authorization: `Bearer ${TOKEN}` }
  })
  const text = await response.text()
  const valueOf = (sample: string): number => {
    const line = text.split("\n").find((each) => each.startsWith(`${sample} `))
    if (line === undefined) throw new Error(`the node has no metric ${sample}`)
    return Number(line.slice(sample.length))
  }
  const atOnce = valueOf("lockstep_compact_blocks_total{outcome=\"mempool\"}")
  return {
    rebuilt: atOnce + valueOf("lockstep_compact_blocks_total{outcome=\"requested\"}"),
    atOnce,
    fromPool: valueOf("lockstep_compact_block_transactions_total{source=\"mempool\"}"),
    verifiedBefore: valueOf("lockstep_block_scripts_total{verified=\"before\"}")
  }
}

/** The counts when one more block is among them: a node tells a tip before its coins are committed, and counts after it. */
const nextCountsOf = async (party: Party, before: Counts): Promise<Counts> => {
  for (let tries = 0; tries < 200; tries++) {
    const counts = await countsOf(party)
    if (counts.rebuilt > before.rebuilt) return counts
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error("a node has not put the block together from its compact form")
}

interface Figures {
  /** Of the node that the peer announces to, and of the one behind it. */
  readonly known: ReadonlyArray<ReadonlyArray<number>>
  readonly unknown: ReadonlyArray<ReadonlyArray<number>>
  /** Shares over both nodes: of the blocks, and of the transactions in blocks of known ones. */
  readonly atOnce: number
  readonly fromPool: number
  readonly skipped: number
}

/** Makes one node choose another for high-bandwidth mode: it connects, and gets a block from it. */
const follow = async (behind: Party, port: number, height: number, give: () => void): Promise<void> => {
  await behind.call("addnode", `127.0.0.1:${port}`, "add")
  const isChosen = async (): Promise<boolean> => {
    const peers = await behind.call("getpeerinfo") as ReadonlyArray<{ readonly bip152_hb_to: boolean }>
    return peers.some(({ bip152_hb_to }) => bip152_hb_to)
  }
  const given = tipOf(behind, height)
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  give()
  await given
  for (let tries = 0; !(await isChosen()); tries++) {
    if (tries > 100) throw new Error("the second node has not chosen the first for high-bandwidth mode")
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

const totalOf = (counts: ReadonlyArray<Counts>, of: (counts: Counts) => number): number =>
  counts.reduce((sum, each) => sum + of(each), 0)

/** Announces all blocks, those with odd numbers behind the first ones to mempools that have none of their transactions. */
const announceAll = async (
  parties: ReadonlyArray<Party>,
  peer: AnnouncingPeer,
  blocks: ReadonlyArray<Block>,
  height: number,
  onStep: (step: string) => void
): Promise<Figures> => {
  const known: Array<ReadonlyArray<number>> = []
  const unknown: Array<ReadonlyArray<number>> = []
  let [atOnce, fromPool, skipped, all] = [0, 0, 0, 0]
  for (const [i, block] of blocks.entries()) {
    const isKnown = i < WARM_UP || i % 2 === 0
    onStep(`announcing block ${i + 1} of ${blocks.length}`)
    if (isKnown) await Promise.all(parties.map(({ call }) => fillPool(call, block)))
    const before = await Promise.all(parties.map(countsOf))
    const times = await announced(peer.prepare(block), parties, height + i)
    const after = await Promise.all(parties.map((party, number) => nextCountsOf(party, before[number]!)))
    if (i < WARM_UP) continue
    const figures = isKnown ? known : unknown
    figures.push(times)
    if (!isKnown) continue
    const growth = (of: (counts: Counts) => number): number => totalOf(after, of) - totalOf(before, of)
    atOnce += growth((counts) => counts.atOnce)
    fromPool += growth((counts) => counts.fromPool)
    skipped += growth((counts) => counts.verifiedBefore)
    all += (block.transactions.length - 1) * parties.length
  }
  const offered = known.length * parties.length
  return { known, unknown, atOnce: atOnce / offered, fromPool: fromPool / all, skipped: skipped / all }
}

const play = async (
  { effort: { runs }, onStep, providers }: BenchSettings,
  directory: string
): Promise<Figures> => {
  const provider = providers[0]!
  onStep("signing transactions")
  const { blocks, chain, time } = materialOf(WARM_UP + 2 * runs, provider)
  const parties: Array<Party> = []
  const start = async (name: string): Promise<{ readonly party: Party; readonly port: number }> => {
    const port = await freePort()
    const place = join(directory, name)
    const node = await startBenchNode(place, ["--listen-addr", `127.0.0.1:${port}`])
    const party: Party = { node, call: (method, ...params) => asOperator(node.port, place, method, params) }
    parties.push(party)
    await party.call("setmocktime", time)
    for (const bytes of chain) {
      const refused = await party.call("submitblock", hexOf(bytes))
      if (refused !== null) throw new Error(`a block of the bench is refused: ${String(refused)}`)
    }
    return { party, port }
  }
  try {
    const first = await start("first")
    const second = await start("second")
    const peer = await announcingPeer(first.port, provider.crypto)
    await follow(second.party, first.port, chain.length + 1, () => peer.give(blocks[0]!))
    await peer.chosen
    const figures = await announceAll(parties, peer, blocks.slice(1), chain.length + 2, onStep)
    peer.end()
    return figures
  } finally {
    for (const { node } of parties) await stopBenchNode(node)
  }
}

const medianOf = (times: ReadonlyArray<ReadonlyArray<number>>, party: number): number =>
  median(times.map((each) => each[party]!))

/**
 * A peer in high-bandwidth mode announces full blocks to a node that has their transactions, or has none of them, and
 * that announces them to a second one.
 */
export const compactBench = async (settings: BenchSettings): Promise<BenchRun> => {
  const provider = settings.providers[0]!.name
  const { atOnce, fromPool, known, skipped, unknown } = await inTemporaryDirectory((directory) =>
    play(settings, directory)
  )
  const row = (name: string, value: number, unit: string): Row => ({ name, provider, value, unit })
  const rows: ReadonlyArray<Row> = [
    row(ROW.TIP, medianOf(known, 0), "ms"),
    row(ROW.SECOND, medianOf(known, 1), "ms"),
    { ...row(ROW.UNKNOWN, medianOf(unknown, 0), "ms"), ratio: medianOf(unknown, 0) / medianOf(known, 0), to: "known" },
    row(ROW.AT_ONCE, 100 * atOnce, "%"),
    row(ROW.POOL, 100 * fromPool, "%"),
    row(ROW.SKIPPED, 100 * skipped, "%")
  ]
  return { rows, targets: compactTargets(rows), second: "by the clock" }
}
