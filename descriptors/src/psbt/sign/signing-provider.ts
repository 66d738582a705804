import { concatBytes } from "@lockstep/kernel/bytes"
import type { Crypto } from "@lockstep/kernel/crypto"
import type { KeyOrigin, LeafScript, MusigParticipants, Sorted, TreeScript } from "@lockstep/protocol/psbt/psbt.ts"
import { leafKey, shortestFirst } from "@lockstep/protocol/psbt/sort-keys.ts"
import type { DescribedScript } from "../../descriptor/descriptor.ts"
import { HARDENED } from "../../descriptor/key-path.ts"
import type { SecretKey } from "../../descriptor/key-text.ts"
import { taprootTweak } from "../../descriptor/scripts.ts"
import { TAPSCRIPT_VERSION, taprootTree } from "../../descriptor/taproot-tree.ts"
import { hexOf } from "@lockstep/protocol/hex.ts"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { sortedParticipants } from "../../descriptor/aggregate-key.ts"
import type { DerivedKey } from "../../descriptor/descriptor-key.ts"
import type { MusigNonces } from "../../signing/musig.ts"

/** Internal key and tree of a taproot output. */
export interface TaprootSpending {
  /** 32 bytes. */
  readonly internalKey: Uint8Array
  readonly merkleRoot: Uint8Array | undefined
  readonly scripts: Sorted<LeafScript>
  readonly tree: ReadonlyArray<TreeScript>
}

/**
 * Scripts and keys of descriptors. Unless stated otherwise, they are indexed by the digits of a hash (RIPEMD-160 of
 * SHA-256).
 */
export interface SigningProvider {
  readonly scripts: Map<string, Uint8Array>
  /** Keys that scripts may contain as hashes. */
  readonly hashed: Map<string, Uint8Array>
  /** Origins of public keys. */
  readonly origins: Map<string, KeyOrigin>
  /** Private keys by the hash of the public key. */
  readonly secrets: Map<string, SecretKey>
  /** Taproot outputs by their key. */
  readonly taproot: Map<string, TaprootSpending>
  /** Participants of aggregate keys, by the bytes of the key. */
  readonly musigParticipants: Sorted<MusigParticipants>
  /** Store of secret MuSig2 nonces between the rounds; `undefined` if MuSig2 is not used. */
  readonly nonces: MusigNonces | undefined
}

/** Returns a provider without data. */
export const emptyProvider = (nonces?: MusigNonces): SigningProvider => ({
  scripts: new Map(),
  hashed: new Map(),
  origins: new Map(),
  secrets: new Map(),
  taproot: new Map(),
  musigParticipants: new Map(),
  nonces
})

/** Returns the data of the public key with this x; the one with an even y has priority. */
export const ofHalf = <A>(known: ReadonlyMap<string, A>, x: Uint8Array, crypto: Crypto): A | undefined => {
  for (const prefix of [2, 3]) {
    const found = known.get(hexOf(crypto.hash160(Uint8Array.of(prefix, ...x))))
    if (found !== undefined) return found
  }
  return undefined
}

/** Data of descriptors that is to be ignored. */
export interface Hidden {
  readonly secrets: boolean
  readonly origins: boolean
}

const originOf = (text: string): KeyOrigin => {
  const [fingerprint = "", ...steps] = text.slice(1, -1).split("/")
  const path = steps.map((step) => {
    const isHardened = step.endsWith("h") || step.endsWith("'")
    return isHardened ? Number(step.slice(0, -1)) + HARDENED : Number(step)
  })
  return { fingerprint: new Uint8Array(Buffer.from(fingerprint, "hex")), path }
}

const secretOf = (secret: Uint8Array, key: Uint8Array): SecretKey => ({
  secret,
  compressed: key.length === 33,
  publicKey: key
})

/** Returns the parity of the output key's y, which control blocks contain. */
const parityOf = (internalKey: Uint8Array, leaves: Parameters<typeof taprootTweak>[1], crypto: Crypto): number => {
  const tweak = secp256k1.Point.Fn.fromBytes(taprootTweak(internalKey, leaves, crypto))
  const point = secp256k1.Point.fromBytes(Uint8Array.of(2, ...internalKey))
  return point.add(secp256k1.Point.BASE.multiply(tweak)).toBytes(true)[0]! & 1
}

const spendingOf = ({ internalKey: full, leaves }: NonNullable<DescribedScript["taproot"]>, crypto: Crypto) => {
  const internalKey = full.subarray(1)
  const scripts: Sorted<LeafScript> = new Map()
  if (leaves.length === 0) return { internalKey, merkleRoot: undefined, scripts, tree: [] }
  const { paths, root } = taprootTree(leaves, crypto)
  const first = TAPSCRIPT_VERSION | parityOf(internalKey, leaves, crypto)
  for (const [i, { script }] of leaves.entries()) {
    const place = leafKey(script, TAPSCRIPT_VERSION)
    const leaf = scripts.get(place) ??
      { script, version: TAPSCRIPT_VERSION, controlBlocks: new Map<string, Uint8Array>() }
    const block = concatBytes([Uint8Array.of(first), internalKey, ...paths[i]!])
    leaf.controlBlocks.set(shortestFirst(block), block)
    scripts.set(place, leaf)
  }
  // Bitcoin Core writes a tree from its last leaf to its first, which gives the same tree.
  const tree = leaves.map(({ depth, script }) => ({ depth, script, version: TAPSCRIPT_VERSION })).reverse()
  return { internalKey, merkleRoot: root, scripts, tree }
}

/** Adds a private key, unless its public key already has one. */
export const addSecret = (provider: SigningProvider, key: Uint8Array, secret: Uint8Array, crypto: Crypto): void => {
  const id = hexOf(crypto.hash160(key))
  if (!provider.secrets.has(id)) provider.secrets.set(id, secretOf(secret, key))
}

const addMusig = (
  { musigParticipants }: SigningProvider,
  { aggregate, participants }: NonNullable<DerivedKey["musig"]>
): void => {
  const keys = sortedParticipants(participants.map(({ bytes }) => bytes))
  musigParticipants.set(hexOf(aggregate), { aggregate, participants: keys })
}

/** Adds the data of one script of a descriptor. The first origin of a key is kept. */
export const addDescribed = (
  provider: SigningProvider,
  { hashed, inner, keys, script, taproot }: DescribedScript,
  hidden: Hidden,
  crypto: Crypto
): void => {
  for (const each of inner) provider.scripts.set(hexOf(crypto.hash160(each)), each)
  for (const { hash, key } of hashed) provider.hashed.set(hexOf(hash), key)
  for (const { musig } of keys) if (musig !== undefined) addMusig(provider, musig)
  for (const { bytes, origin, secret } of [...keys, ...keys.flatMap(({ musig }) => musig?.participants ?? [])]) {
    const id = hexOf(crypto.hash160(bytes))
    if (!hidden.origins && !provider.origins.has(id)) provider.origins.set(id, originOf(origin))
    if (!hidden.secrets && secret !== undefined) addSecret(provider, bytes, secret, crypto)
  }
  if (taproot !== undefined) provider.taproot.set(hexOf(script.subarray(2)), spendingOf(taproot, crypto))
}
