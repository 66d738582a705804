import { toHex } from "./byte-string.ts"
import { isCoinbase } from "./sigops.ts"
import { type NaiveInput, type NaiveTransaction, serializeOutPoint, serializeWithoutWitness } from "./transaction.ts"

const MAX_MONEY = 2_100_000_000_000_000n

/** The first of the output rules that an output breaks, output by output with the running total. */
const outputError = (tx: NaiveTransaction): string | undefined => {
  for (const [i, { value }] of tx.outputs.entries()) {
    if (value < 0n) return "bad-txns-vout-negative"
    if (value > MAX_MONEY) return "bad-txns-vout-toolarge"
    const total = tx.outputs.slice(0, i + 1).reduce((sum, output) => sum + output.value, 0n)
    if (total > MAX_MONEY) return "bad-txns-txouttotal-toolarge"
  }
  return undefined
}

const isNull = (input: NaiveInput): boolean => input.vout === 0xffffffff && input.txid.every((byte) => byte === 0)

/** The reference reject reason of a transaction on its own, or undefined. */
export const checkTransaction = (tx: NaiveTransaction): string | undefined => {
  if (tx.inputs.length === 0) return "bad-txns-vin-empty"
  if (tx.outputs.length === 0) return "bad-txns-vout-empty"
  if (serializeWithoutWitness(tx).length * 4 > 4_000_000) return "bad-txns-oversize"
  const output = outputError(tx)
  if (output !== undefined) return output
  if (new Set(tx.inputs.map((input) => toHex(serializeOutPoint(input)))).size < tx.inputs.length) {
    return "bad-txns-inputs-duplicate"
  }
  if (isCoinbase(tx)) {
    const size = tx.inputs[0]!.script.length
    return size < 2 || size > 100 ? "bad-cb-length" : undefined
  }
  return tx.inputs.some(isNull) ? "bad-txns-prevout-null" : undefined
}
