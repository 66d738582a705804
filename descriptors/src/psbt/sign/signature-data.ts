import type { Crypto } from "@lockstep/kernel/crypto"
import type {
  KeySignature,
  LeafScript,
  LeafSignature,
  MusigPart,
  MusigParticipants,
  OriginatedKey,
  Preimages,
  PreimageKind,
  PsbtInput,
  PsbtOutput,
  Sorted,
  TaprootKey,
  TreeScript
} from "@lockstep/protocol/psbt/psbt.ts"
import { addMissing, inOrder, leafKey, shortestFirst } from "@lockstep/protocol/psbt/sort-keys.ts"
import { concatBytes } from "@lockstep/kernel/bytes"
import { TAPSCRIPT_VERSION, taprootTree } from "../../descriptor/taproot-tree.ts"
import { hexOf } from "@lockstep/protocol/hex.ts"
import { type MusigWork, musigWork } from "./musig-work.ts"

/** Data that is missing to spend an output. */
export interface Missing {
  /** Hashes of keys whose public key is not known. */
  readonly keys: Array<Uint8Array>
  /** Hashes of keys that have not signed. */
  readonly signatures: Array<Uint8Array>
  redeemScript: Uint8Array | undefined
  witnessScript: Uint8Array | undefined
}

/** Data for spending an output, while it is assembled. */
export interface SignatureData {
  isComplete: boolean
  /** True if the output is spent with a witness. */
  isWitness: boolean
  script: Uint8Array | undefined
  witness: ReadonlyArray<Uint8Array> | undefined
  redeemScript: Uint8Array | undefined
  witnessScript: Uint8Array | undefined
  /** Signatures by the hash of the key. */
  readonly signatures: Sorted<KeySignature>
  /** Keys with their origins, by their bytes. */
  readonly keys: Sorted<OriginatedKey>
  readonly preimages: Readonly<Record<PreimageKind, Preimages>>
  taprootKeySignature: Uint8Array | undefined
  readonly taprootScriptSignatures: Sorted<LeafSignature>
  readonly taprootScripts: Sorted<LeafScript>
  readonly taprootKeys: Sorted<TaprootKey>
  /** Leaves that contain such keys, found meanwhile, by hexadecimal digits. A key may be in thousands of leaves. */
  readonly taprootLeaves: Map<string, Map<string, Uint8Array>>
  taprootInternalKey: Uint8Array | undefined
  taprootMerkleRoot: Uint8Array | undefined
  /** `undefined` unless the whole tree is known. */
  taprootTree: ReadonlyArray<TreeScript> | undefined
  readonly musigParticipants: Sorted<MusigParticipants>
  readonly musigNonces: Sorted<MusigPart>
  readonly musigPartialSignatures: Sorted<MusigPart>
  readonly musigWork: MusigWork
  readonly missing: Missing
}

/** Returns data without any content. */
export const emptyData = (): SignatureData => ({
  isComplete: false,
  isWitness: false,
  script: undefined,
  witness: undefined,
  redeemScript: undefined,
  witnessScript: undefined,
  signatures: new Map(),
  keys: new Map(),
  preimages: { ripemd160: new Map(), sha256: new Map(), hash160: new Map(), hash256: new Map() },
  taprootKeySignature: undefined,
  taprootScriptSignatures: new Map(),
  taprootScripts: new Map(),
  taprootKeys: new Map(),
  taprootLeaves: new Map(),
  taprootInternalKey: undefined,
  taprootMerkleRoot: undefined,
  taprootTree: undefined,
  musigParticipants: new Map(),
  musigNonces: new Map(),
  musigPartialSignatures: new Map(),
  musigWork: musigWork(),
  missing: { keys: [], signatures: [], redeemScript: undefined, witnessScript: undefined }
})

/** Returns an input's data about its output; if the input is final, only the final script and witness. */
export const dataOfInput = (input: PsbtInput): SignatureData => {
  const data = emptyData()
  data.script = input.finalScript
  data.witness = input.finalWitness
  data.isComplete = input.finalScript !== undefined || input.finalWitness !== undefined
  if (data.isComplete) return data
  addMissing(data.signatures, input.partialSignatures)
  data.redeemScript = input.redeemScript
  data.witnessScript = input.witnessScript
  addMissing(data.keys, input.origins)
  for (const kind of ["ripemd160", "sha256", "hash160", "hash256"] as const) {
    addMissing(data.preimages[kind], input.preimages[kind])
  }
  data.taprootKeySignature = input.taprootKeySignature
  addMissing(data.taprootScriptSignatures, input.taprootScriptSignatures)
  addMissing(data.taprootScripts, input.taprootScripts)
  addMissing(data.taprootKeys, input.taprootOrigins)
  data.taprootInternalKey = input.taprootInternalKey
  data.taprootMerkleRoot = input.taprootMerkleRoot
  addMissing(data.musigParticipants, input.musigParticipants)
  addMissing(data.musigNonces, input.musigNonces)
  addMissing(data.musigPartialSignatures, input.musigPartialSignatures)
  return data
}

