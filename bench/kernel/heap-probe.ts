import { selectProvider } from "../../crypto/src/index.ts"
import { collectBlock, createMachine, type Crypto, verifyScript } from "../../kernel/src/index.ts"
import { median } from "../measure.ts"
import { judgeable, MEASURED_KINDS, signedSpends } from "../spends.ts"
import { type BlockFile, realBlocks, syntheticBlock, TARGET_BLOCK } from "./block-files.ts"
import { blockIn } from "./blocks.ts"
import { SPENDING_BLOCK, spentBlock } from "./spent-block.ts"

/** Bytes per input, or times the size of what was worked on; `name` says of what. */
export interface HeapFigure {
  readonly name: string
  readonly bytes: number
  readonly times?: number
}

export const CONNECT_MEMORY = `${SPENDING_BLOCK.name} connected: allocated`

const BATCHES = 40
/** Calls in a batch: many, so that the steps in which the heap grows do not show, but no more than take a moment. */
const BATCH = 250
const BATCH_MILLISECONDS = 20

/** On the heap and in the buffers of byte arrays, which lie outside it. */
const inUse = (): number => {
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

/** Runs `work` until it is compiled; answers how many calls make a batch. */
const warmUp = (work: (call: number) => unknown): number => {
  const start = performance.now()
  let calls = 0
  while (calls < 20 * BATCH && performance.now() - start < 10 * BATCH_MILLISECONDS) work(calls++)
  const milliseconds = (performance.now() - start) / calls
  return Math.max(8, Math.min(BATCH, Math.round(BATCH_MILLISECONDS / milliseconds)))
}

/** Bytes that `work` allocates per call: batches in which memory was freed in between say nothing and are left out. */
const allocatedBy = (work: (call: number) => unknown): number => {
  const batch = warmUp(work)
  const figures: Array<number> = []
  for (let i = 0; i < BATCHES; i++) {
    const before = inUse()
    for (let call = 0; call < batch; call++) work(call)
    const grown = inUse() - before
    if (grown >= 0) figures.push(grown / batch)
  }
  return median(figures)
}

const collected = (): number => {
  // Twice: the first one only queues what hangs on finalizers.
  globalThis.gc!()
  globalThis.gc!()
  return process.memoryUsage().heapUsed
}

/** Bytes of heap that what `work` answers keeps alive. */
const keptBy = (work: () => unknown): number => {
  const figures: Array<number> = []
  const kept: Array<unknown> = []
  for (let repeat = 0; repeat < 5; repeat++) {
    const before = collected()
    kept.push(work())
    figures.push(collected() - before)
  }
  return median(figures)
}

const blockFigure = (file: BlockFile): HeapFigure => {
  const inputs = blockIn(file).transactions.reduce((sum, tx) => sum + tx.inputs.length, 0)
  return { name: `${file.name} decoded: kept`, bytes: keptBy(() => blockIn(file)) / inputs }
}

const CONNECTS = 9

/** Bytes that one call of `work` allocates, when one call alone is large enough to be seen. */
const allocatedAtOnce = (work: () => unknown): number => {
  for (let i = 0; i < CONNECTS; i++) work()
  const figures = Array.from({ length: CONNECTS }, () => {
    globalThis.gc!()
    const before = inUse()
    work()
    return inUse() - before
  })
  return median(figures.filter((figure) => figure > 0))
}

/** What parsing a large block allocates beyond the block's own buffer, and what connecting it without scripts does. */
const connectFigures = (vectors: ReadonlyArray<string>, crypto: Crypto): ReadonlyArray<HeapFigure> => {
  const spent = spentBlock(vectors, crypto)
  if (spent === undefined) return []
  const { block, bytes: serialized, identity, inputs, node, parameters, view } = spent
  const name = SPENDING_BLOCK.name
  const figureOf = (title: string, bytes: number): HeapFigure => ({
    name: title,
    bytes: bytes / inputs,
    times: bytes / serialized.length
  })
  return [
    figureOf(`${name} parsed: allocated`, allocatedAtOnce(() => blockIn({ name, bytes: serialized }))),
    figureOf(CONNECT_MEMORY, allocatedAtOnce(() => collectBlock(block, node, identity, parameters, view)))
  ]
}

const figures = (provider: string, vectors: ReadonlyArray<string>): ReadonlyArray<HeapFigure> => {
  const selection = selectProvider(provider)
  if (!selection.ok) throw new Error(`the crypto provider ${provider} has gone`)
  const { crypto } = selection.provider
  const machine = createMachine(crypto)
  const block = realBlocks(vectors).find(({ name }) => name === TARGET_BLOCK) ?? syntheticBlock()
  return [
    ...MEASURED_KINDS.map(([title, kind]) => {
      const spends = signedSpends(kind).map((spend) => judgeable(spend, crypto))
      const judge = (call: number): unknown => verifyScript(machine, spends[call % spends.length]!)
      return { name: `${title} judged: allocated`, bytes: allocatedBy(judge) }
    }),
    blockFigure(block),
    ...connectFigures(vectors, crypto)
  ]
}

if (import.meta.main) {
  const [provider, ...vectors] = process.argv.slice(2)
  process.stdout.write(JSON.stringify(figures(provider!, vectors)))
}
