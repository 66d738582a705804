import { bytesEqual } from "@lockstep/kernel/bytes"
import type { PsbtInput } from "@lockstep/protocol/psbt/psbt.ts"
import { scriptKind } from "../../script-text/script-kind.ts"
import { pushes } from "../../signing/pushes.ts"
import { takesLockTime, takesSequence } from "../sign/signature-creator.ts"
import { dataOfInput } from "../sign/signature-data.ts"
import type { SignedPsbt } from "../sign/sign-input.ts"
import { spentOutputOf } from "../sign/spent-output.ts"
import {
  countSize,
  ecdsaKey,
  elementSize,
  hashedKey,
  type InputMiniscript,
  type InputPath,
  KEY_HASH_WITNESS,
  keyPaths,
  type PathContext,
  type ScriptPaths,
  signaturesSize,
  taprootPaths,
  witnessScriptPaths
} from "./input-paths.ts"

/** Ways to spend an input, as far as scripts are known. */
export interface InputSpending {
  /** Type of the output's script. */
  readonly scriptType: string
  readonly paths: ReadonlyArray<InputPath>
  /** True if there are more ways than listed. */
  readonly isCut: boolean
  readonly miniscripts: ReadonlyArray<InputMiniscript>
  /** Sizes of the largest script and witness, or of the final ones; `undefined` if data for them is missing. */
  readonly largest: SpendingSizes | undefined
  /** Parts common to every way to spend, which contain all counted signature operations. */
  readonly ending: { readonly script: Uint8Array; readonly witness: ReadonlyArray<Uint8Array> }
}

/** Bytes of the script and the whole witness of an input. */
export interface SpendingSizes {
  readonly script: number
  readonly witness: number
}

const NOTHING = new Uint8Array(0)

/** Ways to spend an output's script, and the common end of each. */
interface Behind {
  readonly all: ReadonlyArray<ScriptPaths>
  readonly scriptSize: number
  readonly ending: InputSpending["ending"]
}

const withScript = (all: ReadonlyArray<ScriptPaths>, scriptSize: number, script: Uint8Array = NOTHING): Behind => ({
  all,
  scriptSize: scriptSize + script.length,
  ending: { script, witness: [] }
})

const witnessOf = (
  all: ReadonlyArray<ScriptPaths>,
  script: Uint8Array,
  witness: ReadonlyArray<Uint8Array>
): Behind => ({
  all,
  scriptSize: script.length,
  ending: { script, witness }
})

const UNCOMPRESSED = 65

/** Returns the ways to spend a script. `redeem` is the push of the script if it is the one of a script hash. */
const behind = (script: Uint8Array, redeem: Uint8Array, input: PsbtInput, context: PathContext): Behind | undefined => {
  const kind = scriptKind(script)
  switch (kind.type) {
    case "pubkey":
      return withScript([keyPaths(1, [ecdsaKey(kind.key, context)], 0)], signaturesSize(1, false), redeem)
    case "pubkeyhash": {
      const key = hashedKey(kind.hash, context)
      const size = signaturesSize(1, false) + 1 + (key.bytes?.length ?? UNCOMPRESSED)
      return withScript([keyPaths(1, [key], 0)], size, redeem)
    }
    case "multisig": {
      const { keys, required } = kind
      const all = keyPaths(required, keys.map((key) => ecdsaKey(key, context)), 0)
      return withScript([all], signaturesSize(required, true), redeem)
    }
    case "witness_v0_keyhash":
      return witnessOf([keyPaths(1, [hashedKey(kind.program, context)], KEY_HASH_WITNESS)], redeem, [])
    case "witness_v0_scripthash": {
      const { witnessScript: inner } = input
      if (inner === undefined || !bytesEqual(context.crypto.sha256(inner), kind.program)) return undefined
      return witnessOf([witnessScriptPaths(inner, context)], redeem, [inner])
    }
    case "witness_v1_taproot":
      // Under a script hash it is not a program.
      return redeem.length > 0 ? undefined : witnessOf(taprootPaths(kind.program, context), redeem, [])
    default:
      return undefined
  }
}

const behindOutput = (script: Uint8Array, input: PsbtInput, context: PathContext): Behind | undefined => {
  const kind = scriptKind(script)
  if (kind.type !== "scripthash") return behind(script, NOTHING, input, context)
  const { redeemScript: redeem } = input
  if (redeem === undefined || !bytesEqual(context.crypto.hash160(redeem), kind.hash)) return undefined
  return scriptKind(redeem).type === "scripthash" ? undefined : behind(redeem, pushes([redeem]), input, context)
}

const finalSpending = (scriptType: string, script: Uint8Array, witness: ReadonlyArray<Uint8Array>): InputSpending => {
  const size = witness.reduce((sum, element) => sum + elementSize(element), countSize(witness.length))
  return {
    scriptType,
    paths: [],
    isCut: false,
    miniscripts: [],
    largest: { script: script.length, witness: witness.length === 0 ? 0 : size },
    ending: { script, witness }
  }
}

/** Returns the largest sizes, or `undefined` if a script is unknown or cannot be spent. */
const largestOf = ({ all, scriptSize }: Behind): SpendingSizes | undefined => {
  const sizes = all.flatMap(({ witnessSize }) => witnessSize ?? [])
  return sizes.length === 0 || all.some(({ isKnown }) => !isKnown)
    ? undefined
    : { script: scriptSize, witness: sizes.reduce((most, size) => Math.max(most, size)) }
}

/** Returns the ways to spend an input, or `undefined` if its output is not known. The input is unchanged. */
export const inputSpending = ({ crypto, psbt, tx }: SignedPsbt, index: number): InputSpending | undefined => {
  const input = psbt.inputs[index]!
  const output = spentOutputOf(input)
  if (output === undefined) return undefined
  const { type } = scriptKind(output.script)
  const { finalScript, finalWitness } = input
  if (finalScript !== undefined || finalWitness !== undefined) {
    return finalSpending(type, finalScript ?? NOTHING, finalWitness ?? [])
  }
  const found = behindOutput(output.script, input, {
    crypto,
    data: dataOfInput(input),
    takesLockTime: (lockTime) => takesLockTime(tx, index, lockTime),
    takesSequence: (sequence) => takesSequence(tx, index, sequence)
  })
  if (found === undefined) {
    const ending = { script: NOTHING, witness: [] }
    return { scriptType: type, paths: [], isCut: false, miniscripts: [], largest: undefined, ending }
  }
  return {
    scriptType: type,
    paths: found.all.flatMap(({ paths }) => paths),
    isCut: found.all.some(({ isCut }) => isCut),
    miniscripts: found.all.flatMap(({ miniscript }) => miniscript ?? []),
    largest: largestOf(found),
    ending: found.ending
  }
}

/** Reports whether all conditions of a way are met. Signatures are not verified. */
export const isPathComplete = ({ conditions }: InputPath): boolean =>
  conditions.every((condition) => {
    switch (condition.ask) {
      case "keys":
        return condition.keys.filter(({ hasSigned }) => hasSigned).length >= condition.required
      case "preimage":
        return condition.isKnown
      default:
        return condition.isMet
    }
  })
