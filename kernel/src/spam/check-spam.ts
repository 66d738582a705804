import * as Result from "effect/Result"
import { isPayToScriptHash } from "../interpreter/pay-to-script-hash.ts"
import type { SpentOutputs, Transaction } from "../model/transaction.ts"
import type { Bytes, Sats } from "../quantities.ts"
import { type WitnessProgram, witnessProgram } from "../script/witness-program.ts"
import { lastPush } from "../sigops/pay-to-script-hash.ts"
import { annexOf } from "../taproot/annex.ts"
import { HOLDS, type Verdict, type Violation } from "../verdict.ts"
import {
  feeRateIsWorthRelaying,
  outputIsWorthKeeping,
  smallOutputsAreFew,
  valueIsWorthItsSize,
  witnessItemIsShort
} from "./amounts.ts"
import { envelopeIsAbsent, tokenDocumentIsAbsent } from "./content.ts"
import type { SpamPolicy } from "./spam-policy.ts"

/** The script that the witness of a program reveals: the last item, or under taproot the last but one, annex apart. */
const witnessScript = (
  { program, version }: WitnessProgram,
  witness: ReadonlyArray<Bytes>
): Bytes | undefined => {
  if (program.length !== 32) return undefined
  if (version === 0) return witness[witness.length - 1]
  const items = witness.length - (annexOf(witness) === undefined ? 0 : 1)
  return version === 1 && items >= 2 ? witness[items - 2] : undefined
}

/** The scripts that an input reveals, besides what it spends. */
const revealedScripts = (
  scriptSig: Bytes,
  scriptPubKey: Bytes,
  witness: ReadonlyArray<Bytes>
): ReadonlyArray<Bytes> => {
  const redeemScript = isPayToScriptHash(scriptPubKey) ? lastPush(scriptSig) : undefined
  const program = witnessProgram(redeemScript ?? scriptPubKey)
  const inWitness = program === undefined ? undefined : witnessScript(program, witness)
  return [redeemScript, inWitness].filter((script) => script !== undefined)
}

const checkContent = (script: Bytes, policy: SpamPolicy): Verdict<void, Violation> => {
  const plain = policy.envelopes ? envelopeIsAbsent(script) : HOLDS
  if (Result.isFailure(plain)) return plain
  return policy.tokenDocuments ? tokenDocumentIsAbsent(script) : HOLDS
}

const checkSpamOfInputs = (
  tx: Transaction,
  spentOutputs: SpentOutputs,
  policy: SpamPolicy
): Verdict<void, Violation> => {
  for (let i = 0; i < tx.inputs.length; i++) {
    const { script: scriptSig, witness } = tx.inputs[i]!
    for (const script of revealedScripts(scriptSig, spentOutputs[i]!.script, witness)) {
      const content = checkContent(script, policy)
      if (Result.isFailure(content)) return content
    }
    for (const item of witness) {
      const short = witnessItemIsShort(item.length, policy.maxWitnessItem)
      if (Result.isFailure(short)) return short
    }
  }
  return HOLDS
}

const checkSpamOfOutputs = (tx: Transaction, policy: SpamPolicy): Verdict<void, Violation> => {
  for (const output of tx.outputs) {
    const content = checkContent(output.script, policy)
    if (Result.isFailure(content)) return content
    const worth = outputIsWorthKeeping(output, policy.minOutputValue)
    if (Result.isFailure(worth)) return worth
  }
  return smallOutputsAreFew(
    tx.outputs.filter(({ value }) => value < policy.smallOutputValue).length,
    policy.maxSmallOutputs
  )
}

/**
 * Checks one transaction for spam as the operator defines it. `size` is in virtual bytes. Precondition: one spent
 * output per input.
 *
 * @spec SPM-008 #aa41dc6e
 */
export const checkSpam = (
  tx: Transaction,
  spentOutputs: SpentOutputs,
  fee: Sats,
  size: number,
  policy: SpamPolicy
): Verdict<void, Violation> => {
  const inputs = checkSpamOfInputs(tx, spentOutputs, policy)
  if (Result.isFailure(inputs)) return inputs
  const outputs = checkSpamOfOutputs(tx, policy)
  if (Result.isFailure(outputs)) return outputs
  const value = tx.outputs.reduce((sum, output) => sum + output.value, 0n)
  const worth = valueIsWorthItsSize(tx.bytes.length, value, policy.maxBytesPerSatoshi)
  return Result.isFailure(worth) ? worth : feeRateIsWorthRelaying(fee, size, policy.minFeeRate)
}
