import type { Crypto } from "@lockstep/kernel/crypto"
import type { TransactionInput } from "@lockstep/kernel/model"
import { keyHashScript } from "@lockstep/descriptors/descriptor/scripts.ts"
import { hexOf } from "../../hex.ts"
import { pushes } from "@lockstep/descriptors/signing/pushes.ts"
import { scriptKind } from "@lockstep/descriptors/script-text/script-kind.ts"
import type { InputDigests } from "@lockstep/descriptors/signing/input-digests.ts"
import { ecdsaSignature, type KeyRing, schnorrSignature } from "@lockstep/descriptors/signing/key-ring.ts"

const NOTHING = new Uint8Array(0)
const SIGHASH_ALL = 1

/** What it takes to satisfy one input. */
export interface Satisfaction {
  readonly crypto: Crypto
  readonly ring: KeyRing
  readonly digests: InputDigests
  readonly hashType: number
  /** Signatures that were there already, by key. */
  readonly signatures: ReadonlyMap<string, Uint8Array>
  /** Public keys that came with them, by hash. */
  readonly publicKeys: ReadonlyMap<string, Uint8Array>
}

/** The elements a script asks for; fewer, or empty ones, where something is missing. `isWhole`: nothing is. */
interface Elements {
  readonly elements: ReadonlyArray<Uint8Array>
  readonly isWhole: boolean
}

const NONE: Elements = { elements: [], isWhole: false }

const whole = (...elements: ReadonlyArray<Uint8Array>): Elements => ({ elements, isWhole: true })

const signatureBy = (
  key: Uint8Array,
  script: Uint8Array,
  isWitness: boolean,
  given: Satisfaction
): Uint8Array | undefined => {
  const known = given.signatures.get(hexOf(key))
  if (known !== undefined) return known
  const secret = given.ring.keyOf(key)
  if (secret === undefined || (isWitness && !secret.compressed)) return undefined
  const hashType = given.hashType === 0 ? SIGHASH_ALL : given.hashType
  return ecdsaSignature((isWitness ? given.digests.witness : given.digests.legacy)(script, hashType), secret, hashType)
}

const multisigElements = (
  { keys, required }: { readonly keys: ReadonlyArray<Uint8Array>; readonly required: number },
  script: Uint8Array,
  isWitness: boolean,
  given: Satisfaction
): Elements => {
  const signatures = keys.flatMap((key) => signatureBy(key, script, isWitness, given) ?? []).slice(0, required)
  const missing = Array.from({ length: required - signatures.length }, () => NOTHING)
  return { elements: [NOTHING, ...signatures, ...missing], isWhole: missing.length === 0 }
}

/** What a script that hashes no other one asks for. */
const elementsFor = (script: Uint8Array, isWitness: boolean, given: Satisfaction): Elements => {
  const kind = scriptKind(script)
  switch (kind.type) {
    case "pubkey": {
      const signature = signatureBy(kind.key, script, isWitness, given)
      return signature === undefined ? NONE : whole(signature)
    }
    case "pubkeyhash": {
      const key = given.publicKeys.get(hexOf(kind.hash)) ?? given.ring.keyWithHash(kind.hash)?.publicKey
      const signature = key && signatureBy(key, script, isWitness, given)
      return key === undefined || signature === undefined ? NONE : whole(signature, key)
    }
    case "multisig":
      return multisigElements(kind, script, isWitness, given)
    default:
      return NONE
  }
}

/** What an input spends with. */
export type Spending = Pick<TransactionInput, "script" | "witness">

const taprootWitness = (key: Uint8Array, { digests, hashType, ring }: Satisfaction): ReadonlyArray<Uint8Array> => {
  const secret = ring.keyWithX(key)
  const digest = secret && digests.taproot(hashType)
  return secret === undefined || digest === undefined ? [] : [schnorrSignature(digest, secret, hashType)]
}

const keyHashCode = (hash: Uint8Array, given: Satisfaction): Uint8Array => {
  const key = given.publicKeys.get(hexOf(hash)) ?? given.ring.keyWithHash(hash)?.publicKey
  return key === undefined ? NOTHING : keyHashScript(key, given.crypto)
}

/** The witness of a program; none: the script is no program. */
const programWitness = (script: Uint8Array, given: Satisfaction): ReadonlyArray<Uint8Array> | undefined => {
  const kind = scriptKind(script)
  switch (kind.type) {
    case "witness_v0_keyhash":
      return elementsFor(keyHashCode(kind.program, given), true, given).elements
    case "witness_v0_scripthash": {
      const inner = given.ring.scriptBehind(script)
      return inner === undefined ? [] : [...elementsFor(inner, true, given).elements, inner]
    }
    case "witness_v1_taproot":
      return taprootWitness(kind.program, given)
    default:
      return undefined
  }
}

/** How far an output script can be satisfied. */
export const satisfy = (output: Uint8Array, given: Satisfaction): Spending => {
  const redeem = scriptKind(output).type === "scripthash" ? given.ring.scriptBehind(output) : undefined
  const script = redeem ?? output
  const witness = programWitness(script, given)
  const elements = witness === undefined ? elementsFor(script, false, given).elements : []
  return { script: pushes(redeem === undefined ? elements : [...elements, redeem]), witness: witness ?? [] }
}
