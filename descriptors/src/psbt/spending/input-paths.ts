import type { Crypto } from "@lockstep/kernel/crypto"
import { inOrder } from "@lockstep/protocol/psbt/sort-keys.ts"
import { hexOf } from "@lockstep/protocol/hex.ts"
import { decodeMiniscript } from "../../descriptor/miniscript/decode-miniscript.ts"
import type { Fragment, HashForm, Surroundings } from "../../descriptor/miniscript/fragment.ts"
import { type Condition, spendingPaths } from "../../descriptor/miniscript/spending-paths.ts"
import { ELEMENT_SIZES, largestWitness, ZERO_SIZE } from "../../descriptor/miniscript/witness-sizes.ts"
import { leafHash, TAPSCRIPT_VERSION } from "../../descriptor/taproot-tree.ts"
import type { MusigPurpose } from "../sign/joint-key.ts"
import { knownKey, type SignatureData } from "../sign/signature-data.ts"
import { type Participant, participantsOf } from "./participants.ts"

/** A key as far as a script reveals it, and whether it has signed. */
export interface PathKey {
  /** `undefined` if the script has only its hash. */
  readonly bytes: Uint8Array | undefined
  readonly hash: Uint8Array | undefined
  readonly hasSigned: boolean
  /** Participants that sign with the key jointly (MuSig2). */
  readonly participants?: ReadonlyArray<Participant>
}

/** A condition of a way to spend, and whether it is met. */
export type PathCondition =
  | { readonly ask: "keys"; readonly required: number; readonly keys: ReadonlyArray<PathKey> }
  | { readonly ask: "preimage"; readonly form: HashForm; readonly hash: Uint8Array; readonly isKnown: boolean }
  | { readonly ask: "after" | "older"; readonly lock: number; readonly isMet: boolean }

/** One way to spend an output. */
export interface InputPath {
  /** Hash of the executed leaf. */
  readonly leaf: Uint8Array | undefined
  readonly conditions: ReadonlyArray<PathCondition>
  /** Bytes of the largest complete witness. */
  readonly witnessSize: number
}

/** A miniscript that an input executes. */
export interface InputMiniscript {
  readonly leaf: Uint8Array | undefined
  readonly root: Fragment
  readonly surroundings: Surroundings
  readonly keys: ReadonlyArray<PathKey>
}

/** The ways to spend by one script. */
export interface ScriptPaths {
  readonly paths: ReadonlyArray<InputPath>
  readonly isCut: boolean
  /** Bytes of the largest witness; `undefined` if no way to spend is known. */
  readonly witnessSize: number | undefined
  /** True if the conditions can be derived from the script. */
  readonly isKnown: boolean
  readonly miniscript: InputMiniscript | undefined
}

/** Data in which ways to spend are looked up. */
export interface PathContext {
  readonly crypto: Crypto
  readonly data: SignatureData
  readonly takesLockTime: (lockTime: number) => boolean
  readonly takesSequence: (sequence: number) => boolean
}

/** Returns the bytes of a count. */
export const countSize = (count: number): number => count < 253 ? 1 : count <= 0xffff ? 3 : 5

export const elementSize = ({ length }: Uint8Array): number => countSize(length) + length

/** Returns a key and whether it has signed with ECDSA. */
export const ecdsaKey = (bytes: Uint8Array, { crypto, data }: PathContext): PathKey => {
  const hash = crypto.hash160(bytes)
  return { bytes, hash, hasSigned: data.signatures.has(hexOf(hash)) }
}

/** Returns the key with this hash, as far as it is known. */
export const hashedKey = (hash: Uint8Array, context: PathContext): PathKey => {
  const bytes = knownKey(context.data, hash, context.crypto)
  return bytes === undefined ? { bytes, hash, hasSigned: false } : ecdsaKey(bytes, context)
}

const filledIn = (
  condition: Condition,
  keys: ReadonlyArray<PathKey>,
  { data, takesLockTime, takesSequence }: PathContext
): PathCondition => {
  switch (condition.ask) {
    case "keys":
      return { ...condition, keys: condition.keys.map((key) => keys[key]!) }
    case "preimage":
      return { ...condition, isKnown: data.preimages[condition.form].has(hexOf(condition.hash)) }
    default: {
      const { ask, lock } = condition
      return { ask, lock, isMet: ask === "after" ? takesLockTime(lock) : takesSequence(lock) }
    }
  }
}

/** Returns the ways of a miniscript whose witness ends with these elements. */
const pathsOf = (
  { keys, leaf, root, surroundings }: InputMiniscript,
  ending: ReadonlyArray<Uint8Array>,
  context: PathContext
): ScriptPaths => {
  const more = ending.reduce((sum, element) => sum + elementSize(element), 0)
  const whole = (size: number, elements: number): number => countSize(elements + ending.length) + size + more
  const { isCut, paths } = spendingPaths(root, surroundings)
  const largest = largestWitness(root, surroundings)
  const sizes = isCut && largest !== undefined
    ? [whole(largest, Math.max(0, root.resources.stack.satisfied.taken + 1))]
    : paths.map(({ elements, size }) => whole(size, elements))
  return {
    paths: paths.map(({ conditions, elements, size }) => ({
      leaf,
      conditions: conditions.map((condition) => filledIn(condition, keys, context)),
      witnessSize: whole(size, elements)
    })),
    isCut,
    witnessSize: sizes.length === 0 ? undefined : Math.max(...sizes),
    miniscript: { keys, leaf, root, surroundings },
    isKnown: true
  }
}

