import { bytesEqual, concatBytes } from "@lockstep/kernel/bytes"
import { decodeTransaction, encodeWithoutWitness, isCoinbase, type Transaction } from "@lockstep/kernel/model"
import * as Result from "effect/Result"
import type { CoinbaseParts } from "../../../mining/coinbase.ts"
import { EXTRANONCE_BYTES } from "../jobs.ts"

/**
 * Bytes of a coinbase without witness before the script of its input: version, count, outpoint, and one byte of length.
 */
const BEFORE_SCRIPT = 42

/** Marker and flag of a transaction with witness. */
const MARKER_BYTES = 2

/** Reports whether a coinbase pays every satoshi to one script. */
const paysOnly = ({ outputs }: Transaction, script: Uint8Array): boolean => {
  const paid = outputs.filter(({ value }) => value !== 0n)
  return paid.length > 0 && paid.every((each) => bytesEqual(each.script, script))
}

/**
 * Builds a declared coinbase around the full extranonce, without its witness. Returns the name of the invalid field, if
 * any.
 */
export const declaredCoinbase = (
  { prefix, suffix }: { readonly prefix: Uint8Array; readonly suffix: Uint8Array },
  payoutScript: Uint8Array
): CoinbaseParts | string => {
  const decoded = decodeTransaction(concatBytes([prefix, new Uint8Array(EXTRANONCE_BYTES), suffix]))
  if (Result.isFailure(decoded) || !isCoinbase(decoded.success)) return "coinbase_tx_prefix"
  const tx = decoded.success
  const at = prefix.length - (tx.hasWitness ? MARKER_BYTES : 0)
  const isInScript = at >= BEFORE_SCRIPT && at + EXTRANONCE_BYTES <= BEFORE_SCRIPT + tx.inputs[0]!.script.length
  if (!isInScript) return "coinbase_tx_prefix"
  if (!paysOnly(tx, payoutScript)) return "coinbase_tx_suffix"
  const stripped = encodeWithoutWitness(tx)
  return { before: stripped.slice(0, at), after: stripped.slice(at + EXTRANONCE_BYTES) }
}
