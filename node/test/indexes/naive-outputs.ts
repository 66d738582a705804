import { decodeTransaction, type Transaction } from "@lockstep/kernel/model"
import { isUnspendable } from "@lockstep/kernel/utxo"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { IndexCalls } from "../../src/engine/api/index-calls.ts"
import type { OwnCall } from "../../src/engine/api/engine-calls.ts"
import type { MempoolCall } from "../../src/engine/api/mempool-calls.ts"
import type { RunningEngine } from "../../src/engine/host/engine.ts"
import { activeAt } from "../../src/engine/header-index/active-chain.ts"
import { loadBlock } from "../../src/engine/validation/load-block.ts"
import { hexOf } from "../../src/hex.ts"
import { idOf } from "../engine/mempool/loose-transactions.ts"

export type IndexedEngine = RunningEngine<OwnCall | keyof IndexCalls | MempoolCall>

interface NaiveOutput {
  readonly name: string
  readonly txid: string
  readonly script: string
  readonly value: bigint
  readonly height: number | undefined
}

interface NaiveMovement {
  readonly txid: string
  readonly height: number | undefined
  readonly received: ReadonlyMap<string, bigint>
  readonly sent: ReadonlyMap<string, bigint>
}

/** What the chain and the mempool hold, from their bytes alone. */
export interface NaiveOutputs {
  readonly unspent: ReadonlyArray<NaiveOutput>
  readonly movements: ReadonlyArray<NaiveMovement>
}

const grow = (sums: Map<string, bigint>, { script, value }: NaiveOutput): void => {
  sums.set(script, (sums.get(script) ?? 0n) + value)
}

const naive = () => {
  const outputs = new Map<string, NaiveOutput>()
  const unspent = new Map<string, NaiveOutput>()
  const movements: Array<NaiveMovement> = []
  const add = (tx: Transaction, height: number | undefined): void => {
    const txid = hexOf(idOf(tx))
    const [received, sent] = [new Map<string, bigint>(), new Map<string, bigint>()]
    for (const { prevout } of tx.inputs) {
      const name = `${hexOf(prevout.txid)}:${prevout.vout}`
      const output = outputs.get(name)
      if (output === undefined) continue
      unspent.delete(name)
      grow(sent, output)
    }
    for (const [vout, { script, value }] of tx.outputs.entries()) {
      if (isUnspendable(script)) continue
      const output = { name: `${txid}:${vout}`, txid, script: hexOf(script), value, height }
      outputs.set(output.name, output)
      unspent.set(output.name, output)
      grow(received, output)
    }
    movements.push({ txid, height, received, sent })
  }
  return { add, found: (): NaiveOutputs => ({ unspent: [...unspent.values()], movements: [...movements] }) }
}

/** Goes over every block of the active chain, and then over the mempool. */
export const naiveOutputs = Effect.fnUntraced(function*({ call, chain }: IndexedEngine) {
  const all = naive()
  for (let height = 1; height <= chain.tree.tip.height; height++) {
    const { block } = yield* loadBlock(chain, activeAt(chain.tree, height)!)
    for (const tx of block.transactions) all.add(tx, height)
  }
  const confirmed = all.found()
  for (const { bytes } of yield* call("followMempool", undefined)) {
    all.add(Result.getOrThrow(decodeTransaction(bytes)), undefined)
  }
  return { confirmed, withMempool: all.found() }
})
