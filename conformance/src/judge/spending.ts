import type { Crypto } from "@lockstep/kernel/internal/crypto/crypto.ts"
import { decodeTransaction } from "@lockstep/kernel/internal/model/transaction-codec.ts"
import type { SpentOutputs, Transaction } from "@lockstep/kernel/internal/model/transaction.ts"
import type { ScriptFlags } from "@lockstep/kernel/internal/script/flags.ts"
import type { Machine, Spend } from "@lockstep/kernel/internal/machine/machine.ts"
import type { ScriptErrorName } from "@lockstep/kernel/internal/script/script-error.ts"
import { verifyScript } from "@lockstep/kernel/internal/interpreter/verify-script.ts"
import { spendDigests } from "@lockstep/kernel/internal/sighash/digests.ts"
import type { RuleId } from "@lockstep/kernel/internal/generated/rule-ids.ts"
import * as Result from "effect/Result"
import { flagNames } from "../formats/flag-names.ts"
import type { Bench } from "./bench.ts"
import { type Outcome, Refused } from "./outcome.ts"
import { transactionBytes } from "./transaction-bytes.ts"

/** The kernel's answer about one input: `OK`, or Bitcoin Core's error name and the rule. */
export interface Answer {
  readonly error: ScriptErrorName
  readonly rule: RuleId | undefined
}

const OK: Answer = { error: "OK", rule: undefined }

/** What every suite takes for granted: `bytes` are a transaction. */
export const transactionOf = (bytes: Uint8Array): Transaction => {
  const verdict = decodeTransaction(bytes)
  if (Result.isFailure(verdict)) throw new Refused("the transaction", verdict.failure.rule)
  return verdict.success
}

/** Input `inputIndex` of `tx` under `flags`, with what all inputs of `tx` share computed once. */
export const spendOf = (tx: Transaction, spentOutputs: SpentOutputs, crypto: Crypto) => {
  const digests = spendDigests(tx, spentOutputs, crypto)
  return (inputIndex: number, flags: ScriptFlags): Spend => ({ tx, inputIndex, spentOutputs, digests, flags })
}

/** Judges one input. */
export const answerOn = (machine: Machine, spend: Spend): Answer => {
  const verdict = verifyScript(machine, spend)
  return Result.isSuccess(verdict) ? OK : { error: verdict.failure.detail.error, rule: verdict.failure.rule }
}

/**
 * Judges one input and compares with the error name a vector gives; `*` stands for any error. Before a sweep over flags
 * `machine` is the one of the sweep, so that no signature is checked twice.
 */
export const expectError = (
  bench: Bench,
  spend: Spend,
  expected: string,
  machine: Machine = bench.machine
): Outcome => {
  const { error, rule } = answerOn(machine, spend)
  const agrees = expected === "*" ? error !== "OK" : error === expected
  if (!agrees) return { expected: expected === "*" ? "a failure" : expected, actual: error, rule }
  if (rule !== undefined) bench.coverage.rejected(rule)
  return undefined
}

/** Whether `spend` under each of `flagSets` holds or fails as `expected` says. */
export const expectUnderAll = (
  bench: Bench,
  spend: (flags: ScriptFlags) => Spend,
  flagSets: Iterable<ScriptFlags>,
  expected: "holds" | "fails"
): Outcome => {
  for (const flags of flagSets) {
    const { error, rule } = answerOn(bench.sweepMachine, spend(flags))
    if ((error === "OK") !== (expected === "holds")) {
      return { expected: `${expected} under ${flagNames(flags)}`, actual: error, rule }
    }
  }
  return undefined
}

const NULL_TXID = new Uint8Array(32)
const FINAL = 0xffffffff

/**
 * The spend of `script_tests.json`: a transaction that pays `scriptPubKey`, and one that spends it with `scriptSig` and
 * `witness`.
 */
export const creditAndSpend = (
  parts: { scriptSig: Uint8Array; scriptPubKey: Uint8Array; witness: ReadonlyArray<Uint8Array>; amount: bigint },
  crypto: Crypto
) => {
  const credited = { value: parts.amount, script: parts.scriptPubKey }
  const credit = transactionBytes({
    version: 1,
    inputs: [{ prevout: { txid: NULL_TXID, vout: FINAL }, script: Uint8Array.of(0, 0), sequence: FINAL, witness: [] }],
    outputs: [credited],
    lockTime: 0
  })
  const spend = transactionBytes({
    version: 1,
    inputs: [{
      prevout: { txid: crypto.sha256d(credit), vout: 0 },
      script: parts.scriptSig,
      sequence: FINAL,
      witness: parts.witness
    }],
    outputs: [{ value: parts.amount, script: new Uint8Array(0) }],
    lockTime: 0
  })
  return spendOf(transactionOf(spend), [credited], crypto)
}