const UNKNOWN: ScriptPaths = {
  paths: [],
  isCut: false,
  witnessSize: undefined,
  isKnown: false,
  miniscript: undefined
}

const isCompressed = (key: Uint8Array): boolean => key.length === 33 && (key[0] === 2 || key[0] === 3)

/** Returns the ways to spend a P2WSH output by its script; empty for a script that is no miniscript. */
export const witnessScriptPaths = (script: Uint8Array, context: PathContext): ScriptPaths => {
  const keys: Array<PathKey> = []
  const root = decodeMiniscript(script, "wsh", {
    ofBytes: (key) => isCompressed(key) ? keys.push(ecdsaKey(key, context)) - 1 : undefined,
    ofHash: (hash) => keys.push(hashedKey(hash, context)) - 1
  })
  if (root === undefined) return UNKNOWN
  return pathsOf({ leaf: undefined, root, surroundings: "wsh", keys }, [script], context)
}

/** Returns a taproot key. It counts as signed as well if all participants have signed partially. */
const taprootKeyOf = (x: Uint8Array, isSigned: boolean, purpose: MusigPurpose, context: PathContext): PathKey => {
  const key = { bytes: x, hash: undefined, hasSigned: isSigned }
  const participants = participantsOf(x, purpose, context)
  return participants === undefined
    ? key
    : {
      ...key,
      participants,
      hasSigned: isSigned || participants.every(({ hasNonce, hasSigned }) => hasNonce && hasSigned)
    }
}

const leafKeyOf = (x: Uint8Array, leaf: Uint8Array, context: PathContext): PathKey => {
  const isSigned = context.data.taprootScriptSignatures.has(`${hexOf(x)}${hexOf(leaf)}`)
  return taprootKeyOf(x, isSigned, { leafHash: leaf, taproot: undefined }, context)
}

const leafPaths = (script: Uint8Array, control: Uint8Array, context: PathContext): ScriptPaths => {
  const leaf = leafHash(script, TAPSCRIPT_VERSION, context.crypto)
  const keys: Array<PathKey> = []
  const root = decodeMiniscript(script, "tr", {
    ofBytes: (key) => key.length === 32 ? keys.push(leafKeyOf(key, leaf, context)) - 1 : undefined,
    ofHash: (hash) => {
      const key = knownKey(context.data, hash, context.crypto)
      const known = key && leafKeyOf(key.subarray(1, 33), leaf, context)
      return keys.push(known ?? { bytes: undefined, hash, hasSigned: false }) - 1
    }
  })
  if (root === undefined) return UNKNOWN
  return pathsOf({ leaf, root, surroundings: "tr", keys }, [script, control], context)
}

const KEY_PATH_SIZE = 1 + ELEMENT_SIZES.tr.signature

/** Returns the way by the output's key. Shows the internal key if it is known. */
const keyPath = (outputKey: Uint8Array, context: PathContext): ScriptPaths => {
  const { taprootInternalKey: internal, taprootKeySignature, taprootMerkleRoot: root } = context.data
  const purpose = { leafHash: undefined, taproot: internal && { root } }
  const key = taprootKeyOf(internal ?? outputKey, taprootKeySignature !== undefined, purpose, context)
  return {
    paths: [{
      leaf: undefined,
      conditions: [{ ask: "keys", required: 1, keys: [key] }],
      witnessSize: KEY_PATH_SIZE
    }],
    isCut: false,
    witnessSize: KEY_PATH_SIZE,
    isKnown: true,
    miniscript: undefined
  }
}

/** Returns the ways to spend a taproot output: by its key, and by its known scripts. */
export const taprootPaths = (outputKey: Uint8Array, context: PathContext): ReadonlyArray<ScriptPaths> => [
  keyPath(outputKey, context),
  ...inOrder(context.data.taprootScripts).flatMap(({ controlBlocks, script, version }) =>
    version === TAPSCRIPT_VERSION ? [leafPaths(script, inOrder(controlBlocks)[0]!, context)] : []
  )
]

/** Returns the ways of one key, or of a threshold of keys, outside of miniscripts. */
export const keyPaths = (required: number, keys: ReadonlyArray<PathKey>, witnessSize: number): ScriptPaths => ({
  paths: [{ leaf: undefined, conditions: [{ ask: "keys", required, keys }], witnessSize }],
  isCut: false,
  witnessSize,
  isKnown: true,
  miniscript: undefined
})

/** Bytes of the witness of a P2WPKH output. */
export const KEY_HASH_WITNESS = 1 + ELEMENT_SIZES.wsh.signature + ELEMENT_SIZES.wsh.key

/** Returns the bytes of a script that pushes this many signatures, and the zero before those of a multisig. */
export const signaturesSize = (count: number, isMultisig: boolean): number =>
  count * ELEMENT_SIZES.wsh.signature + (isMultisig ? ZERO_SIZE : 0)
