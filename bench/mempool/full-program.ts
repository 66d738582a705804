import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { selectProvider } from "../../crypto/src/index.ts"
import { type Transaction, transactionId } from "../../kernel/src/index.ts"
import type { EngineOptions } from "../../node/src/engine/options/engine-options.ts"
import { DEFAULT_MEMPOOL_SETTINGS } from "../../node/src/engine/options/settings.ts"
import { blockScripts, type EngineHere, withEngineHere } from "../../node/test/engine/engine-here.ts"
import { chainBuilder } from "../chain-builder.ts"
import { ENGINE_OPTIONS } from "../node/engine-client.ts"
import { answerParent } from "../node/in-child.ts"
import { inTemporaryDirectory } from "../node/temporary-directory.ts"
import { cluster, CLUSTER_VALUE, clusterSizes } from "./clusters.ts"
import { fundedChain, type FundedChain } from "./funded-chain.ts"
import { sequence } from "./sequence.ts"
import { PAY_TO_ANCHOR, benchKeys, spendAnchors } from "./transactions.ts"

/** What the program is asked, as JSON. */
export interface FullAsked {
  readonly transactions: number
  readonly runs: number
}

/** What the program prints, as JSON: processor seconds of all threads, and bytes of the JavaScript heap. */
export interface FullFigures {
  /** By the transaction. */
  readonly filled: number
  readonly heap: number
  readonly outsideHeap: number
  /** One after another. */
  readonly templates: ReadonlyArray<number>
  readonly templateTransactions: number
  /** One acceptance while there is room, one that evicts, and what one evicted transaction adds. */
  readonly acceptance: number
  readonly evictingAcceptance: number
  readonly eviction: number
  /** Scripts of the block once more, and by what is known of them. */
  readonly judgedAgain: number
  readonly judgedBefore: number
  /** The block that confirms, and the same block where there is no mempool and no script to verify. */
  readonly block: number
  readonly blockAlone: number
}

const BLOCK_TRANSACTIONS = 4_000
const SPARES = 4_000
const SPARE_VALUE = 100_000n
const SPARE_FEE = 60_000n

const selection = selectProvider()
if (!selection.ok) throw new Error("there is no crypto provider")
const { crypto } = selection.provider

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

const collectedMemory = (): NodeJS.MemoryUsage => {
  collect()
  return process.memoryUsage()
}

const medianOf = (figures: ReadonlyArray<number>): number => figures.toSorted((a, b) => a - b)[figures.length >> 1]!

const processorSeconds = async (work: () => Promise<unknown>): Promise<number> => {
  const start = process.cpuUsage()
  await work()
  const { system, user } = process.cpuUsage(start)
  return (system + user) / 1e6
}

interface Material {
  readonly chain: FundedChain
  readonly pooled: ReadonlyArray<Transaction>
  readonly spares: ReadonlyArray<Transaction>
  /** What blocks confirm one after another: parents before their children, and some of every cluster. */
  readonly confirmed: ReadonlyArray<ReadonlyArray<Transaction>>
}

const materialOf = (transactions: number, spares: number, blocks: number): Material => {
  const below = sequence()
  const sizes = clusterSizes(transactions, below)
  const keys = benchKeys(sizes.length, crypto)
  const chain = fundedChain([
    ...keys.map(({ script }) => ({ value: CLUSTER_VALUE, script })),
    ...Array.from({ length: spares }, () => ({ value: SPARE_VALUE, script: PAY_TO_ANCHOR }))
  ], crypto)
  const clusters = sizes.map((size, i) => cluster(size, chain.coins[i]!, keys[i]!, below, crypto))
  const byPlace = Array.from({ length: 64 }, (_, place) => clusters.flatMap((each) => each[place] ?? [])).flat()
  return {
    chain,
    pooled: clusters.flat(),
    spares: chain.coins.slice(sizes.length).map((coin) => spendAnchors([coin], [SPARE_VALUE - SPARE_FEE - 300n, 300n])),
    confirmed: Array.from(
      { length: blocks },
      (_, i) => byPlace.slice(i * BLOCK_TRANSACTIONS, (i + 1) * BLOCK_TRANSACTIONS)
    )
  }
}

const optionsOf = (directory: string, { end }: FundedChain, maxBytes?: number): EngineOptions => ({
  ...ENGINE_OPTIONS,
  directory,
  mockTime: end.time + 60,
  mempool: { ...DEFAULT_MEMPOOL_SETTINGS, persists: false, ...maxBytes === undefined ? {} : { maxBytes } }
})

const submit = async ({ call }: EngineHere, bytes: Uint8Array): Promise<void> => {
  const { result } = await call("submitBlock", { bytes: bytes.slice() })
  if (result !== undefined) throw new Error(`a block of the bench is refused: ${result}`)
}

