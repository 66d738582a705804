import { analysisJson } from "@lockstep/descriptors/psbt/analysis-json.ts"
import { analyzePsbt } from "@lockstep/descriptors/psbt/analyze-psbt.ts"
import { psbtOfText } from "@lockstep/descriptors/psbt/psbt-text.ts"
import { type SignedPsbt, signedPsbt } from "@lockstep/descriptors/psbt/sign/sign-input.ts"
import { type InputSpending, inputSpending } from "@lockstep/descriptors/psbt/spending/input-spending.ts"
import { largestVirtualSize } from "@lockstep/descriptors/psbt/spending/largest-transaction.ts"
import { briefSpendingJson, spendingJson } from "@lockstep/descriptors/psbt/spending/spending-json.ts"
import { amountText } from "@lockstep/descriptors/script-text/amount-text.ts"
import { nobleCrypto } from "@lockstep/kernel/noble"
import { feePerKilobyte } from "@lockstep/kernel/relay"
import { JsonNumber, type JsonValue, NodeError, RpcError } from "@lockstep/sdk"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { RpcErrorCode } from "./parameters.ts"

const amount = (satoshis: bigint): JsonNumber => new JsonNumber(amountText(satoshis))

/** Total characters of all spending paths, beyond which inputs are shown briefly. A message to the node has 8 MiB. */
const MOST_CHARACTERS = 4 * 1024 * 1024

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** Analyzes the ways to spend the inputs. Yields to other calls between inputs. */
const spendingsOf = async (signed: SignedPsbt | undefined): Promise<ReadonlyArray<InputSpending | undefined>> => {
  const found: Array<InputSpending | undefined> = []
  if (signed === undefined) return found
  for (const i of signed.psbt.inputs.keys()) {
    found.push(inputSpending(signed, i))
    if (found.at(-1) !== undefined) await nextTurn()
  }
  return found
}

/** Shows the ways to spend inputs, briefly once the output is too long. */
const shower = () => {
  let left = MOST_CHARACTERS
  return (spending: InputSpending, isSatisfiable: boolean) => {
    const whole = spendingJson(spending, isSatisfiable)
    const characters = JSON.stringify(whole).length
    if (characters > left) return briefSpendingJson(spending, isSatisfiable)
    left -= characters
    return whole
  }
}

/**
 * Base64 characters of the longest PSBT analyzed here. Beyond that, the memory of this process may not suffice, and the
 * node answers.
 */
const LONGEST = 1024 * 1024

/** Returns the result of Bitcoin Core's `analyzepsbt` and the ways to spend each input. */
export const analyzeSpending = async (text: string): Promise<JsonValue> => {
  if (text.length > LONGEST) throw new NodeError("ResourceExhausted", `the text has ${text.length} characters`)
  const psbt = Result.getOrThrowWith(
    await Effect.runPromise(Effect.result(psbtOfText(text, nobleCrypto))),
    (problem) => new RpcError(RpcErrorCode.deserialization, problem)
  )
  const signed = signedPsbt(psbt, nobleCrypto)
  // A known spending path replaces a list of what is missing, so paths are looked for first.
  const spendings = await spendingsOf(signed)
  const size = signed && largestVirtualSize(signed, spendings)
  const analysis = await Effect.runPromise(analyzePsbt(psbt, nobleCrypto))
  const { inputs, ...json } = analysisJson(analysis, amount)
  const { fee } = analysis
  const shown = shower()
  return {
    inputs: inputs?.map((input, i) => {
      const spending = spendings[i]
      const isSatisfiable = input.next === "finalizer" || input.next === "extractor"
      return { ...input, spending: spending && shown(spending, isSatisfiable) }
    }),
    ...json,
    ...size !== undefined && fee !== undefined && {
      max_vsize: size,
      min_feerate: amount(feePerKilobyte({ fee, size }))
    }
  }
}
