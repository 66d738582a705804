import { join } from "node:path"
import { writeFileSync } from "node:fs"
import { selectProvider } from "../../crypto/src/index.ts"
import type { Transaction } from "../../kernel/src/index.ts"
import { concatBytes } from "../../kernel/src/bytes/equal.ts"
import { networkCalled } from "../../protocol/src/index.ts"
import { chainBuilder } from "../chain-builder.ts"
import { ENGINE_OPTIONS, type EngineClient, startEngine } from "../node/engine-client.ts"
import { framed } from "../node/fan-out-chain.ts"
import { answerParent } from "../node/in-child.ts"
import { rawTeam } from "../node/raw-signatures.ts"
import { inTemporaryDirectory } from "../node/temporary-directory.ts"
import { fundedChain } from "./funded-chain.ts"
import { PAY_TO_ANCHOR, benchKeys, spendAnchors, spendSigned } from "./transactions.ts"

/** What the program is asked, as JSON. */
export interface AcceptanceAsked {
  readonly runs: number
  readonly workers: number
  /** Signed ones that each run gives to the mempool. */
  readonly transactions: number
}

/** What the program prints, as JSON. */
export interface AcceptanceFigures {
  /** Run by run: acceptances and raw signatures of all workers by the second, and processor seconds of each. */
  readonly accepted: ReadonlyArray<number>
  readonly raw: ReadonlyArray<number>
  readonly acceptedProcessor: ReadonlyArray<number>
  readonly rawProcessor: ReadonlyArray<number>
  /** Processor seconds of a test without signatures, run by run. */
  readonly tested: ReadonlyArray<number>
}

const VALUE = 100_000n
const FEE = 500n
/** Transactions that have been given to the engine and not been answered yet: those of some peers. */
const UNDER_WAY = 256
const RAW_MILLISECONDS = 800
const TESTS = 2_000
const BLOCK_TRANSACTIONS = 4_000

const selection = selectProvider()
if (!selection.ok) throw new Error("there is no crypto provider")
const { crypto, name } = selection.provider

interface Material {
  readonly chain: ReadonlyArray<Uint8Array>
  readonly time: number
  readonly signed: ReadonlyArray<Transaction>
  readonly unsigned: ReadonlyArray<Transaction>
}

const materialOf = (signed: number): Material => {
  const keys = benchKeys(signed, crypto)
  const anchors = Array.from({ length: TESTS }, () => ({ value: VALUE, script: PAY_TO_ANCHOR }))
  const chain = fundedChain([...keys.map(({ script }) => ({ value: VALUE, script })), ...anchors], crypto)
  const values = [VALUE - FEE - 1_000n, 1_000n]
  return {
    chain: chain.blocks,
    time: chain.end.time + 60,
    signed: keys.map((key, i) => spendSigned(chain.coins[i]!, key, values, crypto)),
    unsigned: chain.coins.slice(signed).map((coin) => spendAnchors([coin], values))
  }
}

/** A file of the chain with the signed transactions in its last blocks, from which raw signatures are read. */
const chainFile = (directory: string, { chain, signed }: Material): string => {
  const { magic } = networkCalled("regtest")!
  const builder = chainBuilder(crypto, PAY_TO_ANCHOR)
  const blocks = [...chain]
  for (let at = 0; at < signed.length; at += BLOCK_TRANSACTIONS) {
    blocks.push(builder.add(signed.slice(at, at + BLOCK_TRANSACTIONS)).bytes)
  }
  const file = join(directory, "chain.dat")
  writeFileSync(file, concatBytes(blocks.map((block) => framed(magic, block))))
  return file
}

/** Some calls at a time, each with a transaction. */
const giveAll = async (
  transactions: ReadonlyArray<Transaction>,
  give: (bytes: Uint8Array) => Promise<{ readonly _tag: string }>
): Promise<void> => {
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < transactions.length) {
      const outcome = await give(transactions[next++]!.bytes)
      if (outcome._tag !== "Accepted") {
        throw new Error(`a transaction of the bench is refused: ${JSON.stringify(outcome)}`)
      }
    }
  }
  await Promise.all(Array.from({ length: UNDER_WAY }, lane))
}

interface Timed {
  readonly seconds: number
  readonly processorSeconds: number
}

const timed = async (work: () => Promise<unknown>): Promise<Timed> => {
  const cpu = process.cpuUsage()
  const start = performance.now()
  await work()
  const seconds = (performance.now() - start) / 1_000
  const { system, user } = process.cpuUsage(cpu)
  return { seconds, processorSeconds: (system + user) / 1e6 }
}

const followed = async (engine: EngineClient): Promise<void> => {
  for (let from = 0;;) {
    const { headers, isLast } = await engine.call("followTree", { from })
    from = headers
    if (isLast) return
  }
}

const measured = ({ runs, transactions, workers }: AcceptanceAsked): Promise<AcceptanceFigures> =>
  inTemporaryDirectory(async (directory) => {
    const material = materialOf(transactions * (runs + 1))
    const engine = await startEngine({
      ...ENGINE_OPTIONS,
      directory: join(directory, "data"),
      scriptWorkers: workers,
      mockTime: material.time
    })
    for (const bytes of material.chain) await engine.call("submitBlock", { bytes })
    await followed(engine)
    const team = await rawTeam(workers, { provider: name, chain: chainFile(directory, material) })
    const figures = { accepted: [], raw: [], acceptedProcessor: [], rawProcessor: [], tested: [] } as {
      -readonly [K in keyof AcceptanceFigures]: Array<number>
    }
    for (let run = 0; run <= runs; run++) {
      const before = await team.measure(RAW_MILLISECONDS, "bytes")
      const some = material.signed.slice(run * transactions, (run + 1) * transactions)
      const accepted = await timed(() => giveAll(some, (bytes) => engine.call("acceptTransaction", { bytes })))
      const after = await team.measure(RAW_MILLISECONDS, "bytes")
      const tested = await timed(async () => {
        for (const { bytes } of material.unsigned) await engine.call("testTransaction", { bytes })
      })
      // The first run compiles.
      if (run === 0) continue
      figures.accepted.push(some.length / accepted.seconds)
      figures.acceptedProcessor.push(accepted.processorSeconds / some.length)
      figures.raw.push((before.perSecond + after.perSecond) / 2)
      figures.rawProcessor.push((before.processorSecondsEach + after.processorSecondsEach) / 2)
      figures.tested.push(tested.processorSeconds / material.unsigned.length)
    }
    await team.stop()
    await engine.close()
    return figures
  })

await answerParent(measured)
