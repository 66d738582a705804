import { decodeTransaction, type Transaction, transactionId, transactionWeight } from "@lockstep/kernel/model"
import { transactionSigOpCost } from "@lockstep/kernel/sigops"
import { adjustedWeight, feeForSize, STANDARD_FLAGS, virtualSize } from "@lockstep/kernel/relay"
import * as Result from "effect/Result"
import {
  type FeeEstimator,
  transactionEntered,
  transactionLeft
} from "../../../src/engine/fee-estimator/fee-estimator.ts"
import { hexOf } from "../../../src/hex.ts"
import { testCrypto } from "../test-engine.ts"

export const bytesOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, "hex"))

/** The transactions of a mempool that believes what Bitcoin Core answered: nothing is judged. */
export interface TrustedEntries {
  readonly byTxid: Map<string, Transaction>
  readonly outputs: Map<string, Transaction["outputs"][number]>
  readonly spenders: Map<string, string>
  /** What prioritisation adds to fees. */
  readonly deltas: Map<string, bigint>
}

export const trustedEntries = (): TrustedEntries => ({
  byTxid: new Map(),
  outputs: new Map(),
  spenders: new Map(),
  deltas: new Map()
})

export const decoded = (hex: string): Transaction => {
  const result = decodeTransaction(bytesOf(hex))
  if (Result.isFailure(result)) throw new Error(`no transaction: ${hex}`)
  return result.success
}

const spentBy = (tx: Transaction): ReadonlyArray<string> =>
  tx.inputs.map(({ prevout }) => `${hexOf(prevout.txid)}:${prevout.vout}`)

const total = (values: ReadonlyArray<{ readonly value: bigint }>): bigint =>
  values.reduce((sum, { value }) => sum + value, 0n)

/** The key of a transaction whose outputs may be spent from now on. */
export const known = ({ outputs }: TrustedEntries, tx: Transaction): string => {
  const key = hexOf(transactionId(tx, testCrypto))
  for (const [vout, output] of tx.outputs.entries()) outputs.set(`${key}:${vout}`, output)
  return key
}

export const forget = ({ byTxid, spenders }: TrustedEntries, key: string): void => {
  const tx = byTxid.get(key)
  if (tx === undefined) return
  byTxid.delete(key)
  for (const place of spentBy(tx)) spenders.delete(place)
}

const evict = (entries: TrustedEntries, estimator: FeeEstimator, key: string): void => {
  const tx = entries.byTxid.get(key)
  if (tx === undefined) return
  for (const vout of tx.outputs.keys()) {
    const child = entries.spenders.get(`${key}:${vout}`)
    if (child !== undefined) evict(entries, estimator, child)
  }
  forget(entries, key)
  transactionLeft(estimator, key)
}

/** What spends the same as a transaction leaves, with all that spends of it. */
export const evictConflicts = (
  entries: TrustedEntries,
  estimator: FeeEstimator,
  tx: Transaction,
  key: string
): void => {
  for (const place of spentBy(tx)) {
    const other = entries.spenders.get(place)
    if (other !== undefined && other !== key) evict(entries, estimator, other)
  }
}

const paidBy = ({ outputs }: TrustedEntries, tx: Transaction) => {
  const spent = spentBy(tx).map((place) => outputs.get(place)!)
  const coins = spent.map((output) => ({ ...output, height: 1, isCoinbase: false }))
  const size = virtualSize(adjustedWeight(transactionWeight(tx), transactionSigOpCost(tx, coins, STANDARD_FLAGS), 20))
  return { fee: total(spent) - total(tx.outputs), virtualSize: size }
}

export type Entrance = "alone" | "package" | "reorg"

export const enter = (
  entries: TrustedEntries,
  estimator: FeeEstimator,
  tx: Transaction,
  { height, how }: { readonly height: number; readonly how: Entrance }
): void => {
  const { byTxid, spenders } = entries
  const key = known(entries, tx)
  if (byTxid.has(key)) return
  evictConflicts(entries, estimator, tx, key)
  transactionEntered(estimator, {
    txid: key,
    ...paidBy(entries, tx),
    height,
    bypassesLimits: how === "reorg",
    isOfPackage: how === "package",
    hasMempoolParent: tx.inputs.some(({ prevout }) => byTxid.has(hexOf(prevout.txid))),
    isChainCurrent: true
  })
  byTxid.set(key, tx)
  for (const place of spentBy(tx)) spenders.set(place, key)
}

/**
 * The node starts again: it enters anew what it had, one by one and parents first. What pays less than `floor` was
 * accepted as part of a package, and is not alone; nor is its child then.
 */
export const enterAgain = (entries: TrustedEntries, estimator: FeeEstimator, height: number, floor: number): void => {
  const held = [...entries.byTxid]
  const lost = new Set<string>()
  for (const [key] of held) forget(entries, key)
  for (const [key, tx] of held) {
    const { fee, virtualSize: size } = paidBy(entries, tx)
    const isOrphan = tx.inputs.some(({ prevout }) => lost.has(hexOf(prevout.txid)))
    if (isOrphan || fee + (entries.deltas.get(key) ?? 0n) < feeForSize({ fee: BigInt(floor), size: 1_000 }, size)) {
      lost.add(key)
    } else enter(entries, estimator, tx, { height, how: "alone" })
  }
}
