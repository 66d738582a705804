import { type OutPoint, type Transaction, transactionOf } from "@lockstep/kernel/model"
import type { ClusterLimits } from "@lockstep/txgraph"
import type { TxMempool } from "../../../src/engine/txmempool/contract.ts"
import { idOf } from "../mempool/loose-transactions.ts"
import { pick, type Random } from "../planted-blocks.ts"
import { coin, emptyMempool } from "./mempools.ts"
import { naiveMempool, type NaiveMempool, outputName, spentBy } from "./naive-mempool.ts"

/** A chain of blocks beside the mempool under test and its model. */
export interface World {
  readonly mempool: TxMempool
  readonly limits: ClusterLimits
  readonly maxBytes: number
  readonly naive: NaiveMempool
  readonly random: Random
  readonly blocks: Array<ReadonlyArray<Transaction>>
  /** For which reasons entries have left. */
  readonly departures: Set<string>
  coins: ReadonlyArray<OutPoint>
  step: number
}

export const upTo = (random: Random, most: number): number => Math.floor(random() * (most + 1))

export const outputsOf = (tx: Transaction): ReadonlyArray<OutPoint> =>
  tx.outputs.map((_, vout) => ({ txid: idOf(tx), vout }))

/** Outputs that the next block could spend: confirmed ones, and those of entries. */
const spendable = ({ blocks, coins, naive }: World): ReadonlyArray<OutPoint> => {
  const confirmed = blocks.flat()
  const gone = new Set(confirmed.flatMap(spentBy))
  const outputs = [...confirmed, ...[...naive.entries.values()].map(({ tx }) => tx)].flatMap(outputsOf)
  return [...coins, ...outputs].filter((output) => !gone.has(outputName(output)))
}

export const randomTransaction = (world: World): Transaction => {
  const { random } = world
  const spent = new Set([...world.naive.entries.values()].flatMap(({ tx }) => spentBy(tx)))
  const all = spendable(world)
  // Mostly no conflict.
  const outputs = random() < 0.2 ? all : all.filter((output) => !spent.has(outputName(output)))
  const chosen = new Map(
    Array.from({ length: 1 + upTo(random, 2) }, () => pick(outputs, random)).map((
      output
    ) => [outputName(output), output])
  )
  return transactionOf({
    version: 2,
    inputs: [...chosen.values()].map((prevout) => ({
      prevout,
      script: new Uint8Array(upTo(random, 60)),
      sequence: 0,
      witness: Array.from({ length: upTo(random, 2) }, () => new Uint8Array(upTo(random, 40)))
    })),
    outputs: Array.from(
      { length: 1 + upTo(random, 2) },
      () => ({ value: 1n, script: new Uint8Array(upTo(random, 60)) })
    ),
    lockTime: world.step
  })
}

export const handleOf = ({ mempool }: World, name: string): number => mempool.ofTxid(Buffer.from(name, "hex"))!

/** Few coins, so that transactions meet. */
export const emptyWorld = ({ limits, maxBytes }: Pick<World, "limits" | "maxBytes">, random: Random): World => ({
  mempool: emptyMempool({ limits, maxBytes }),
  limits,
  maxBytes,
  naive: naiveMempool(),
  random,
  blocks: [],
  departures: new Set(),
  coins: Array.from({ length: 12 }, (_, number) => coin(number)),
  step: 0
})
