import { transactionId } from "@lockstep/kernel/internal/model/identity.ts"
import { ScriptFlag } from "@lockstep/kernel/internal/script/flags.ts"
import type { Field } from "../formats/field.ts"
import { flagsOf } from "../formats/flag-names.ts"
import { displayHexOf } from "../formats/hex.ts"
import { readJson } from "../formats/read-file.ts"
import type { Bench } from "../judge/bench.ts"
import { type Outcome, same } from "../judge/outcome.ts"
import { expectError, spendOf, transactionOf } from "../judge/spending.ts"
import { pairedOutputOf } from "./output.ts"
import type { Runner } from "./runner.ts"

/** The source's flags, which may carry a remark in parentheses; where it states none, those of the oldest blocks. */
const flagsOfRow = (row: Field): number => {
  const flags = row.find("flags")
  return flags === undefined ? ScriptFlag.NONE : flagsOf(flags.replaced(flags.text.replace(/ \(.*\)$/, "")))
}

const judgeRow = (row: Field, bench: Bench): Outcome => {
  const tx = transactionOf(row.get("tx").bytes)
  const id = same("txid", row.get("txid").text, displayHexOf(transactionId(tx, bench.crypto)))
  if (id !== undefined) return id
  const spend = spendOf(tx, row.get("spent").items.map(pairedOutputOf), bench.crypto)
  const inputs = row.find("inputs")?.items.map((item) => item.integer) ?? tx.inputs.keys()
  for (const input of inputs) {
    const outcome = expectError(bench, spend(input, flagsOfRow(row)), "OK")
    if (outcome !== undefined) return { ...outcome, expected: `input ${input} ${outcome.expected}` }
  }
  return undefined
}

/** Objects `{name, what, flags, txid, tx, spent: [[satoshis, scriptPubKey]…], inputs}`; `inputs` null means all. */
export const mainnetTransactions: Runner = function*(file) {
  for (const [index, row] of readJson(file).items.entries()) {
    yield { index: String(index), name: row.get("what").text, judge: (bench) => judgeRow(row, bench) }
  }
}
