import type { PreimageKind } from "@lockstep/protocol/psbt/psbt.ts"
import { inOrder } from "@lockstep/protocol/psbt/sort-keys.ts"
import { decodeMiniscript } from "../../descriptor/miniscript/decode-miniscript.ts"
import { leafHash, TAPSCRIPT_VERSION } from "../../descriptor/taproot-tree.ts"
import type { SecretKey } from "../../descriptor/key-text.ts"
import { hexOf } from "@lockstep/protocol/hex.ts"
import { keyWithHash, type Signing, signWith } from "./sign-key.ts"
import { type MiniscriptSatisfier, satisfyMiniscript } from "./satisfy-miniscript.ts"
import { ofHalf } from "./signing-provider.ts"

const preimageOf = ({ data }: Signing): MiniscriptSatisfier["preimage"] => (kind: PreimageKind, hash: Uint8Array) =>
  data.preimages[kind].get(hexOf(hash))?.preimage

const isCompressed = (key: Uint8Array): boolean => key.length === 33 && (key[0] === 2 || key[0] === 3)

/** What satisfies the script of a P2WSH output by its miniscript; none: it has none. */
export const witnessOfMiniscript = (script: Uint8Array, signing: Signing) => {
  const keys: Array<Uint8Array> = []
  const root = decodeMiniscript(script, "wsh", {
    ofBytes: (key) => isCompressed(key) ? keys.push(key) - 1 : undefined,
    ofHash: (hash) => {
      const key = keyWithHash(hash, signing)
      return key && keys.push(key) - 1
    }
  })
  if (root === undefined) return undefined
  const elements = satisfyMiniscript(root, {
    sign: (key) => signWith(keys[key]!, script, true, signing),
    keyBytes: (key) => keys[key]!,
    preimage: preimageOf(signing),
    takesLockTime: signing.creator.takesLockTime,
    takesSequence: signing.creator.takesSequence
  })
  return { elements: elements ?? [], isWhole: elements !== undefined }
}

/** Takes note of where a key of taproot comes from, and of a leaf it is in. */
const noteKey = (x: Uint8Array, leaf: Uint8Array | undefined, signing: Signing): void => {
  const origin = ofHalf(signing.provider.origins, x, signing.crypto)
  if (origin === undefined) return
  const known = signing.data.taprootKeys.get(hexOf(x))
  const hashes = new Map((known?.leafHashes ?? []).map((hash) => [hexOf(hash), hash]))
  if (leaf !== undefined) hashes.set(hexOf(leaf), leaf)
  const leafHashes = [...hashes].sort(([a], [b]) => a < b ? -1 : 1).map(([, hash]) => hash)
  signing.data.taprootKeys.set(hexOf(x), { key: x, origin: known?.origin ?? origin, leafHashes })
}

const signLeaf = (x: Uint8Array, leaf: Uint8Array, signing: Signing): Uint8Array | undefined => {
  const { creator, crypto, data, provider } = signing
  noteKey(x, leaf, signing)
  const place = `${hexOf(x)}${hexOf(leaf)}`
  const known = data.taprootScriptSignatures.get(place)
  if (known !== undefined) return known.signature
  const signature = creator.leaf(ofHalf(provider.secrets, x, crypto), leaf)
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

/** The smallest witness of a leaf. */
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

/** Takes over what the provider knows of an output. */
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

/** The private key of a key of the key path, of which note is taken. */
const pathSecret = (x: Uint8Array | undefined, signing: Signing): SecretKey | undefined => {
  if (x === undefined) return undefined
  if (!signing.data.taprootKeys.has(hexOf(x))) noteKey(x, undefined, signing)
  return ofHalf(signing.provider.secrets, x, signing.crypto)
}

/** What spends a taproot output: by its key where that has signed, else by the smallest of its scripts. */
export const tapscriptWitness = (
  outputKey: Uint8Array,
  signing: Signing
): ReadonlyArray<Uint8Array> | undefined => {
  const { creator, data } = signing
  noteSpending(outputKey, signing)
  const internal = pathSecret(data.taprootInternalKey, signing)
  const output = pathSecret(outputKey, signing)
  data.taprootKeySignature ??= creator.keyPath(internal, { root: data.taprootMerkleRoot }) ??
    creator.keyPath(output, undefined)
  return data.taprootKeySignature === undefined ? scriptPath(signing) : [data.taprootKeySignature]
}
