import { selectProvider } from "../../crypto/src/index.ts"
import { BENCH_CHAIN, headersOf } from "./bench-chain.ts"
import { ENGINE_OPTIONS, type EngineClient, startEngine } from "./engine-client.ts"
import { answerParent } from "./in-child.ts"
import { minedHeaders } from "./mined-headers.ts"
import { inTemporaryDirectory } from "./temporary-directory.ts"

export interface ImportAsked {
  readonly chain: string
  readonly scriptWorkers: number
  /** Takes the scripts of all blocks to hold, and their headers in first. */
  readonly assumedValid: boolean
}

export interface ImportFigures {
  /** By the clock, from the call until everything is on disk. */
  readonly seconds: number
  /** Of all processors, of all threads. */
  readonly processorSeconds: number
  /** Most memory that the process took, in bytes, and how much of it before the import. */
  readonly memory: number
  readonly memoryBefore: number
}

const hex = (hash: Uint8Array | undefined): string => Buffer.from(hash ?? []).reverse().toString("hex")

/** Scripts are taken to hold only below two weeks of work, which the chain does not have of its own. */
const HEADERS_ON_TOP = 2_100

const submitHeaders = async (engine: EngineClient, chain: string): Promise<void> => {
  const selection = selectProvider()
  if (!selection.ok) throw new Error("there is no crypto provider")
  const { crypto } = selection.provider
  const headers = [...headersOf(chain)].slice(1)
  const last = headers.at(-1)!
  const end = { hash: crypto.sha256d(last), time: new DataView(last.buffer).getUint32(68, true) }
  for (const bytes of [...headers, ...minedHeaders(end, HEADERS_ON_TOP, crypto)]) {
    await engine.call("submitHeader", { bytes })
  }
}

const expectEqual = (what: string, expected: string | number, actual: string | number): void => {
  if (actual !== expected) {
    throw new Error(`after the import the ${what} is ${actual}, where Bitcoin Core has ${expected}`)
  }
}

const expectChain = async (engine: EngineClient): Promise<void> => {
  expectEqual("height", BENCH_CHAIN.height, engine.state().height)
  expectEqual("tip", BENCH_CHAIN.tip, hex(engine.state().hash))
  const statistics = (hashType: "muhash" | "hash_serialized_3") =>
    engine.call("setStatistics", { hashType, at: undefined, useIndex: false })
  expectEqual("MuHash of the coins", BENCH_CHAIN.muhash, hex((await statistics("muhash")).setHash))
  expectEqual(
    "serialized hash of the coins",
    BENCH_CHAIN.hashSerialized,
    hex((await statistics("hash_serialized_3")).setHash)
  )
}

const memoryNow = (): number => process.resourceUsage().maxRSS * 1024

const importChain = async (
  { assumedValid, chain, scriptWorkers }: ImportAsked,
  directory: string
): Promise<ImportFigures> => {
  const engine = await startEngine({
    ...ENGINE_OPTIONS,
    directory,
    scriptWorkers,
    assumedValid: assumedValid ? { _tag: "Block", hash: BENCH_CHAIN.tip } : { _tag: "Nothing" }
  })
  if (assumedValid) await submitHeaders(engine, chain)
  const memoryBefore = memoryNow()
  const cpu = process.cpuUsage()
  const start = performance.now()
  await engine.call("importFiles", { paths: [chain] })
  await engine.call("flush", undefined)
  const seconds = (performance.now() - start) / 1_000
  const { system, user } = process.cpuUsage(cpu)
  const memory = memoryNow()
  await expectChain(engine)
  await engine.close()
  return { seconds, processorSeconds: (system + user) / 1e6, memory, memoryBefore }
}

await answerParent((asked: ImportAsked) => inTemporaryDirectory((directory) => importChain(asked, directory)))
