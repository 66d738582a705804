import * as Result from "effect/Result"
import { strippedSize, transactionWeight } from "../model/weight.ts"
import { isCoinbase, type Transaction } from "../model/transaction.ts"
import type { Bytes, Weight } from "../quantities.ts"
import { isPushOnly } from "../script/instruction.ts"
import { HOLDS, type Verdict, type Violation, violation } from "../verdict.ts"
import {
  MAX_STANDARD_MULTISIG_KEYS,
  MAX_STANDARD_SCRIPTSIG_SIZE,
  MAX_STANDARD_TX_WEIGHT,
  MIN_STANDARD_TX_NONWITNESS_SIZE,
  TX_MAX_STANDARD_VERSION,
  TX_MIN_STANDARD_VERSION
} from "./constants.ts"
import { dustIsSingle, dustOutputs } from "./dust.ts"
import { type OutputType, outputType } from "./output-type.ts"
import type { RelayPolicy } from "./relay-policy.ts"

export type VersionIsNotStandard = Violation<"POL-030", { readonly version: number }>
export type TooHeavyToRelay = Violation<"POL-031", { readonly weight: Weight }>
export type ScriptSigTooLong = Violation<"POL-032", { readonly size: number }>
export type ScriptSigDoesMoreThanPush = Violation<"POL-033", null>
export type OutputFormIsUnknown = Violation<"POL-035", OutputType>
export type DataCarrierTooLarge = Violation<"POL-036", { readonly size: number; readonly left: number }>
export type BareMultisig = Violation<"POL-037", null>
export type TooSmallToRelay = Violation<"POL-042", { readonly strippedSize: number }>
export type LooseCoinbase = Violation<"POL-043", null>

/**
 * The version is 1, 2 or 3. Read unsigned, so what older software wrote as a negative number is out.
 *
 * @spec POL-030 #b1ce8ca6
 */
export const versionIsStandard = (tx: Transaction): Verdict<void, VersionIsNotStandard> =>
  tx.version >= TX_MIN_STANDARD_VERSION && tx.version <= TX_MAX_STANDARD_VERSION
    ? HOLDS
    : Result.fail(violation("POL-030", { version: tx.version }))

/**
 * A tenth of a block's weight at most: what grows with the square of a transaction's size stays small.
 *
 * @spec POL-031 #ec631cf9
 */
export const weightIsStandard = (weight: Weight): Verdict<void, TooHeavyToRelay> =>
  weight <= MAX_STANDARD_TX_WEIGHT ? HOLDS : Result.fail(violation("POL-031", { weight }))

/**
 * A scriptSig has at most 1,650 bytes.
 *
 * @spec POL-032 #e53e58c2
 */
export const scriptSigSizeIsStandard = (scriptSig: Bytes): Verdict<void, ScriptSigTooLong> =>
  scriptSig.length <= MAX_STANDARD_SCRIPTSIG_SIZE
    ? HOLDS
    : Result.fail(violation("POL-032", { size: scriptSig.length }))

/**
 * A scriptSig only pushes, whatever it redeems. The same demand as POL-007, before any coin is looked up.
 *
 * @spec POL-033 #460cfc34
 */
export const scriptSigOnlyPushes = (scriptSig: Bytes): Verdict<void, ScriptSigDoesMoreThanPush> =>
  isPushOnly(scriptSig) ? HOLDS : Result.fail(violation("POL-033", null))

/**
 * An output is of a known form; a multisig outside a script hash has at most three keys.
 *
 * @spec POL-035 #08f6430d
 */
export const outputFormIsKnown = (type: OutputType): Verdict<void, OutputFormIsUnknown> =>
  type.kind === "nonstandard" || type.keys > MAX_STANDARD_MULTISIG_KEYS
    ? Result.fail(violation("POL-035", type))
    : HOLDS

/**
 * A data carrier fits what is left of the transaction's allowance. All of its script counts.
 *
 * @spec POL-036 #dfac12dc
 */
export const dataCarrierFits = (size: number, left: number): Verdict<void, DataCarrierTooLarge> =>
  size <= left ? HOLDS : Result.fail(violation("POL-036", { size, left }))

/**
 * A multisig outside a script hash is only relayed where the operator permits it.
 *
 * @spec POL-037 #89fc588a
 */
export const bareMultisigIsPermitted = (type: OutputType, permitted: boolean): Verdict<void, BareMultisig> =>
  permitted || type.kind !== "multisig" ? HOLDS : Result.fail(violation("POL-037", null))

/**
 * Without its witness a transaction has at least 65 bytes.
 *
 * @spec POL-042 #c0cf949b
 */
export const strippedSizeIsStandard = (tx: Transaction): Verdict<void, TooSmallToRelay> => {
  const size = strippedSize(tx)
  return size >= MIN_STANDARD_TX_NONWITNESS_SIZE ? HOLDS : Result.fail(violation("POL-042", { strippedSize: size }))
}

/**
 * A transaction outside a block is no coinbase.
 *
 * @spec POL-043 #988e4f6f
 */
export const isNoLooseCoinbase = (tx: Transaction): Verdict<void, LooseCoinbase> =>
  isCoinbase(tx) ? Result.fail(violation("POL-043", null)) : HOLDS

const checkScriptSigs = (tx: Transaction): Verdict<void> => {
  for (const { script } of tx.inputs) {
    const small = scriptSigSizeIsStandard(script)
    if (Result.isFailure(small)) return small
    const pushes = scriptSigOnlyPushes(script)
    if (Result.isFailure(pushes)) return pushes
  }
  return HOLDS
}

const checkOutputForms = (tx: Transaction, policy: RelayPolicy): Verdict<void> => {
  let left = policy.dataCarrierBytes
  for (const { script } of tx.outputs) {
    const type = outputType(script)
    const known = outputFormIsKnown(type)
    if (Result.isFailure(known)) return known
    if (type.kind === "nulldata") {
      const fits = dataCarrierFits(script.length, left)
      if (Result.isFailure(fits)) return fits
      left -= script.length
    }
    const permitted = bareMultisigIsPermitted(type, policy.permitBareMultisig)
    if (Result.isFailure(permitted)) return permitted
  }
  return HOLDS
}

/**
 * Checks a transaction alone for relay, without its coins. The order decides which reason is reported.
 *
 * @spec POL-041 #46cf55ac
 */
export const checkStandard = (tx: Transaction, policy: RelayPolicy): Verdict<void, Violation> => {
  const version = versionIsStandard(tx)
  if (Result.isFailure(version)) return version
  const weight = weightIsStandard(transactionWeight(tx))
  if (Result.isFailure(weight)) return weight
  const scriptSigs = checkScriptSigs(tx)
  if (Result.isFailure(scriptSigs)) return scriptSigs
  const forms = checkOutputForms(tx, policy)
  return Result.isFailure(forms) ? forms : dustIsSingle(dustOutputs(tx, policy.dustRelayFee).length)
}
