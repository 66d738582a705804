import type { ScriptFlags } from "@lockstep/kernel/internal/script/flags.ts"
import type { Transaction, TransactionOutput } from "@lockstep/kernel/internal/model/transaction.ts"
import { checkTransaction } from "@lockstep/kernel/internal/tx/check-transaction.ts"
import * as Result from "effect/Result"
import type { Field } from "../formats/field.ts"
import { ALL_FLAGS, flagNames, flagsOf } from "../formats/flag-names.ts"
import { hexOf } from "../formats/hex.ts"
import { readJson } from "../formats/read-file.ts"
import type { Bench } from "../judge/bench.ts"
import { isCoherent, lessOne, probes, withoutUnsupported, withRequired } from "../judge/flag-sets.ts"
import { type Outcome, Refused } from "../judge/outcome.ts"
import { type Answer, answerOn, spendOf, transactionOf } from "../judge/spending.ts"
import type { Machine } from "@lockstep/kernel/internal/machine/machine.ts"
import type { Case, Runner } from "./runner.ts"

const NONE: Answer = { error: "OK", rule: undefined }

/** Judges all inputs under given flags and answers the first failure. */
type Judge = (machine: Machine, flags: ScriptFlags) => Answer

const prevoutsOf = (rows: Field): ReadonlyMap<string, TransactionOutput> =>
  new Map(rows.items.map((row) => {
    const [txid, vout, script, amount] = row.items
    if (txid === undefined || vout === undefined || script === undefined) {
      return row.fail("expected txid, vout and scriptPubKey")
    }
    return [`${hexOf(txid.displayBytes)}:${vout.integer >>> 0}`, { value: amount?.bigint ?? 0n, script: script.script }]
  }))

const spentOutputsOf = (tx: Transaction, rows: Field): ReadonlyArray<TransactionOutput> => {
  const prevouts = prevoutsOf(rows)
  return tx.inputs.map(({ prevout }) =>
    prevouts.get(`${hexOf(prevout.txid)}:${prevout.vout}`) ??
      rows.fail(`lacks the output ${hexOf(prevout.txid)}:${prevout.vout}`)
  )
}

const judgeOf = (tx: Transaction, rows: Field, bench: Bench): Judge => {
  const spend = spendOf(tx, spentOutputsOf(tx, rows), bench.crypto)
  return (machine, flags) => {
    for (let i = 0; i < tx.inputs.length; i++) {
      const answer = answerOn(machine, spend(i, flags))
      if (answer.error !== "OK") return answer
    }
    return NONE
  }
}

const expectOn = (
  machine: Machine,
  judge: Judge,
  flagSets: Iterable<ScriptFlags>,
  expected: "holds" | "fails"
): Outcome => {
  for (const flags of flagSets) {
    const { error, rule } = judge(machine, flags)
    if ((error === "OK") !== (expected === "holds")) {
      return { expected: `${expected} under ${flagNames(flags)}`, actual: error, rule }
    }
  }
  return undefined
}

const expectWellFormed = (tx: Transaction): Outcome => {
  const verdict = checkTransaction(tx)
  return Result.isSuccess(verdict)
    ? undefined
    : { expected: "checkTransaction holds", actual: "checkTransaction fails", rule: verdict.failure.rule }
}

/** Passes under all flags but `excluded`, and with any more removed; fails once any excluded one is added back. */
const expectExactlyWithout = (excluded: ScriptFlags, judge: Judge, bench: Bench, seed: number): Outcome => {
  const flags = ALL_FLAGS & ~excluded
  const fewer = probes(seed).map((probe) => withoutUnsupported(flags & ~probe))
  const more = lessOne(excluded).map((rest) => ALL_FLAGS & ~rest).filter(isCoherent)
  return expectOn(bench.sweepMachine, judge, [flags], "holds") ??
    expectOn(bench.sweepMachine, judge, fewer, "holds") ??
    expectOn(bench.sweepMachine, judge, more, "fails")
}

