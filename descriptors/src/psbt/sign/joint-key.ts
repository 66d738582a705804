import { bytesEqual, concatBytes } from "@lockstep/kernel/bytes"
import { type Crypto, taggedHash } from "@lockstep/kernel/crypto"
import { hexOf } from "@lockstep/protocol/hex.ts"
import type { MusigParticipants } from "@lockstep/protocol/psbt/psbt.ts"
import {
  derivationTweaks,
  type MusigKey,
  musigKeyBytes,
  type MusigTweak,
  tweakedKey
} from "../../descriptor/aggregate-key.ts"
import { MOST_PARTICIPANTS } from "./musig-work.ts"
import type { SignatureData } from "./signature-data.ts"

/**
 * Purpose of a key's signature: a leaf, or the output's key. `taproot` has the root of the tree if the key is the
 * internal one.
 */
export interface MusigPurpose {
  readonly leafHash: Uint8Array | undefined
  readonly taproot: { readonly root: Uint8Array | undefined } | undefined
}

/** A key of several participants, and the values by which its parts are found. */
export interface JointKey {
  readonly participants: ReadonlyArray<Uint8Array>
  readonly key: MusigKey
  /** The key in the script or the output (BIP373), 33 bytes. */
  readonly bytes: Uint8Array
  readonly leafHash: Uint8Array | undefined
}

/** Known data of an input or an output in which keys are looked up. */
interface Known {
  readonly data: SignatureData
  readonly crypto: Crypto
}

/** Cache of aggregate keys: each leaf of a tree may have the same participants. */
const computed = new WeakMap<MusigParticipants, { readonly key: Uint8Array | undefined }>()

const plainKeyOf = (given: MusigParticipants, { data }: Known): Uint8Array | undefined => {
  const known = computed.get(given)
  if (known !== undefined) return known.key
  if (!data.musigWork.spend(given.participants.length)) return undefined
  const key = musigKeyBytes({ participants: given.participants, tweaks: [] })
  computed.set(given, { key })
  return key
}

const FINGERPRINT_SIZE = 4

/**
 * Returns the derivation of a script's key from an aggregate key (BIP328), or `undefined` if it is not known to be
 * derived from it.
 */
const derivationOf = (
  x: Uint8Array,
  aggregate: Uint8Array,
  { crypto, data }: Known
): ReadonlyArray<MusigTweak> | undefined => {
  if (bytesEqual(aggregate.subarray(1), x)) return []
  const origin = data.taprootKeys.get(hexOf(x))?.origin
  if (origin === undefined || origin.path.length === 0) return undefined
  const fingerprint = crypto.hash160(aggregate).subarray(0, FINGERPRINT_SIZE)
  if (!bytesEqual(fingerprint, origin.fingerprint) || !data.musigWork.spend(origin.path.length)) return undefined
  return derivationTweaks(aggregate, origin.path)
}

const taprootTweakOf = (x: Uint8Array, { taproot }: MusigPurpose, crypto: Crypto): ReadonlyArray<MusigTweak> => {
  if (taproot === undefined) return []
  const { root } = taproot
  return [{ tweak: taggedHash(crypto, "TapTweak", root === undefined ? x : concatBytes([x, root])), isXOnly: true }]
}

/** Returns the joint key that a script's key belongs to, or `undefined` if these participants do not sign for it. */
export const jointKeyOf = (
  x: Uint8Array,
  given: MusigParticipants,
  purpose: MusigPurpose,
  known: Known
): JointKey | undefined => {
  const { aggregate, participants } = given
  if (participants.length === 0 || participants.length > MOST_PARTICIPANTS) return undefined
  const derivation = derivationOf(x, aggregate, known)
  if (derivation === undefined) return undefined
  const derived = tweakedKey(aggregate, derivation)
  if (derived === undefined || !bytesEqual(derived.subarray(1), x)) return undefined
  // A partially signed transaction does not prove its claims about keys.
  const plain = plainKeyOf(given, known)
  if (plain === undefined || !bytesEqual(plain, aggregate)) return undefined
  const taproot = taprootTweakOf(x, purpose, known.crypto)
  const bytes = tweakedKey(derived, taproot)
  const key = { participants, tweaks: [...derivation, ...taproot] }
  return bytes && { participants, key, bytes, leafHash: purpose.leafHash }
}
