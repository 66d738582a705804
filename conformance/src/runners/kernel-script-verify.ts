import { ScriptFlag, type ScriptFlags } from "@lockstep/kernel/internal/script/flags.ts"
import type { TransactionOutput } from "@lockstep/kernel/internal/model/transaction.ts"
import type { Field } from "../formats/field.ts"
import { flagsOf } from "../formats/flag-names.ts"
import { readJson } from "../formats/read-file.ts"
import type { Bench } from "../judge/bench.ts"
import { isCoherent } from "../judge/flag-sets.ts"
import { type Outcome, same } from "../judge/outcome.ts"
import { answerOn, spendOf, transactionOf } from "../judge/spending.ts"
import { ABSENT_OUTPUT } from "./output.ts"
import type { Runner } from "./runner.ts"

const FLAG_PREFIX = "btck_ScriptVerificationFlags_"

const flagsOfRequest = (params: Field): ScriptFlags =>
  flagsOf(params.get("flags").replaced(params.get("flags").items.map((item) => item.text.replace(FLAG_PREFIX, ""))))

/**
 * What Bitcoin Core's kernel library answers to arguments that make no sense, before any rule is asked.
 * Our kernel states these as preconditions of `Spend`; its caller checks them, which here is this runner.
 */
const argumentError = (flags: ScriptFlags, inputIndex: number, inputs: number, given: number): string | undefined => {
  if (!isCoherent(flags)) return "ERROR_INVALID_FLAGS_COMBINATION"
  if ((flags & ScriptFlag.TAPROOT) !== 0 && given === 0) return "ERROR_SPENT_OUTPUTS_REQUIRED"
  if (given !== 0 && given !== inputs) return "ERROR_SPENT_OUTPUTS_MISMATCH"
  return inputIndex >= inputs ? "ERROR_TX_INPUT_INDEX" : undefined
}

const answerTo = (params: Field, bench: Bench): string => {
  const tx = transactionOf(params.get("tx_to").bytes)
  const flags = flagsOfRequest(params)
  const index = params.get("input_index").integer
  const given = params.get("spent_outputs").items
  const mistaken = argumentError(flags, index, tx.inputs.length, given.length)
  if (mistaken !== undefined) return mistaken
  const judged = { value: params.get("amount").bigint, script: params.get("script_pubkey").bytes }
  const spent = tx.inputs.map((_, i): TransactionOutput => {
    if (i === index) return judged
    const output = given[i]
    return output === undefined
      ? ABSENT_OUTPUT
      : { value: output.get("amount").bigint, script: output.get("script_pubkey").bytes }
  })
  const { error, rule } = answerOn(bench.machine, spendOf(tx, spent, bench.crypto)(index, flags))
  if (rule !== undefined) bench.coverage.rejected(rule)
  return String(error === "OK")
}

const judgeTest = (test: Field, bench: Bench): Outcome => {
  const response = test.get("expected_response")
  const error = response.find("error")?.get("code").get("member").text
  return same(
    "answer",
    error ?? String(response.get("result").boolean),
    answerTo(test.get("request").get("params"), bench)
  )
}

/**
 * Requests to and answers of Bitcoin Core's kernel library: `{tests: [{request: {id, params}, expected_response}…]}`.
 */
export const kernelScriptVerify: Runner = function*(file) {
  for (const [index, test] of readJson(file).get("tests").items.entries()) {
    yield { index: String(index), name: test.get("request").get("id").text, judge: (bench) => judgeTest(test, bench) }
  }
}
