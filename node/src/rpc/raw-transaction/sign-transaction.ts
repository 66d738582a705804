import type { Crypto } from "@lockstep/kernel/crypto"
import { type Transaction, type TransactionInput, transactionOf, type TransactionOutput } from "@lockstep/kernel/model"
import type { ScriptErrorName } from "@lockstep/kernel/script"
import { SCRIPT_ERROR_TEXTS } from "@lockstep/protocol/rejection/script-error-text.ts"
import * as Effect from "effect/Effect"
import { inputDigests } from "@lockstep/descriptors/signing/input-digests.ts"
import { inputProblem } from "@lockstep/descriptors/signing/input-judge.ts"
import type { KeyRing } from "@lockstep/descriptors/signing/key-ring.ts"
import { knownParts } from "./known-parts.ts"
import { satisfy } from "./satisfy-input.ts"

/** An output to spend. `value` none: it is not known, so no witness can be signed for it. */
export interface SpentOutput {
  readonly script: Uint8Array
  readonly value: bigint | undefined
}

/** Outputs to spend, one for each input; none: it does not exist, or is spent. */
export type SpentOutputsGiven = ReadonlyArray<SpentOutput | undefined>

/** The error of a witness input whose prevout has no amount. */
export const MISSING_AMOUNT = "Missing amount"

/** An input that is not satisfied, and why. */
export interface InputFault {
  readonly input: TransactionInput
  readonly error: string
}

const MAX_MONEY = 2_100_000_000_000_000n
const SIGHASH_SINGLE = 3
const OUTPUT_MASK = 0x1f

const UNKNOWN: TransactionOutput = { value: 0n, script: new Uint8Array(0) }

const known = (given: SpentOutputsGiven): ReadonlyArray<TransactionOutput> =>
  given.map((each) => each === undefined ? UNKNOWN : { script: each.script, value: each.value ?? MAX_MONEY })

const TEXTS: Readonly<Partial<Record<ScriptErrorName, string>>> = {
  INVALID_STACK_OPERATION: "Unable to sign input, invalid stack size (possibly missing key)",
  NULLFAIL: "CHECK(MULTI)SIG failing with non-zero signature (possibly need more signatures)"
}

const NO_RING: Pick<KeyRing, "keyOf" | "keyWithHash" | "keyWithX"> = {
  keyOf: () => undefined,
  keyWithHash: () => undefined,
  keyWithX: () => undefined
}

/** One input with all that is in several versions of a transaction and all that a ring adds to it. */
export const satisfiedInput = (
  versions: ReadonlyArray<Transaction>,
  index: number,
  given: SpentOutputsGiven,
  ring: KeyRing,
  hashType: number,
  crypto: Crypto
): TransactionInput => {
  const outputs = known(given)
  const [tx] = versions
  const whole = versions.find((each) =>
    index < each.inputs.length && inputProblem(each, index, outputs, crypto) === undefined
  )
  if (whole !== undefined) return whole.inputs[index]!
  const input = tx!.inputs[index]!
  const output = outputs[index]!
  const digests = inputDigests(tx!, index, outputs, crypto)
  const parts = versions.filter((each) => index < each.inputs.length)
    .map((each) => knownParts(output.script, each.inputs[index]!, { crypto, digests, ring }))
  const signs = (hashType & OUTPUT_MASK) !== SIGHASH_SINGLE || index < tx!.outputs.length
  const satisfaction = {
    crypto,
    digests,
    hashType,
    ring: signs ? ring : { ...ring, ...NO_RING },
    signatures: new Map(parts.flatMap(({ signatures }) => [...signatures])),
    publicKeys: new Map(parts.flatMap(({ publicKeys }) => [...publicKeys]))
  }
  return { ...input, ...satisfy(output.script, satisfaction) }
}

/** Signs what can be signed of a transaction, one input at a time. It yields to the event loop in between. */
export const signTransaction = Effect.fnUntraced(function*(
  tx: Transaction,
  given: SpentOutputsGiven,
  ring: KeyRing,
  hashType: number,
  crypto: Crypto
): Effect.fn.Return<{ readonly tx: Transaction; readonly faults: ReadonlyArray<InputFault> }> {
  const inputs: Array<TransactionInput> = []
  for (const [i, input] of tx.inputs.entries()) {
    inputs.push(given[i] === undefined ? input : satisfiedInput([tx], i, given, ring, hashType, crypto))
    yield* Effect.yieldNow
  }
  const signed = transactionOf({ version: tx.version, inputs, outputs: tx.outputs, lockTime: tx.lockTime })
  const outputs = known(given)
  const faults: Array<InputFault> = []
  for (const [i, input] of signed.inputs.entries()) {
    const error = errorOf(signed, i, given[i], outputs, crypto)
    if (error !== undefined) faults.push({ input, error })
    yield* Effect.yieldNow
  }
  return { tx: signed, faults }
})

const errorOf = (
  tx: Transaction,
  index: number,
  spent: SpentOutput | undefined,
  outputs: ReadonlyArray<TransactionOutput>,
  crypto: Crypto
): string | undefined => {
  if (spent === undefined) return "Input not found or already spent"
  if (spent.value === undefined && tx.inputs[index]!.witness.length > 0) return MISSING_AMOUNT
  const problem = inputProblem(tx, index, outputs, crypto)
  return problem === undefined ? undefined : TEXTS[problem] ?? SCRIPT_ERROR_TEXTS[problem]
}
