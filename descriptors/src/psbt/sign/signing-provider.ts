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

/** What is behind the key of a taproot output. */
export interface TaprootSpending {
  /** 32 bytes. */
  readonly internalKey: Uint8Array
  readonly merkleRoot: Uint8Array | undefined
  readonly scripts: Sorted<LeafScript>
  readonly tree: ReadonlyArray<TreeScript>
}

/** Scripts and keys that descriptors have, by the digits of a hash (RIPEMD-160 of SHA-256) where nothing else is said. */
export interface SigningProvider {
  readonly scripts: Map<string, Uint8Array>
  /** Keys that scripts may hold as hashes. */
  readonly hashed: Map<string, Uint8Array>
  /** Where public keys come from. */
  readonly origins: Map<string, KeyOrigin>
  /** Private keys by the hash of the public key. */
  readonly secrets: Map<string, SecretKey>
  /** By the key of the output. */
  readonly taproot: Map<string, TaprootSpending>
  /** What aggregate keys are made of, by their bytes. */
  readonly musigParticipants: Sorted<MusigParticipants>
  /** Where secret nonces of MuSig2 are between its rounds; none: there is no signing by it. */
  readonly nonces: MusigNonces | undefined
}

/** One that knows nothing. */
export const emptyProvider = (nonces?: MusigNonces): SigningProvider => ({
  scripts: new Map(),
  hashed: new Map(),
  origins: new Map(),
  secrets: new Map(),
  taproot: new Map(),
  musigParticipants: new Map(),
  nonces
})

/** What is known of the public key with this x, the one with an even y first. */
export const ofHalf = <A>(known: ReadonlyMap<string, A>, x: Uint8Array, crypto: Crypto): A | undefined => {
  for (const prefix of [2, 3]) {
    const found = known.get(hexOf(crypto.hash160(Uint8Array.of(prefix, ...x))))
    if (found !== undefined) return found
  }
  return undefined
}

/** What is not to be taken from descriptors. */
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

/** Whether the output's key has an odd y, which control blocks say. */
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
  // Bitcoin Core writes a tree from its last leaf to its first, which is the same tree.
  const tree = leaves.map(({ depth, script }) => ({ depth, script, version: TAPSCRIPT_VERSION })).reverse()
  return { internalKey, merkleRoot: root, scripts, tree }
}

/** Adds a private key, unless its public key has one. */
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

/** Adds what one script of a descriptor has. Of two origins of a key the first stays. */
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
