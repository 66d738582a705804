import { decodeTransaction, type Transaction } from "@lockstep/kernel/model"
import type { Psbt, PsbtInput } from "@lockstep/protocol/psbt/psbt.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { JsonRead } from "../../json/json-value.ts"
import { indexedTransaction } from "../../queries/find-transaction.ts"
import { describedScripts } from "../scan/scan-objects.ts"
import { bytesOfDigits } from "../../hex.ts"
import { scriptKind } from "@lockstep/descriptors/script-text/script-kind.ts"
import { type CallError, callError } from "../../queries/call-error.ts"
import type { MethodNode } from "../definition/method-node.ts"
import { isWitnessOutput } from "@lockstep/descriptors/psbt/sign/produce-signature.ts"
import { signedPsbt, signInput, type SignOptions, updateOutput } from "@lockstep/descriptors/psbt/sign/sign-input.ts"
import {
  addDescribed,
  addSecret,
  emptyProvider,
  type Hidden,
  type SigningProvider
} from "@lockstep/descriptors/psbt/sign/signing-provider.ts"

const ANYONECANPAY = 0x80

/** Reports whether signatures of an input commit to the amounts of all inputs, as taproot signatures do. */
const coversAmounts = ({ sighashType = 0, witnessUtxo }: PsbtInput): boolean => {
  const kind = witnessUtxo && scriptKind(witnessUtxo.script)
  return kind !== undefined && "version" in kind && kind.version > 0 && (sighashType & ANYONECANPAY) === 0
}

/** Removes whole previous transactions if the signatures of every input commit to all amounts. */
const dropTransactions = ({ inputs }: Psbt): void => {
  if (!inputs.every(coversAmounts)) return
  for (const input of inputs) input.nonWitnessUtxo = undefined
}

/** Returns the signing provider of descriptors, at all positions of their ranges. */
export const providerOf = Effect.fnUntraced(function*(
  objects: ReadonlyArray<JsonRead>,
  hidden: Hidden,
  node: MethodNode
): Effect.fn.Return<SigningProvider, CallError> {
  const provider = emptyProvider(node.musigNonces)
  const secrets = new Map<string, Uint8Array>()
  for (const script of yield* describedScripts(objects, node, secrets)) {
    addDescribed(provider, script, hidden, node.crypto)
  }
  if (!hidden.secrets) {
    for (const [key, secret] of secrets) addSecret(provider, bytesOfDigits(key)!, secret, node.crypto)
  }
  return provider
})

const findTransaction = Effect.fnUntraced(function*(
  txid: Uint8Array,
  node: MethodNode
): Effect.fn.Return<Transaction | undefined, CallError> {
  const indexed = yield* indexedTransaction(node, txid)
  if (indexed !== undefined) return indexed
  const pooled = yield* node.chain.call("mempoolTransaction", { id: txid, kind: "txid" })
  return pooled && Result.getOrThrow(decodeTransaction(pooled.bytes))
})

/**
 * Adds the previous transactions of inputs. If one is unknown, adds the output, which is enough for a witness input.
 */
const addSpentOutputs = Effect.fnUntraced(function*(
  { inputs }: Psbt,
  provider: SigningProvider,
  node: MethodNode
): Effect.fn.Return<void, CallError> {
  for (const input of inputs) {
    input.nonWitnessUtxo ??= yield* findTransaction(input.prevout.txid, node)
  }
  const rest = inputs.filter(({ nonWitnessUtxo }) => nonWitnessUtxo === undefined)
  if (rest.length === 0) return
  const { outputs } = yield* node.chain.call("outputs", { outpoints: rest.map(({ prevout }) => prevout) })
  for (const [i, input] of rest.entries()) {
    const output = outputs[i]
    if (output !== undefined && isWitnessOutput(output.script, provider)) {
      input.witnessUtxo = { value: output.value, script: output.script }
    }
  }
})

const NO_TRANSACTION = callError("Verify", "PSBT cannot be made into a valid transaction")

const OTHER_SIGHASH = callError(
  "Deserialization",
  "Specified sighash value does not match value stored in PSBT"
)

/** Adds data known from the chain, the mempool and descriptors, and signatures by available keys. */
export const processPsbt = Effect.fnUntraced(function*(
  psbt: Psbt,
  provider: SigningProvider,
  options: SignOptions,
  node: MethodNode
): Effect.fn.Return<void, CallError> {
  yield* addSpentOutputs(psbt, provider, node)
  const signed = signedPsbt(psbt, node.crypto)
  if (signed === undefined) return yield* Effect.fail(NO_TRANSACTION)
  for (const [i, { finalScript, finalWitness }] of psbt.inputs.entries()) {
    if (finalScript !== undefined || finalWitness !== undefined) continue
    const { outcome } = signInput(signed, i, provider, options)
    if (outcome === "sighash mismatch") return yield* Effect.fail(OTHER_SIGHASH)
    yield* Effect.yieldNow
  }
  for (const i of psbt.outputs.keys()) updateOutput(psbt, i, provider, node.crypto)
  dropTransactions(psbt)
  return undefined
})
