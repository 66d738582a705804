import * as Result from "effect/Result"
import { TAPROOT_LEAF_MASK, TAPSCRIPT_LEAF_VERSION } from "../constants.ts"
import type { Machine } from "../machine/machine.ts"
import type { SpentOutputs, Transaction } from "../model/transaction.ts"
import type { Bytes } from "../quantities.ts"
import { type WitnessProgram, witnessProgram } from "../script/witness-program.ts"
import { annexOf } from "../taproot/annex.ts"
import { HOLDS, type Verdict, type Violation, violation } from "../verdict.ts"
import {
  MAX_STANDARD_P2WSH_SCRIPT_SIZE,
  MAX_STANDARD_P2WSH_STACK_ITEM_SIZE,
  MAX_STANDARD_P2WSH_STACK_ITEMS,
  MAX_STANDARD_TAPSCRIPT_STACK_ITEM_SIZE
} from "./constants.ts"
import { redeemingScriptSigRuns, redeemScriptIsPresent } from "./input-forms.ts"
import { outputType } from "./output-type.ts"

export type AnchorHasWitness = Violation<"POL-060", null>
export type WitnessWithoutProgram = Violation<"POL-061", null>
export type ScriptHashWitnessTooLarge = Violation<"POL-062", null>
export type AnnexIsPresent = Violation<"POL-063", null>
export type TapscriptWitnessTooLarge = Violation<"POL-064", null>

const isLongerThan = (limit: number) => (item: Bytes): boolean => item.length > limit

/**
 * A spent anchor has no witness, since any node could replace it by another one.
 *
 * @spec POL-060 #8ff2e82e
 */
export const anchorHasNoWitness = (
  scriptPubKey: Bytes,
  witness: ReadonlyArray<Bytes>
): Verdict<void, AnchorHasWitness> =>
  witness.length > 0 && outputType(scriptPubKey).kind === "anchor"
    ? Result.fail(violation("POL-060", null))
    : HOLDS

/**
 * A witness belongs to a witness program, native or as redeem script.
 *
 * @spec POL-061 #38f000aa
 */
export const witnessHasProgram = (
  program: WitnessProgram | undefined
): Verdict<WitnessProgram, WitnessWithoutProgram> =>
  program === undefined ? Result.fail(violation("POL-061", null)) : Result.succeed(program)

/**
 * The witness of a script hash: a script of at most 3,600 bytes on at most 100 items of at most 80. Precondition: it is
 * not empty.
 *
 * @spec POL-062 #6744385a
 */
export const scriptHashWitnessIsSmall = (witness: ReadonlyArray<Bytes>): Verdict<void, ScriptHashWitnessTooLarge> => {
  const items = witness.length - 1
  const large = witness[items]!.length > MAX_STANDARD_P2WSH_SCRIPT_SIZE || items > MAX_STANDARD_P2WSH_STACK_ITEMS ||
    witness.slice(0, items).some(isLongerThan(MAX_STANDARD_P2WSH_STACK_ITEM_SIZE))
  return large ? Result.fail(violation("POL-062", null)) : HOLDS
}

/**
 * No annex: nothing gives it a meaning yet.
 *
 * @spec POL-063 #4abf2551
 */
export const annexIsAbsent = (witness: ReadonlyArray<Bytes>): Verdict<void, AnnexIsPresent> =>
  annexOf(witness) === undefined ? HOLDS : Result.fail(violation("POL-063", null))

/**
 * A script path has a control block, and below a tapscript only items of at most 80 bytes. Leaves of other versions are
 * unlimited. Precondition: POL-063.
 *
 * @spec POL-064 #fa3a8db8
 */
export const tapscriptWitnessIsSmall = (witness: ReadonlyArray<Bytes>): Verdict<void, TapscriptWitnessTooLarge> => {
  if (witness.length < 2) return HOLDS
  const control = witness[witness.length - 1]!
  if (control.length === 0) return Result.fail(violation("POL-064", null))
  if ((control[0]! & TAPROOT_LEAF_MASK) !== TAPSCRIPT_LEAF_VERSION) return HOLDS
  const items = witness.slice(0, witness.length - 2)
  return items.some(isLongerThan(MAX_STANDARD_TAPSCRIPT_STACK_ITEM_SIZE))
    ? Result.fail(violation("POL-064", null))
    : HOLDS
}

/**
 * Returns the program that a witness belongs to, or `undefined` if a scriptSig leaves no redeem script, or one that is
 * no program.
 */
const programOf = (m: Machine, scriptSig: Bytes, scriptPubKey: Bytes): WitnessProgram | undefined => {
  if (outputType(scriptPubKey).kind !== "scripthash") return witnessProgram(scriptPubKey)
  if (Result.isFailure(redeemingScriptSigRuns(m, scriptSig, 0))) return undefined
  const redeemScript = redeemScriptIsPresent(m, 0)
  return Result.isFailure(redeemScript) ? undefined : witnessProgram(redeemScript.success)
}

const checkWitness = (
  m: Machine,
  scriptSig: Bytes,
  scriptPubKey: Bytes,
  witness: ReadonlyArray<Bytes>
): Verdict<void, Violation> => {
  const anchor = anchorHasNoWitness(scriptPubKey, witness)
  if (Result.isFailure(anchor)) return anchor
  const found = witnessHasProgram(programOf(m, scriptSig, scriptPubKey))
  if (Result.isFailure(found)) return Result.fail(found.failure)
  const { program, version } = found.success
  if (version === 0 && program.length === 32) return scriptHashWitnessIsSmall(witness)
  if (outputType(scriptPubKey).kind !== "witness_v1_taproot") return HOLDS
  const annex = annexIsAbsent(witness)
  return Result.isFailure(annex) ? annex : tapscriptWitnessIsSmall(witness)
}

/**
 * Checks the witnesses of a transaction for relay. Precondition: one spent output per input, and POL-033.
 *
 * @spec POL-065 #edf558ac
 */
export const checkWitnessLimits = (
  m: Machine,
  tx: Transaction,
  spentOutputs: SpentOutputs
): Verdict<void, Violation> => {
  for (let i = 0; i < tx.inputs.length; i++) {
    const { script, witness } = tx.inputs[i]!
    const small = witness.length === 0 ? HOLDS : checkWitness(m, script, spentOutputs[i]!.script, witness)
    if (Result.isFailure(small)) return small
  }
  return HOLDS
}

/**
 * Reports whether an input spends a witness program, native or as redeem script; an anchor does not count. If a script
 * fails and the transaction has no witness at all, it may have been stripped. Precondition: one spent output per input,
 * and POL-033.
 *
 * @spec POL-066 #b202b697
 */
export const spendsWitnessProgram = (m: Machine, tx: Transaction, spentOutputs: SpentOutputs): boolean =>
  tx.inputs.some(({ script: scriptSig }, i) => {
    const { script } = spentOutputs[i]!
    return outputType(script).kind !== "anchor" && programOf(m, scriptSig, script) !== undefined
  })
