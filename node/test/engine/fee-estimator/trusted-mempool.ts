import { decodeBlock, type Transaction } from "@lockstep/kernel/model"
import * as Result from "effect/Result"
import { countConnectedBlock, type FeeEstimator } from "../../../src/engine/fee-estimator/fee-estimator.ts"
import {
  bytesOf,
  decoded,
  enter,
  enterAgain,
  type Entrance,
  evictConflicts,
  forget,
  known,
  trustedEntries,
  type TrustedEntries
} from "./trusted-entries.ts"

interface Block {
  readonly hash: string
  readonly previous: string
  readonly height: number
  readonly transactions: ReadonlyArray<Transaction>
}

/**
 * A mempool and a chain that believe what Bitcoin Core answered: nothing is judged. They feed an estimator with what
 * happened.
 */
export interface TrustedMempool {
  readonly entries: TrustedEntries
  readonly blocks: Map<string, Block>
  readonly invalid: Set<string>
  tip: Block
}

export const trustedMempool = (genesis: string): TrustedMempool => {
  const tip = { hash: genesis, previous: "", height: 0, transactions: [] }
  return { entries: trustedEntries(), blocks: new Map([[genesis, tip]]), invalid: new Set(), tip }
}

const hexBackwards = (bytes: Uint8Array): string => Buffer.from(bytes.toReversed()).toString("hex")

const connect = (mempool: TrustedMempool, estimator: FeeEstimator, block: Block): void => {
  const { entries } = mempool
  const confirmed: Array<string> = []
  for (const tx of block.transactions.slice(1)) {
    const key = known(entries, tx)
    if (entries.byTxid.has(key)) confirmed.push(key)
    forget(entries, key)
    evictConflicts(entries, estimator, tx, key)
  }
  known(entries, block.transactions[0]!)
  countConnectedBlock(estimator, block.height, confirmed)
  mempool.tip = block
}

const isValid = (mempool: TrustedMempool, block: Block): boolean =>
  mempool.invalid.size === 0 ||
  (!mempool.invalid.has(block.hash) &&
    (block.height === 0 || isValid(mempool, mempool.blocks.get(block.previous)!)))

const comeBack = (mempool: TrustedMempool, estimator: FeeEstimator, returning: ReadonlyArray<Transaction>): void => {
  for (const tx of returning) enter(mempool.entries, estimator, tx, { height: mempool.tip.height, how: "reorg" })
}

/** Follows the highest branch; of equals the present one, or the first known. */
const activate = (mempool: TrustedMempool, estimator: FeeEstimator): void => {
  const { blocks, entries } = mempool
  const candidates = [mempool.tip, ...blocks.values()].filter((block) => isValid(mempool, block))
  const best = candidates.reduce((chosen, each) => each.height > chosen.height ? each : chosen)
  const branch: Array<Block> = []
  for (let each = best; each.height > 0; each = blocks.get(each.previous)!) branch.unshift(each)
  const returning: Array<Transaction> = []
  while (mempool.tip.height > 0 && branch[mempool.tip.height - 1] !== mempool.tip) {
    returning.unshift(...mempool.tip.transactions.slice(1))
    mempool.tip = blocks.get(mempool.tip.previous)!
  }
  const connected = new Set<string>()
  for (const block of branch.slice(mempool.tip.height)) {
    connect(mempool, estimator, block)
    for (const tx of block.transactions) connected.add(known(entries, tx))
  }
  comeBack(mempool, estimator, returning.filter((tx) => !connected.has(known(entries, tx))))
}

export const accepted = (mempool: TrustedMempool, estimator: FeeEstimator, hex: string, how: Entrance): void =>
  enter(mempool.entries, estimator, decoded(hex), { height: mempool.tip.height, how })

export const submitted = (mempool: TrustedMempool, estimator: FeeEstimator, hash: string, hex: string): void => {
  const block = decodeBlock(bytesOf(hex))
  if (Result.isFailure(block)) throw new Error(`no block: ${hash}`)
  const { header, transactions } = block.success
  const previous = hexBackwards(header.previous)
  const parent = mempool.blocks.get(previous)
  if (parent === undefined) throw new Error(`the block before ${hash} is not known`)
  mempool.blocks.set(hash, { hash, previous, height: parent.height + 1, transactions })
  activate(mempool, estimator)
}

export const invalidated = (mempool: TrustedMempool, estimator: FeeEstimator, hash: string): void => {
  mempool.invalid.add(hash)
  const returning: Array<Transaction> = []
  while (!isValid(mempool, mempool.tip)) {
    returning.unshift(...mempool.tip.transactions.slice(1))
    mempool.tip = mempool.blocks.get(mempool.tip.previous)!
  }
  comeBack(mempool, estimator, returning)
  activate(mempool, estimator)
}

export const reconsidered = (mempool: TrustedMempool, estimator: FeeEstimator, hash: string): void => {
  mempool.invalid.delete(hash)
  activate(mempool, estimator)
}

export const prioritised = ({ entries: { deltas } }: TrustedMempool, txid: string, delta: bigint): void => {
  const key = hexBackwards(bytesOf(txid))
  deltas.set(key, (deltas.get(key) ?? 0n) + delta)
}

/** The node starts again with what it had, or without. */
export const restarted = (
  mempool: TrustedMempool,
  estimator: FeeEstimator,
  isPersistent: boolean,
  floor: number
): void => {
  if (isPersistent) return enterAgain(mempool.entries, estimator, mempool.tip.height, floor)
  for (const key of mempool.entries.byTxid.keys()) forget(mempool.entries, key)
}
