import { concatBytes } from "@lockstep/kernel/bytes"
import type { Crypto } from "@lockstep/kernel/crypto"
import type { KeyOrigin, LeafScript, Sorted, TreeScript } from "@lockstep/protocol/psbt/psbt.ts"
import { leafKey, shortestFirst } from "@lockstep/protocol/psbt/sort-keys.ts"
import type { DescribedScript } from "../../descriptor/descriptor.ts"
import { HARDENED } from "../../descriptor/key-path.ts"
import type { SecretKey } from "../../descriptor/key-text.ts"
import { taprootTweak } from "../../descriptor/scripts.ts"
import { TAPSCRIPT_VERSION, taprootTree } from "../../descriptor/taproot-tree.ts"
import { hexOf } from "@lockstep/protocol/hex.ts"
import { secp256k1 } from "@noble/curves/secp256k1.js"

/** A key that descriptors have. */
export interface ProvidedKey {
  readonly key: Uint8Array
  readonly origin: KeyOrigin | undefined
  readonly secret: SecretKey | undefined
}

/** What is behind the key of a taproot output. */
export interface TaprootSpending {
  /** 32 bytes. */
  readonly internalKey: Uint8Array
  readonly merkleRoot: Uint8Array | undefined
  readonly scripts: Sorted<LeafScript>
  readonly tree: ReadonlyArray<TreeScript>
}

/** Scripts and keys that descriptors have, by their digits. */
export interface SigningProvider {
  /** By the hash (RIPEMD-160 of SHA-256). */
  readonly scripts: Map<string, Uint8Array>
  /** By the hash of the key. */
  readonly keys: Map<string, ProvidedKey>
  /** By the hash of the x-only key. */
  readonly keysOfHalf: Map<string, ProvidedKey>
  /** By the x-only key. */
  readonly keysByHalf: Map<string, ProvidedKey>
  /** By the key of the output. */
  readonly taproot: Map<string, TaprootSpending>
}

/** One that knows nothing. */
export const emptyProvider = (): SigningProvider => ({
  scripts: new Map(),
  keys: new Map(),
  keysOfHalf: new Map(),
  keysByHalf: new Map(),
  taproot: new Map()
})

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
  const tree = leaves.map(({ depth, script }) => ({ depth, script, version: TAPSCRIPT_VERSION }))
  return { internalKey, merkleRoot: root, scripts, tree }
}

/** Adds what one script of a descriptor has. */
export const addDescribed = (
  provider: SigningProvider,
  { inner, keys, script, taproot }: DescribedScript,
  hidden: Hidden,
  crypto: Crypto
): void => {
  for (const each of inner) provider.scripts.set(hexOf(crypto.hash160(each)), each)
  for (const { bytes, origin, secret } of keys) {
    const provided: ProvidedKey = {
      key: bytes,
      origin: hidden.origins ? undefined : originOf(origin),
      secret: hidden.secrets || secret === undefined ? undefined : secretOf(secret, bytes)
    }
    const half = bytes.subarray(1, 33)
    const id = hexOf(crypto.hash160(bytes))
    // A key that is given twice keeps its private key.
    if (provider.keys.get(id)?.secret !== undefined && provided.secret === undefined) continue
    provider.keys.set(id, provided)
    provider.keysOfHalf.set(hexOf(crypto.hash160(half)), provided)
    provider.keysByHalf.set(hexOf(half), provided)
  }
  if (taproot !== undefined) provider.taproot.set(hexOf(script.subarray(2)), spendingOf(taproot, crypto))
}
