import type { Transaction, TransactionOutput } from "@lockstep/kernel/internal/model/transaction.ts"
import type { ScriptFlags } from "@lockstep/kernel/internal/script/flags.ts"
import type { Field } from "../formats/field.ts"
import { flagsOf } from "../formats/flag-names.ts"
import { linesOf, parseJson, readJson } from "../formats/read-file.ts"
import type { Bench } from "../judge/bench.ts"
import { CONSENSUS_SETS } from "../judge/flag-sets.ts"
import type { Outcome } from "../judge/outcome.ts"
import { expectError, expectUnderAll, spendOf, transactionOf } from "../judge/spending.ts"
import { transactionBytes } from "../judge/transaction-bytes.ts"
import { outputOf } from "./output.ts"
import type { Case, Runner } from "./runner.ts"

/** `tx` with what spends its input `index` put in. */
const spentBy = (tx: Transaction, index: number, spender: Field): Transaction => {
  const put = {
    script: spender.get("scriptSig").bytes,
    witness: spender.get("witness").items.map((item) => item.bytes)
  }
  const inputs = tx.inputs.map((input, i) => i === index ? { ...input, ...put } : input)
  return transactionOf(transactionBytes({ ...tx, inputs }))
}

interface Asset {
  readonly tx: Transaction
  readonly index: number
  readonly prevouts: ReadonlyArray<TransactionOutput>
  readonly flags: ScriptFlags
  readonly isFinal: boolean
}

/** A success holds under every subset of its flags, or under every set if it is final. */
const expectSuccess = ({ tx, index, prevouts, flags, isFinal }: Asset, spender: Field, bench: Bench): Outcome => {
  const spend = spendOf(spentBy(tx, index, spender), prevouts, bench.crypto)
  const sets = CONSENSUS_SETS.filter((set) => isFinal || (set & flags) === set)
  bench.newSweep()
  return expectError(bench, spend(index, flags), "OK", bench.sweepMachine) ??
    expectUnderAll(bench, (set) => spend(index, set), sets, "holds")
}

/** A failure fails under every superset of its flags. */
const expectFailure = ({ tx, index, prevouts, flags }: Asset, spender: Field, bench: Bench): Outcome => {
  const spend = spendOf(spentBy(tx, index, spender), prevouts, bench.crypto)
  const sets = CONSENSUS_SETS.filter((set) => (set & flags) === flags)
  bench.newSweep()
  return expectError(bench, spend(index, flags), "*", bench.sweepMachine) ??
    expectUnderAll(bench, (set) => spend(index, set), sets, "fails")
}

const judgeRow = (row: Field, bench: Bench): Outcome => {
  const asset = {
    tx: transactionOf(row.get("tx").bytes),
    index: row.get("index").integer,
    prevouts: row.get("prevouts").items.map(outputOf),
    flags: flagsOf(row.get("flags")),
    isFinal: row.find("final")?.boolean ?? false
  }
  const success = row.find("success")
  const failure = row.find("failure")
  if (success === undefined && failure === undefined) row.fail("expected a member \"success\" or \"failure\"")
  return (success && expectSuccess(asset, success, bench)) ?? (failure && expectFailure(asset, failure, bench))
}

/** One JSON object a line; the comment names the kind. */
export const taprootAssets: Runner = async function*(file) {
  let line = 0
  for await (const text of linesOf(file)) {
    const number = ++line
    if (text === "") continue
    const name = /"comment": ?"([^"]*)"/.exec(text)?.[1] ?? ""
    yield {
      index: String(number - 1),
      name,
      judge: (bench) => judgeRow(parseJson(text, file, `line ${number}`), bench)
    }
  }
}

const caseOf = (row: Field, index: number): Case => ({
  index: String(index),
  name: row.find("comment")?.text ?? "",
  judge: (bench) => judgeRow(row, bench)
})

/** The same as one JSON array, as Bitcoin Core's own test reads it. */
export const scriptAssets: Runner = function*(file) {
  for (const [index, row] of readJson(file).items.entries()) yield caseOf(row, index)
}
