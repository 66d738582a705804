import type { Field } from "../formats/field.ts"
import { flagsOf } from "../formats/flag-names.ts"
import { hexOf } from "../formats/hex.ts"
import { linesOf, parseJson } from "../formats/read-file.ts"
import type { Bench } from "../judge/bench.ts"
import { type Outcome, same } from "../judge/outcome.ts"
import { expectError, spendOf, transactionOf } from "../judge/spending.ts"
import { transactionBytes } from "../judge/transaction-bytes.ts"
import { pairedOutputOf } from "./output.ts"
import type { Runner } from "./runner.ts"

const judgeRow = (row: Field, bench: Bench): Outcome => {
  const tx = transactionOf(row.get("tx").bytes)
  const roundTrip = same("re-serialization", row.get("tx").text, hexOf(transactionBytes(tx)))
  if (roundTrip !== undefined) return roundTrip
  const error = row.find("err")?.text ?? (row.get("valid").boolean ? "OK" : "*")
  if ((error === "OK") !== row.get("valid").boolean) row.fail("\"valid\" and \"err\" contradict each other")
  const spend = spendOf(tx, row.get("prevouts").items.map(pairedOutputOf), bench.crypto)
  return expectError(bench, spend(row.get("index").integer, flagsOf(row.get("flags"))), error)
}

/** One spend a line: `{id, tx, index, prevouts: [[satoshis, scriptPubKey]…], flags, valid, err, note}`. */
export const scriptDiff: Runner = async function*(file) {
  let line = 0
  for await (const text of linesOf(file)) {
    const number = ++line
    if (text === "") continue
    const name = /"note": ?"([^"]*)"/.exec(text)?.[1] ?? ""
    yield {
      index: String(number - 1),
      name,
      judge: (bench) => judgeRow(parseJson(text, file, `line ${number}`), bench)
    }
  }
}
