import { decodeBlock, decodeTransaction, type Transaction, transactionId } from "@lockstep/kernel/model"
import { transactionSigOpCost } from "@lockstep/kernel/sigops"
import * as Result from "effect/Result"
import {
  blockConnected,
  type FeeEstimator,
  transactionEntered,
  transactionLeft
} from "../../../src/engine/fee-estimator/fee-estimator.ts"
import { idKey } from "../../../src/engine/mempool/mempool-entries.ts"
import { feeAt, STANDARD_FLAGS, virtualSizeOf } from "../../../src/engine/mempool/standard.ts"
import { testCrypto } from "../test-engine.ts"

const bytesOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, "hex"))

const decoded = (hex: string): Transaction => {
  const result = decodeTransaction(bytesOf(hex))
  if (Result.isFailure(result)) throw new Error(`no transaction: ${hex}`)
  return result.success
}

const spentBy = (tx: Transaction): ReadonlyArray<string> =>
  tx.inputs.map(({ prevout }) => `${idKey(prevout.txid)}:${prevout.vout}`)

const total = (values: ReadonlyArray<{ readonly value: bigint }>): bigint =>
  values.reduce((sum, { value }) => sum + value, 0n)

interface Block {
  readonly hash: string
  readonly previous: string
  readonly height: number
  readonly transactions: ReadonlyArray<Transaction>
}

const hexBackwards = (bytes: Uint8Array): string => Buffer.from(bytes.toReversed()).toString("hex")

/**
 * A mempool and a chain that believe what Bitcoin Core answered: nothing is judged. They feed an estimator with what
 * happened.
 */
