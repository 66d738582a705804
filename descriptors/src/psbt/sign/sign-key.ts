import type { Crypto } from "@lockstep/kernel/crypto"
import { hexOf } from "@lockstep/protocol/hex.ts"
import type { KeyOrigin } from "@lockstep/protocol/psbt/psbt.ts"
import { knownKey, type SignatureData } from "./signature-data.ts"
import type { SignatureCreator } from "./signature-creator.ts"
import { ofHalf, type SigningProvider } from "./signing-provider.ts"

/** Context of signing one input. */
export interface Signing {
  readonly provider: SigningProvider
  readonly creator: SignatureCreator
  readonly data: SignatureData
  readonly crypto: Crypto
}

/** Returns the signature of a key, known or made. Records the key if it has an origin. */
export const signWith = (
  key: Uint8Array,
  script: Uint8Array,
  isWitness: boolean,
  { creator, crypto, data, provider }: Signing
): Uint8Array | undefined => {
  const hash = crypto.hash160(key)
  const id = hexOf(hash)
  const known = data.signatures.get(id)
  if (known !== undefined) return known.signature
  const origin = provider.origins.get(id)
  if (origin !== undefined && !data.keys.has(hexOf(key))) data.keys.set(hexOf(key), { key, origin })
  const signature = creator.ecdsa(provider.secrets.get(id), script, isWitness)
  if (signature === undefined) data.missing.signatures.push(hash)
  else data.signatures.set(id, { key, signature })
  return signature
}

/** Returns the public key with this hash. Records the hash as missing if it is unknown. */
export const keyWithHash = (hash: Uint8Array, { crypto, data, provider }: Signing): Uint8Array | undefined => {
  const key = knownKey(data, hash, crypto) ?? provider.hashed.get(hexOf(hash))
  if (key === undefined) data.missing.keys.push(hash)
  return key
}

/** Records the origin of a taproot key, and a leaf that it is in. */
export const noteTaprootKey = (x: Uint8Array, leaf: Uint8Array | undefined, signing: Signing): void => {
  const origin = ofHalf(signing.provider.origins, x, signing.crypto)
  if (origin !== undefined) noteOrigin(x, leaf, origin, signing)
}

/** Records a taproot key whose origin is given. */
export const noteOrigin = (
  x: Uint8Array,
  leaf: Uint8Array | undefined,
  origin: KeyOrigin,
  { data }: Signing
): void => {
  const id = hexOf(x)
  if (!data.taprootKeys.has(id)) data.taprootKeys.set(id, { key: x, origin, leafHashes: [] })
  if (leaf === undefined) return
  const leaves = data.taprootLeaves.get(id)
  if (leaves === undefined) data.taprootLeaves.set(id, new Map([[hexOf(leaf), leaf]]))
  else leaves.set(hexOf(leaf), leaf)
}
