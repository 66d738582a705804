import { bytesEqual, concatBytes } from "@lockstep/kernel/bytes"
import { type Crypto, taggedHash } from "@lockstep/kernel/crypto"
import { hexOf } from "@lockstep/protocol/hex.ts"
import type { MusigParticipants } from "@lockstep/protocol/psbt/psbt.ts"
import { derivationTweaks, type MusigKey, musigKeyBytes, type MusigTweak } from "../../descriptor/aggregate-key.ts"
import type { SignatureData } from "./signature-data.ts"

/** What a key signs for: a leaf, or the output's key; `taproot`: the tree, where the key is the internal one. */
export interface MusigPurpose {
  readonly leafHash: Uint8Array | undefined
  readonly taproot: { readonly root: Uint8Array | undefined } | undefined
}

/** A key that participants sign with together, and all that its parts are found by. */
export interface JointKey {
  readonly participants: ReadonlyArray<Uint8Array>
  readonly key: MusigKey
  /** As it stands in the script or the output (BIP373), 33 bytes. */
  readonly bytes: Uint8Array
  readonly leafHash: Uint8Array | undefined
}

/** What is known of an input or an output, where keys are looked for. */
interface Known {
  readonly data: SignatureData
  readonly crypto: Crypto
}

/** Keys of participants that were computed, by their tweaks: a tree may have the same key in each of its leaves. */
const computed = new WeakMap<MusigParticipants, Map<string, Uint8Array | undefined>>()

const keyBytesOf = (given: MusigParticipants, tweaks: ReadonlyArray<MusigTweak>): Uint8Array | undefined => {
  const keys = computed.get(given) ?? new Map<string, Uint8Array | undefined>()
  computed.set(given, keys)
  const by = tweaks.map(({ isXOnly, tweak }) => `${hexOf(tweak)}${isXOnly ? "x" : ""}`).join()
  if (!keys.has(by)) keys.set(by, musigKeyBytes({ participants: given.participants, tweaks }))
  return keys.get(by)
}

const FINGERPRINT_SIZE = 4

/** How a key of a script is derived from an aggregate key (BIP328); none: it is not, as far as is known. */
const derivationOf = (
  x: Uint8Array,
  aggregate: Uint8Array,
  { crypto, data }: Known
): ReadonlyArray<MusigTweak> | undefined => {
  if (bytesEqual(aggregate.subarray(1), x)) return []
  const origin = data.taprootKeys.get(hexOf(x))?.origin
  if (origin === undefined || origin.path.length === 0) return undefined
  const fingerprint = crypto.hash160(aggregate).subarray(0, FINGERPRINT_SIZE)
  return bytesEqual(fingerprint, origin.fingerprint) ? derivationTweaks(aggregate, origin.path) : undefined
}

const taprootTweakOf = (x: Uint8Array, { taproot }: MusigPurpose, crypto: Crypto): ReadonlyArray<MusigTweak> => {
  if (taproot === undefined) return []
  const { root } = taproot
  return [{ tweak: taggedHash(crypto, "TapTweak", root === undefined ? x : concatBytes([x, root])), isXOnly: true }]
}

/** The joint key behind a key of a script; none: these participants do not sign for it. */
export const jointKeyOf = (
  x: Uint8Array,
  given: MusigParticipants,
  purpose: MusigPurpose,
  known: Known
): JointKey | undefined => {
  const { aggregate, participants } = given
  const derivation = derivationOf(x, aggregate, known)
  if (derivation === undefined || participants.length === 0) return undefined
  const plain = keyBytesOf(given, [])
  const derived = keyBytesOf(given, derivation)
  // What a partially signed transaction says of its keys is not proved.
  if (plain === undefined || derived === undefined) return undefined
  if (!bytesEqual(plain, aggregate) || !bytesEqual(derived.subarray(1), x)) return undefined
  const key = { participants, tweaks: [...derivation, ...taprootTweakOf(x, purpose, known.crypto)] }
  const bytes = keyBytesOf(given, key.tweaks)
  return bytes && { participants, key, bytes, leafHash: purpose.leafHash }
}
