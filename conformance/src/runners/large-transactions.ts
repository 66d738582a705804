import { transactionId, witnessTransactionId } from "@lockstep/kernel/internal/model/identity.ts"
import type { Field } from "../formats/field.ts"
import { displayHexOf, hexOf } from "../formats/hex.ts"
import { readJson } from "../formats/read-file.ts"
import type { Bench } from "../judge/bench.ts"
import { type Outcome, same } from "../judge/outcome.ts"
import { transactionOf } from "../judge/spending.ts"
import { transactionBytes } from "../judge/transaction-bytes.ts"
import type { Runner } from "./runner.ts"

const judgeRow = (row: Field, { crypto }: Bench): Outcome => {
  const tx = transactionOf(row.get("tx").bytes)
  const mostItems = tx.inputs.reduce((most, input) => Math.max(most, input.witness.length), 0)
  return same("size", row.get("size").integer, tx.bytes.length) ??
    same("re-serialization", row.get("tx").text, hexOf(transactionBytes(tx))) ??
    same("txid", row.get("txid").text, displayHexOf(transactionId(tx, crypto))) ??
    same("wtxid", row.get("wtxid").text, displayHexOf(witnessTransactionId(tx, crypto))) ??
    same("witness items", row.get("maxWitnessItems").integer, mostItems)
}

/** Objects `{txid, wtxid, size, maxWitnessItems, tx}`. */
export const largeTransactions: Runner = function*(file) {
  for (const [index, row] of readJson(file).items.entries()) {
    yield { index: String(index), name: row.get("txid").text, judge: (bench) => judgeRow(row, bench) }
  }
}
