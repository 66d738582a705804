import { readFileSync } from "node:fs"
import { parentPort, workerData } from "node:worker_threads"
import { selectProvider } from "../../crypto/src/index.ts"
import {
  CONSENSUS_FLAGS,
  type Crypto,
  decodeBlock,
  spendDigests,
  type Transaction,
  transactionId,
  type TransactionOutput
} from "../../kernel/src/index.ts"
import { rawCallsOf } from "../kernel/raw-calls.ts"
import { blocksOf } from "./bench-chain.ts"

/** What a thread is given: its part of the first signatures of the chain is as large as that of every other. */
export interface RawStart {
  readonly provider: string
  readonly chain: string
}

/** How often a thread asked, and for how long. */
export interface RawFigures {
  readonly calls: number
  readonly seconds: number
  readonly processorSeconds: number
}

/** So many that a processor does not know them by heart. */
const SIGNATURES = 5_000

const keyOf = (txid: Uint8Array, vout: number): string => `${Buffer.from(txid).toString("hex")}:${vout}`

/** The questions that verifying the first signatures of the chain asks of the provider. */
const callsOf = ({ chain }: RawStart, crypto: Crypto): ReadonlyArray<() => boolean> => {
  const outputs = new Map<string, TransactionOutput>()
  const calls: Array<() => boolean> = []
  const spend = (tx: Transaction): void => {
    const spentOutputs = tx.inputs.map(({ prevout }) => outputs.get(keyOf(prevout.txid, prevout.vout))!)
    const digests = spendDigests(tx, spentOutputs, crypto)
    for (const inputIndex of tx.inputs.keys()) {
      calls.push(...rawCallsOf({ tx, inputIndex, spentOutputs, digests, flags: CONSENSUS_FLAGS }, crypto))
    }
  }
  for (const bytes of blocksOf(new Uint8Array(readFileSync(chain)))) {
    if (calls.length >= SIGNATURES) break
    const decoded = decodeBlock(bytes)
    if (decoded._tag === "Failure") throw new Error(`${chain} holds something that is no block`)
    for (const [i, tx] of decoded.success.transactions.entries()) {
      if (i > 0) spend(tx)
      const txid = transactionId(tx, crypto)
      for (const [vout, output] of tx.outputs.entries()) outputs.set(keyOf(txid, vout), output)
    }
  }
  return calls
}

const ask = (calls: ReadonlyArray<() => boolean>, milliseconds: number): RawFigures => {
  const cpu = process.threadCpuUsage()
  const start = performance.now()
  let asked = 0
  while (performance.now() - start < milliseconds) {
    for (let i = 0; i < 100; i++) if (!calls[asked++ % calls.length]!()) throw new Error("a signature of the chain does not verify")
  }
  const { system, user } = process.threadCpuUsage(cpu)
  return { calls: asked, seconds: (performance.now() - start) / 1_000, processorSeconds: (system + user) / 1e6 }
}

if (parentPort !== null) {
  const port = parentPort
  const start = workerData as RawStart
  const selection = selectProvider(start.provider)
  if (!selection.ok) throw new Error(`the crypto provider ${start.provider} has gone`)
  const calls = callsOf(start, selection.provider.crypto)
  ask(calls, 200)
  port.on("message", (milliseconds: number) => port.postMessage(ask(calls, milliseconds)))
  port.postMessage("ready")
}
