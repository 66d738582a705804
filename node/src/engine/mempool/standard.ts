import { strippedSize, type Transaction, transactionWeight } from "@lockstep/kernel/model"
import { BYTES_PER_SIGOP, MAX_STANDARD_VERSION, MAX_STANDARD_WEIGHT, MIN_STANDARD_SIZE } from "./mempool-limits.ts"

/** Why policy rejects a transaction, whatever it spends. None: it is standard. */
export const notStandard = (tx: Transaction): string | undefined => {
  if (tx.version < 1 || tx.version > MAX_STANDARD_VERSION) return "version"
  if (transactionWeight(tx) > MAX_STANDARD_WEIGHT) return "tx-size"
  return strippedSize(tx) < MIN_STANDARD_SIZE ? "tx-size-small" : undefined
}

/** Bytes that fees are counted by: a quarter of the weight, or of what its signature operations stand for. */
export const virtualSizeOf = (tx: Transaction, sigOpCost: number): number =>
  Math.ceil(Math.max(transactionWeight(tx), sigOpCost * BYTES_PER_SIGOP) / 4)

/** The fee of `virtualSize` bytes at a rate for 1,000 of them, rounded up. */
export const feeAt = (rate: number, virtualSize: number): bigint => BigInt(Math.ceil((virtualSize * rate) / 1000))