export const trustedMempool = (genesis: string) => {
  const outputs = new Map<string, Transaction["outputs"][number]>()
  const entries = new Map<string, Transaction>()
  const spenders = new Map<string, string>()
  const blocks = new Map<string, Block>([[genesis, { hash: genesis, previous: "", height: 0, transactions: [] }]])
  const invalid = new Set<string>()
  /** What prioritisation adds to fees. */
  const deltas = new Map<string, bigint>()
  let tip = blocks.get(genesis)!

  const known = (tx: Transaction): string => {
    const key = idKey(transactionId(tx, testCrypto))
    for (const [vout, output] of tx.outputs.entries()) outputs.set(`${key}:${vout}`, output)
    return key
  }
  const forget = (key: string): void => {
    const tx = entries.get(key)
    if (tx === undefined) return
    entries.delete(key)
    for (const place of spentBy(tx)) spenders.delete(place)
  }
  const evict = (estimator: FeeEstimator, key: string): void => {
    const tx = entries.get(key)
    if (tx === undefined) return
    for (const vout of tx.outputs.keys()) {
      const child = spenders.get(`${key}:${vout}`)
      if (child !== undefined) evict(estimator, child)
    }
    forget(key)
    transactionLeft(estimator, key)
  }
  const evictConflicts = (estimator: FeeEstimator, tx: Transaction, key: string): void => {
    for (const place of spentBy(tx)) {
      const other = spenders.get(place)
      if (other !== undefined && other !== key) evict(estimator, other)
    }
  }

  const paidBy = (tx: Transaction) => {
    const spent = spentBy(tx).map((place) => outputs.get(place)!)
    const coins = spent.map((output) => ({ ...output, height: 1, isCoinbase: false }))
    const virtualSize = virtualSizeOf(tx, transactionSigOpCost(tx, coins, STANDARD_FLAGS))
    return { fee: total(spent) - total(tx.outputs), virtualSize }
  }

  const enter = (estimator: FeeEstimator, tx: Transaction, how: "alone" | "package" | "reorg"): void => {
    const key = known(tx)
    if (entries.has(key)) return
    evictConflicts(estimator, tx, key)
    transactionEntered(estimator, {
      txid: key,
      ...paidBy(tx),
      height: tip.height,
      bypassesLimits: how === "reorg",
      isOfPackage: how === "package",
      hasMempoolParent: tx.inputs.some(({ prevout }) => entries.has(idKey(prevout.txid))),
      isChainCurrent: true
    })
    entries.set(key, tx)
    for (const place of spentBy(tx)) spenders.set(place, key)
  }

  const connect = (estimator: FeeEstimator, block: Block): void => {
    const confirmed: Array<string> = []
    for (const tx of block.transactions.slice(1)) {
      const key = known(tx)
      if (entries.has(key)) confirmed.push(key)
      forget(key)
      evictConflicts(estimator, tx, key)
    }
    known(block.transactions[0]!)
    blockConnected(estimator, block.height, confirmed)
    tip = block
  }

  const isValid = (block: Block): boolean =>
    invalid.size === 0 ||
    (!invalid.has(block.hash) && (block.height === 0 || isValid(blocks.get(block.previous)!)))

  /** Follows the highest branch; of equals the present one, or the first known. */
  const activate = (estimator: FeeEstimator): void => {
    const candidates = [tip, ...blocks.values()].filter(isValid)
    const best = candidates.reduce((chosen, each) => each.height > chosen.height ? each : chosen)
    const branch: Array<Block> = []
    for (let each = best; each.height > 0; each = blocks.get(each.previous)!) branch.unshift(each)
    const returning: Array<Transaction> = []
    while (tip.height > 0 && branch[tip.height - 1] !== tip) {
      returning.unshift(...tip.transactions.slice(1))
      tip = blocks.get(tip.previous)!
    }
    const connected = new Set<string>()
    for (const block of branch.slice(tip.height)) {
      connect(estimator, block)
      for (const tx of block.transactions) connected.add(known(tx))
    }
    for (const tx of returning) if (!connected.has(known(tx))) enter(estimator, tx, "reorg")
  }

  return {
    accepted: (estimator: FeeEstimator, hex: string, how: "alone" | "package") => enter(estimator, decoded(hex), how),
    submitted: (estimator: FeeEstimator, hash: string, hex: string): void => {
      const block = decodeBlock(bytesOf(hex))
      if (Result.isFailure(block)) throw new Error(`no block: ${hash}`)
      const { header, transactions } = block.success
      const previous = hexBackwards(header.previous)
      const parent = blocks.get(previous)
      if (parent === undefined) throw new Error(`the block before ${hash} is not known`)
      blocks.set(hash, { hash, previous, height: parent.height + 1, transactions })
      activate(estimator)
    },
    invalidated: (estimator: FeeEstimator, hash: string): void => {
      invalid.add(hash)
      // The tip itself may be on the branch that is gone.
      const from = tip
      while (!isValid(tip)) tip = blocks.get(tip.previous)!
      const returning: Array<Transaction> = []
      for (let each = from; each !== tip; each = blocks.get(each.previous)!) {
        returning.unshift(...each.transactions.slice(1))
      }
      for (const tx of returning) enter(estimator, tx, "reorg")
      activate(estimator)
    },
    reconsidered: (estimator: FeeEstimator, hash: string): void => {
      invalid.delete(hash)
      activate(estimator)
    },
    prioritised: (txid: string, delta: bigint): void => {
      const key = hexBackwards(bytesOf(txid))
      deltas.set(key, (deltas.get(key) ?? 0n) + delta)
    },
    /**
     * The node starts again: it enters anew what it had, one by one and parents first, or has lost it. What pays less
     * than `floor` was accepted as part of a package, and is not alone; nor is its child then.
     */
    restarted: (estimator: FeeEstimator, isPersistent: boolean, floor: number): void => {
      const held = [...entries]
      entries.clear()
      spenders.clear()
      if (!isPersistent) return
      const lost = new Set<string>()
      for (const [key, tx] of held) {
        const { fee, virtualSize } = paidBy(tx)
        const isOrphan = tx.inputs.some(({ prevout }) => lost.has(idKey(prevout.txid)))
        if (isOrphan || fee + (deltas.get(key) ?? 0n) < feeAt(floor, virtualSize)) lost.add(key)
        else enter(estimator, tx, "alone")
      }
    }
  }
}
