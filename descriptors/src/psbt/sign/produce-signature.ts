import { hexOf } from "@lockstep/protocol/hex.ts"
import { scriptKind } from "../../script-text/script-kind.ts"
import { pushes } from "../../signing/pushes.ts"
import { keyWithHash, type Signing, signWith } from "./sign-key.ts"
import type { SigningProvider } from "./signing-provider.ts"
import { witnessOfMiniscript } from "./sign-miniscript.ts"
import { tapscriptWitness } from "./sign-taproot.ts"

/** Elements that satisfy a script; incomplete if some are unknown, and empty if all are. */
interface Elements {
  readonly elements: ReadonlyArray<Uint8Array>
  readonly isWhole: boolean
}

const NOTHING = new Uint8Array(0)
const NONE: Elements = { elements: [], isWhole: false }

const multisig = (
  { keys, required }: { readonly keys: ReadonlyArray<Uint8Array>; readonly required: number },
  script: Uint8Array,
  isWitness: boolean,
  signing: Signing
): Elements => {
  // All keys sign: a signature that is not needed here may be needed elsewhere.
  const made = keys.flatMap((key) => signWith(key, script, isWitness, signing) ?? []).slice(0, required)
  const missing = required - made.length
  // As many placeholders as Bitcoin Core writes: half of the missing signatures, rounded up.
  const placeholders = Array.from({ length: Math.ceil(missing / 2) }, () => NOTHING)
  return { elements: [NOTHING, ...made, ...placeholders], isWhole: missing === 0 }
}

/** Returns the elements for a script that contains no hash of another one. */
const plainElements = (script: Uint8Array, isWitness: boolean, signing: Signing): Elements => {
  const kind = scriptKind(script)
  switch (kind.type) {
    case "pubkey": {
      const signature = signWith(kind.key, script, isWitness, signing)
      return signature === undefined ? NONE : { elements: [signature], isWhole: true }
    }
    case "pubkeyhash": {
      const key = keyWithHash(kind.hash, signing)
      const signature = key && signWith(key, script, isWitness, signing)
      return key === undefined || signature === undefined ? NONE : { elements: [signature, key], isWhole: true }
    }
    case "multisig":
      return multisig(kind, script, isWitness, signing)
    case "anchor":
      return { elements: [], isWhole: true }
    default:
      return NONE
  }
}

/** Returns the script with this hash. */
const scriptBehind = (hash: Uint8Array, { crypto, data, provider }: Signing): Uint8Array | undefined =>
  provider.scripts.get(hexOf(hash)) ??
    [data.redeemScript, data.witnessScript].find((each) => each && hexOf(crypto.hash160(each)) === hexOf(hash))

const scriptWitness = (program: Uint8Array, signing: Signing): Elements => {
  const { crypto, data } = signing
  const inner = scriptBehind(crypto.ripemd160(program), signing)
  if (inner === undefined) {
    data.missing.witnessScript = program
    return NONE
  }
  data.witnessScript = inner
  const plain = plainElements(inner, true, signing)
  const found = plain.isWhole || plain.elements.length > 0 ? plain : witnessOfMiniscript(inner, signing)
  data.isWitness = true
  return { elements: [...(found?.elements ?? []), inner], isWhole: found?.isWhole ?? false }
}

const keyHashWitness = (hash: Uint8Array, signing: Signing): Elements => {
  const code = Uint8Array.of(0x76, 0xa9, 20, ...hash, 0x88, 0xac)
  signing.data.isWitness = true
  return plainElements(code, true, signing)
}

const taprootWitness = (outputKey: Uint8Array, signing: Signing): Elements => {
  signing.data.isWitness = true
  const elements = tapscriptWitness(outputKey, signing)
  return elements === undefined ? NONE : { elements, isWhole: true }
}

/** Returns the witness of a program, or `undefined` if the script is not a spendable program. */
const programWitness = (script: Uint8Array, isNested: boolean, signing: Signing): Elements | undefined => {
  const kind = scriptKind(script)
  switch (kind.type) {
    case "witness_v0_keyhash":
      return keyHashWitness(kind.program, signing)
    case "witness_v0_scripthash":
      return scriptWitness(kind.program, signing)
    case "witness_v1_taproot":
      return isNested ? NONE : taprootWitness(kind.program, signing)
    default:
      return undefined
  }
}

/** Script and witness that spend an output. */
interface Spending extends Elements {
  readonly witness: ReadonlyArray<Uint8Array>
}

const spendingOf = (script: Uint8Array, isNested: boolean, signing: Signing): Spending => {
  const witness = programWitness(script, isNested, signing)
  if (witness !== undefined) {
    return { elements: [], isWhole: witness.isWhole, witness: signing.data.isWitness ? witness.elements : [] }
  }
  const isHashAgain = isNested && scriptKind(script).type === "scripthash"
  return { ...(isHashAgain ? NONE : plainElements(script, false, signing)), witness: [] }
}

/**
 * Assembles what spends an output script, as far as it is known or can be signed. Records what was found, and what is
 * missing. Returns true if it spends the output.
 */
export const produceSignature = (script: Uint8Array, signing: Signing): boolean => {
  const { creator, data } = signing
  if (data.isComplete) return true
  const kind = scriptKind(script)
  const redeem = kind.type === "scripthash" ? scriptBehind(kind.hash, signing) : undefined
  if (kind.type === "scripthash" && redeem === undefined) {
    data.missing.redeemScript = kind.hash
    return false
  }
  data.redeemScript = redeem ?? data.redeemScript
  const { elements, isWhole, witness } = spendingOf(redeem ?? script, redeem !== undefined, signing)
  data.script = pushes(redeem === undefined ? elements : [...elements, redeem])
  data.witness = witness
  data.isComplete = isWhole && creator.isSpentBy(data.script, witness)
  return data.isComplete
}

/** Reports whether an output is spent with a witness, as far as scripts are known. */
export const isWitnessOutput = (script: Uint8Array, provider: SigningProvider): boolean => {
  const kind = scriptKind(script)
  const inner = kind.type === "scripthash" ? provider.scripts.get(hexOf(kind.hash)) : script
  return inner !== undefined && (scriptKind(inner).type.startsWith("witness_") || scriptKind(inner).type === "anchor")
}
