import { addMissing, inOrder } from "@lockstep/protocol/psbt/sort-keys.ts"
import { hexOf } from "@lockstep/protocol/hex.ts"
import type { SecretKey } from "../../descriptor/key-text.ts"
import { decodeMiniscript } from "../../descriptor/miniscript/decode-miniscript.ts"
import { leafHash, TAPSCRIPT_VERSION } from "../../descriptor/taproot-tree.ts"
import { satisfyMiniscript } from "./satisfy-miniscript.ts"
import { keyWithHash, noteTaprootKey, type Signing } from "./sign-key.ts"
import { preimageOf } from "./sign-miniscript.ts"
import { signMusig } from "./sign-musig.ts"
import { ofHalf } from "./signing-provider.ts"

const signLeaf = (x: Uint8Array, leaf: Uint8Array, signing: Signing): Uint8Array | undefined => {
  const { creator, crypto, data, provider } = signing
  noteTaprootKey(x, leaf, signing)
  const place = `${hexOf(x)}${hexOf(leaf)}`
  const known = data.taprootScriptSignatures.get(place)
  if (known !== undefined) return known.signature
  const signature = creator.leaf(ofHalf(provider.secrets, x, crypto), leaf) ??
    signMusig(x, { leafHash: leaf, taproot: undefined }, signing)
  if (signature !== undefined) data.taprootScriptSignatures.set(place, { key: x, leafHash: leaf, signature })
  return signature
}

const leafElements = (script: Uint8Array, version: number, signing: Signing): ReadonlyArray<Uint8Array> | undefined => {
  if (version !== TAPSCRIPT_VERSION) return undefined
  const leaf = leafHash(script, version, signing.crypto)
  const keys: Array<Uint8Array> = []
  const root = decodeMiniscript(script, "tr", {
    ofBytes: (key) => key.length === 32 ? keys.push(key) - 1 : undefined,
    ofHash: (hash) => {
      const key = keyWithHash(hash, signing)
      return key && keys.push(key.subarray(1, 33)) - 1
    }
  })
  return root && satisfyMiniscript(root, {
    sign: (key) => signLeaf(keys[key]!, leaf, signing),
    keyBytes: (key) => keys[key]!,
    preimage: preimageOf(signing),
    takesLockTime: signing.creator.takesLockTime,
    takesSequence: signing.creator.takesSequence
  })
}

const sizeOf = (elements: ReadonlyArray<Uint8Array>): number =>
  elements.reduce((sum, { length }) => sum + length + (length < 253 ? 1 : 3), 0)

/** Returns the smallest witness of a leaf. */
const scriptPath = (signing: Signing): ReadonlyArray<Uint8Array> | undefined => {
  let best: ReadonlyArray<Uint8Array> | undefined
  for (const { controlBlocks, script, version } of inOrder(signing.data.taprootScripts)) {
    const elements = leafElements(script, version, signing)
    if (elements === undefined) continue
    const whole = [...elements, script, inOrder(controlBlocks)[0]!]
    if (best === undefined || sizeOf(whole) < sizeOf(best)) best = whole
  }
  return best
}

/** Copies the provider's data about an output. */
const noteSpending = (outputKey: Uint8Array, { data, provider }: Signing): void => {
  const spending = provider.taproot.get(hexOf(outputKey))
  if (spending === undefined) return
  data.taprootInternalKey ??= spending.internalKey
  data.taprootMerkleRoot ??= spending.merkleRoot
  data.taprootTree = spending.tree
  for (const [place, leaf] of spending.scripts) {
    const known = data.taprootScripts.get(place)
    const controlBlocks = new Map([...(known?.controlBlocks ?? []), ...leaf.controlBlocks])
    data.taprootScripts.set(place, { ...leaf, controlBlocks })
  }
}

/** Returns the private key for a key of the key path, and records that key. */
const pathSecret = (x: Uint8Array | undefined, signing: Signing): SecretKey | undefined => {
  if (x === undefined) return undefined
  if (!signing.data.taprootKeys.has(hexOf(x))) noteTaprootKey(x, undefined, signing)
  return ofHalf(signing.provider.secrets, x, signing.crypto)
}

/** Returns the witness of a taproot output: by its key if that has signed, else by the smallest of its scripts. */
export const tapscriptWitness = (
  outputKey: Uint8Array,
  signing: Signing
): ReadonlyArray<Uint8Array> | undefined => {
  const { creator, data, provider } = signing
  noteSpending(outputKey, signing)
  addMissing(data.musigParticipants, provider.musigParticipants)
  const { taprootInternalKey: internalKey } = data
  const internal = pathSecret(internalKey, signing)
  const output = pathSecret(outputKey, signing)
  const taproot = { root: data.taprootMerkleRoot }
  data.taprootKeySignature ??= creator.keyPath(internal, taproot) ??
    (internalKey && signMusig(internalKey, { leafHash: undefined, taproot }, signing)) ??
    creator.keyPath(output, undefined) ??
    signMusig(outputKey, { leafHash: undefined, taproot: undefined }, signing)
  return data.taprootKeySignature === undefined ? scriptPath(signing) : [data.taprootKeySignature]
}