/** Returns taproot keys with all leaves that they are in, in order. */
const keysWithLeaves = ({ taprootKeys, taprootLeaves }: SignatureData): Sorted<TaprootKey> => {
  const all = new Map(taprootKeys)
  for (const [id, leaves] of taprootLeaves) {
    const known = taprootKeys.get(id)!
    const hashes = new Map([...known.leafHashes.map((hash) => [hexOf(hash), hash] as const), ...leaves])
    all.set(id, { ...known, leafHashes: inOrder(hashes) })
  }
  return all
}

/** Writes the data into an input: the final script and witness, or the parts of them. */
export const fillInput = (input: PsbtInput, data: SignatureData): void => {
  if (data.isComplete) {
    for (const entries of [input.partialSignatures, input.origins]) entries.clear()
    input.redeemScript = undefined
    input.witnessScript = undefined
    input.finalScript = data.script?.length === 0 ? input.finalScript : data.script ?? input.finalScript
    input.finalWitness = data.witness?.length === 0 ? input.finalWitness : data.witness ?? input.finalWitness
    return
  }
  addMissing(input.partialSignatures, data.signatures)
  input.redeemScript ??= data.redeemScript
  input.witnessScript ??= data.witnessScript
  addMissing(input.origins, data.keys)
  input.taprootKeySignature = data.taprootKeySignature ?? input.taprootKeySignature
  addMissing(input.taprootScriptSignatures, data.taprootScriptSignatures)
  input.taprootInternalKey = data.taprootInternalKey ?? input.taprootInternalKey
  input.taprootMerkleRoot = data.taprootMerkleRoot ?? input.taprootMerkleRoot
  addMissing(input.taprootScripts, data.taprootScripts)
  addMissing(input.taprootOrigins, keysWithLeaves(data))
  addMissing(input.musigParticipants, data.musigParticipants)
  addMissing(input.musigNonces, data.musigNonces)
  addMissing(input.musigPartialSignatures, data.musigPartialSignatures)
}

/** Returns an output's data about its script. */
export const dataOfOutput = (output: PsbtOutput, crypto: Crypto): SignatureData => {
  const data = emptyData()
  data.redeemScript = output.redeemScript
  data.witnessScript = output.witnessScript
  addMissing(data.keys, output.origins)
  addMissing(data.taprootKeys, output.taprootOrigins)
  addMissing(data.musigParticipants, output.musigParticipants)
  const { taprootInternalKey: internalKey, taprootTree: tree } = output
  if (internalKey === undefined || tree.length === 0) return data
  data.taprootInternalKey = internalKey
  data.taprootTree = tree
  const { paths, root } = taprootTree(tree, crypto)
  data.taprootMerkleRoot = root
  for (const [i, { script, version }] of tree.entries()) {
    const block = concatBytes([Uint8Array.of(TAPSCRIPT_VERSION), internalKey, ...paths[i]!])
    data.taprootScripts.set(leafKey(script, version), {
      script,
      version,
      controlBlocks: new Map([[shortestFirst(block), block]])
    })
  }
  return data
}

/** Writes the data into an output. */
export const fillOutput = (output: PsbtOutput, data: SignatureData): void => {
  output.redeemScript ??= data.redeemScript
  output.witnessScript ??= data.witnessScript
  addMissing(output.origins, data.keys)
  output.taprootInternalKey = data.taprootInternalKey ?? output.taprootInternalKey
  if (data.taprootTree !== undefined && data.taprootTree.length > 0) output.taprootTree = data.taprootTree
  addMissing(output.taprootOrigins, keysWithLeaves(data))
  addMissing(output.musigParticipants, data.musigParticipants)
}

/** Keys by their hashes, with the number of keys of each form; keys are added, never changed. */
interface HashedKeys {
  readonly byHash: Map<string, Uint8Array>
  whole: number
  halves: number
}

const hashedKeys = new WeakMap<SignatureData, HashedKeys>()

/** Returns keys with origins by their hashes. Each key is hashed once, however often scripts look it up. */
const hashedKeysOf = (data: SignatureData, crypto: Crypto): ReadonlyMap<string, Uint8Array> => {
  const made = hashedKeys.get(data) ?? { byHash: new Map<string, Uint8Array>(), whole: 0, halves: 0 }
  const { byHash, halves, whole } = made
  if (data.keys.size > whole) {
    for (const { key } of [...data.keys.values()].slice(whole)) byHash.set(hexOf(crypto.hash160(key)), key)
    made.whole = data.keys.size
  }
  if (data.taprootKeys.size > halves) {
    for (const { key } of [...data.taprootKeys.values()].slice(halves)) {
      byHash.set(hexOf(crypto.hash160(key)), Uint8Array.of(2, ...key))
    }
    made.halves = data.taprootKeys.size
  }
  hashedKeys.set(data, made)
  return byHash
}

/** Returns the known key with this hash. */
export const knownKey = (data: SignatureData, hash: Uint8Array, crypto: Crypto): Uint8Array | undefined => {
  const place = hexOf(hash)
  return data.signatures.get(place)?.key ?? hashedKeysOf(data, crypto).get(place)
}
