import type { TransactionOutput } from "@lockstep/kernel/internal/model/transaction.ts"
import { evaluateScript } from "@lockstep/kernel/internal/interpreter/evaluate.ts"
import { NO_FAULT } from "@lockstep/kernel/internal/script/fault.ts"
import { loadScript, type Machine, push, resetMachine, type Spend } from "@lockstep/kernel/internal/machine/machine.ts"
import { verifyScript } from "@lockstep/kernel/internal/interpreter/verify-script.ts"
import type { Field } from "../../formats/field.ts"
import { hexOf } from "../../formats/hex.ts"
import type { Bench } from "../../judge/bench.ts"
import { spentScript } from "../../judge/credited-script.ts"
import { creditAndSpend, spendOf, transactionOf } from "../../judge/spending.ts"
import { transactionBytes } from "../../judge/transaction-bytes.ts"
import { nearest } from "../../cli/nearest.ts"
import { pairedOutputOf } from "../output.ts"
import { faultAnswer, type RuleAnswer, verdictAnswer } from "./answer.ts"
import { CALLS } from "./calls.ts"
import { flagsIn, versionOf } from "./parameter.ts"

const EMPTY = new Uint8Array(0)
const DEFAULT_TX_VERSION = 2
const FINAL = 0xffffffff
const ANY_HASH = new Uint8Array(32)

/** The transaction around a bare script: one input, one output, nothing in them but what the case sets. */
const spendAround = (given: Field, crypto: Bench["crypto"]): Spend => {
  const spent: TransactionOutput = { value: given.find("amount")?.bigint ?? 0n, script: EMPTY }
  const sequence = given.find("sequence")?.integer ?? FINAL
  const tx = transactionOf(transactionBytes({
    version: given.find("txVersion")?.integer ?? DEFAULT_TX_VERSION,
    inputs: [{ prevout: { txid: ANY_HASH, vout: 0 }, script: EMPTY, sequence, witness: [] }],
    outputs: [{ value: 0n, script: EMPTY }],
    lockTime: given.find("lockTime")?.integer ?? 0
  }))
  return spendOf(tx, [spent], crypto)(0, flagsIn(given))
}

const stackOf = (m: Machine): ReadonlyArray<string> => m.stack.slice(0, m.depth).map(hexOf)

const evaluate = (given: Field, { machine: m, crypto }: Bench): RuleAnswer => {
  resetMachine(m, spendAround(given, crypto))
  for (const item of given.find("stack")?.items ?? []) push(m, item.bytes)
  loadScript(m, given.get("script").script, versionOf(given.find("version")))
  m.leafHash = ANY_HASH
  m.weightLeft = given.find("weightLeft")?.integer ?? 0
  const fault = evaluateScript(m)
  return fault === NO_FAULT ? { kind: "stack", stack: stackOf(m) } : faultAnswer(fault)
}

const spendOfCase = (given: Field, { crypto }: Bench): Spend => {
  const flags = flagsIn(given)
  const tx = given.find("tx")
  if (tx !== undefined) {
    return spendOf(transactionOf(tx.bytes), given.get("prevouts").items.map(pairedOutputOf), crypto)(
      given.get("index").integer,
      flags
    )
  }
  return creditAndSpend({
    scriptSig: given.find("scriptSig")?.script ?? EMPTY,
    amount: given.find("amount")?.bigint ?? 0n,
    ...spentScript(given.find("witness")?.items ?? [], given.get("scriptPubKey"))
  }, crypto)(0, flags)
}

const spend = (given: Field, bench: Bench): RuleAnswer =>
  verdictAnswer(verifyScript(bench.machine, spendOfCase(given, bench)))

const call = (given: Field, bench: Bench): RuleAnswer => {
  const name = given.get("function").text
  const target = Object.hasOwn(CALLS, name) ? CALLS[name] : undefined
  if (target === undefined) {
    return given.get("function").fail(
      `no function "${name}" can be called; nearest: ${nearest(name, Object.keys(CALLS))}`
    )
  }
  return target(given.get("args"), bench)
}

const SUBJECTS = { evaluate, spend, call } as const

/** What the kernel answers to the subject of a case. */
export const answerTo = (given: Field, bench: Bench): RuleAnswer => {
  for (const [name, ask] of Object.entries(SUBJECTS)) {
    const subject = given.find(name)
    if (subject !== undefined) return ask(subject, bench)
  }
  return given.fail(`expected a subject: one of ${Object.keys(SUBJECTS).join(", ")}`)
}