const accept = async ({ call }: EngineHere, transactions: ReadonlyArray<Transaction>): Promise<void> => {
  for (const { bytes } of transactions) {
    const outcome = await call("acceptTransaction", { bytes: bytes.slice() })
    if (outcome._tag !== "Accepted") {
      throw new Error(`a transaction of the bench is refused: ${JSON.stringify(outcome)}`)
    }
  }
}

const onChain = <A>(
  { chain }: Material,
  maxBytes: number | undefined,
  work: (engine: EngineHere) => Promise<A>
): Promise<A> =>
  inTemporaryDirectory((directory) =>
    withEngineHere(optionsOf(directory, chain, maxBytes), async (engine) => {
      for (const block of chain.blocks) await submit(engine, block)
      return work(engine)
    })
  )

const templatesOf = async (
  { call }: EngineHere,
  { chain: { end }, pooled }: Material,
  runs: number
): Promise<Pick<FullFigures, "templateTransactions" | "templates">> => {
  const templates: Array<number> = []
  let templateTransactions = 0
  for (let run = 0; run <= runs; run++) {
    // It is kept for some seconds after a change, and there is one each time.
    await call("setMockTime", { time: end.time + 120 + 60 * run })
    await call("prioritise", { txid: transactionId(pooled[run]!, crypto), delta: 1n })
    templates.push(
      await processorSeconds(async () => {
        templateTransactions = (await call("blockTemplate", undefined)).transactions.length
      })
    )
  }
  // The first one compiles.
  return { templates: templates.slice(1), templateTransactions }
}

const withRoom = (material: Material, runs: number) =>
  onChain(material, undefined, async (engine) => {
    const { chain: { end }, confirmed, pooled, spares } = material
    const before = collectedMemory()
    const filled = await processorSeconds(() => accept(engine, pooled))
    const after = collectedMemory()
    const { usage } = await engine.call("mempoolFigures", undefined)
    const templates = await templatesOf(engine, material, runs)
    const acceptance = await processorSeconds(() => accept(engine, spares))
    const builder = chainBuilder(crypto, PAY_TO_ANCHOR, end)
    const blocks = confirmed.map((each) => builder.add(each).bytes)
    const { all, unverified } = await blockScripts(engine, blocks[0]!)
    const judged: Array<{ readonly again: number; readonly before: number }> = []
    for (let run = 0; run <= runs; run++) {
      judged.push({ again: await processorSeconds(all), before: await processorSeconds(unverified) })
    }
    const connected: Array<number> = []
    for (const bytes of blocks) connected.push(await processorSeconds(() => submit(engine, bytes)))
    const count = (await engine.call("mempoolFigures", undefined)).transactions
    if (count !== pooled.length + spares.length - confirmed.flat().length) throw new Error(`${count} are left`)
    return {
      ...templates,
      filled: filled / pooled.length,
      heap: (after.heapUsed - before.heapUsed) / pooled.length,
      outsideHeap: (after.arrayBuffers - before.arrayBuffers) / pooled.length,
      acceptance: acceptance / spares.length,
      judged: judged.slice(1),
      block: medianOf(connected.slice(1)),
      blocks,
      usage
    }
  })

/** The mempool is as full as it may be: what comes evicts what pays least. */
const withoutRoom = (material: Material, maxBytes: number) =>
  onChain(material, maxBytes, async (engine) => {
    await accept(engine, material.pooled)
    const evicted = async () => (await engine.call("mempoolFigures", undefined)).removed["sizelimit"] ?? 0
    const before = await evicted()
    const seconds = await processorSeconds(() => accept(engine, material.spares))
    return { seconds, evicted: await evicted() - before }
  })

/** Connecting each block again once its scripts are known to hold: what is left is its validation. */
const alone = (material: Material, blocks: ReadonlyArray<Uint8Array>) =>
  onChain(material, undefined, async (engine) => {
    const seconds: Array<number> = []
    for (const bytes of blocks) {
      await submit(engine, bytes)
      const hash = engine.chain.tree.tip.hash.slice()
      await engine.call("invalidateBlock", { hash })
      seconds.push(await processorSeconds(() => engine.call("reconsiderBlock", { hash })))
    }
    return seconds.slice(1)
  })

const measured = async ({ runs, transactions }: FullAsked): Promise<FullFigures> => {
  const material = materialOf(transactions, SPARES, runs + 1)
  const { blocks, judged, usage, ...roomy } = await withRoom(material, runs)
  const full = await withoutRoom(material, usage)
  const evictingAcceptance = full.seconds / SPARES
  return {
    ...roomy,
    judgedAgain: medianOf(judged.map(({ again }) => again)),
    judgedBefore: medianOf(judged.map(({ before }) => before)),
    evictingAcceptance,
    eviction: (full.seconds - roomy.acceptance * SPARES) / full.evicted,
    blockAlone: medianOf(await alone(material, blocks))
  }
}

await answerParent(measured)