/** Passes under `flags` and with any removed. */
const expectWithin = (flags: ScriptFlags, judge: Judge, bench: Bench, seed: number): Outcome =>
  expectOn(bench.sweepMachine, judge, [flags], "holds") ??
    expectOn(bench.sweepMachine, judge, probes(seed).map((probe) => withoutUnsupported(flags & ~probe)), "holds")

/** Fails under `flags` and with any added; passes once any of them is removed. */
const expectBreaksBecauseOf = (flags: ScriptFlags, judge: Judge, bench: Bench, seed: number): Outcome => {
  const { error, rule } = judge(bench.sweepMachine, flags)
  if (error === "OK") return { expected: `fails under ${flagNames(flags)}`, actual: "OK" }
  if (rule !== undefined) bench.coverage.rejected(rule)
  return expectOn(bench.sweepMachine, judge, probes(seed).map((probe) => withRequired(flags | probe)), "fails") ??
    expectOn(bench.sweepMachine, judge, lessOne(flags), "holds")
}

type Expectation = (flags: ScriptFlags, judge: Judge, bench: Bench, seed: number) => Outcome

const validCase = (expectation: Expectation) => (row: Field, index: number): Case => ({
  index: String(index),
  name: flagNames(flagsOf(row.at(2))),
  judge: (bench) => {
    bench.newSweep()
    const tx = transactionOf(row.at(1).bytes)
    return expectWellFormed(tx) ?? expectation(flagsOf(row.at(2)), judgeOf(tx, row.at(0), bench), bench, index)
  }
})

const BAD_TRANSACTION = "BADTX"

/** Some script or the transaction itself is no good under `flags`. */
const expectFailure = (row: Field, bench: Bench): Outcome => {
  const tx = transactionOf(row.at(1).bytes)
  if (expectWellFormed(tx) !== undefined) return expectBadTransaction(row, bench)
  bench.newSweep()
  const { error, rule } = judgeOf(tx, row.at(0), bench)(bench.sweepMachine, flagsOf(row.at(2)))
  if (error === "OK") return { expected: `fails under ${row.at(2).text}`, actual: "OK" }
  if (rule !== undefined) bench.coverage.rejected(rule)
  return undefined
}

/** `BADTX`: the transaction itself is no good, whatever its scripts say. Some of those do not even decode. */
const expectBadTransaction = (row: Field, bench: Bench): Outcome => {
  try {
    const verdict = checkTransaction(transactionOf(row.at(1).bytes))
    if (Result.isSuccess(verdict)) return { expected: "checkTransaction fails", actual: "checkTransaction holds" }
    bench.coverage.rejected(verdict.failure.rule)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    bench.coverage.rejected(error.rule)
  }
  return undefined
}

const invalidCase = (row: Field, index: number): Case => ({
  index: String(index),
  name: row.at(2).text,
  judge: (bench) => {
    if (row.at(2).text.split(",").includes(BAD_TRANSACTION)) return expectBadTransaction(row, bench)
    bench.newSweep()
    const tx = transactionOf(row.at(1).bytes)
    return expectWellFormed(tx) ??
      expectBreaksBecauseOf(flagsOf(row.at(2)), judgeOf(tx, row.at(0), bench), bench, index)
  }
})

const olderInvalidCase = (row: Field, index: number): Case => ({
  index: String(index),
  name: row.at(2).text,
  judge: (bench) => expectFailure(row, bench)
})

/** Rows `[[[prevTxid, vout, scriptPubKey, amount?]…], tx, flags]`; a row of one field is a comment. */
const runner = (caseOf: (row: Field, index: number) => Case): Runner =>
  function*(file) {
    for (const [index, row] of readJson(file).items.entries()) {
      if (row.items.length > 1) yield caseOf(row, index)
    }
  }

/** `tx_valid.json`: the flags are those that must be off. */
export const transactionsValid = runner(validCase(expectExactlyWithout))

/** The older form of `tx_valid.json`: the flags are those that are on. */
export const transactionsValidOlder = runner(validCase(expectWithin))

/** `tx_invalid.json`: the flags are those that make it fail. */
export const transactionsInvalid = runner(invalidCase)

/** The older form of `tx_invalid.json`: the flags need not be the least, and a bad transaction is not marked. */
export const transactionsInvalidOlder = runner(olderInvalidCase)
