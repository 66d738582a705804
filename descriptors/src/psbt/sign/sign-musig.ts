import { bytesEqual, concatBytes } from "@lockstep/kernel/bytes"
import { type Crypto, taggedHash } from "@lockstep/kernel/crypto"
import { hexOf } from "@lockstep/protocol/hex.ts"
import type { MusigPart, MusigParticipants, Sorted } from "@lockstep/protocol/psbt/psbt.ts"
import { inOrder, musigKey } from "@lockstep/protocol/psbt/sort-keys.ts"
import { derivationTweaks, type MusigKey, musigKeyBytes, type MusigTweak } from "../../descriptor/aggregate-key.ts"
import { type MusigMessage, musigNonce, musigPartialSignature, musigSignature, nonceUse } from "../../signing/musig.ts"
import { noteOrigin, type Signing } from "./sign-key.ts"

/** What a key signs for: a leaf, or the output's key; `taproot`: the tree, where the key is the internal one. */
export interface MusigPurpose {
  readonly leafHash: Uint8Array | undefined
  readonly taproot: { readonly root: Uint8Array | undefined } | undefined
}

/** A key that participants sign with together, and all that its parts are found by. */
interface Joint {
  readonly participants: ReadonlyArray<Uint8Array>
  readonly key: MusigKey
  /** As it stands in the script or the output (BIP373), 33 bytes. */
  readonly bytes: Uint8Array
  readonly leafHash: Uint8Array | undefined
  readonly digest: Uint8Array
}

const FINGERPRINT_SIZE = 4

/** How a key of a script is derived from an aggregate key (BIP328); none: it is not, as far as is known. */
const derivationOf = (
  x: Uint8Array,
  aggregate: Uint8Array,
  { crypto, data }: Signing
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
const jointOf = (
  x: Uint8Array,
  { aggregate, participants }: MusigParticipants,
  purpose: MusigPurpose,
  signing: Signing
): Joint | undefined => {
  const derivation = derivationOf(x, aggregate, signing)
  if (derivation === undefined || participants.length === 0) return undefined
  const plain = musigKeyBytes({ participants, tweaks: [] })
  const derived = musigKeyBytes({ participants, tweaks: derivation })
  // What a partially signed transaction says of its keys is not proved.
  if (plain === undefined || derived === undefined) return undefined
  if (!bytesEqual(plain, aggregate) || !bytesEqual(derived.subarray(1), x)) return undefined
  const key = { participants, tweaks: [...derivation, ...taprootTweakOf(x, purpose, signing.crypto)] }
  const bytes = musigKeyBytes(key)
  const digest = signing.creator.musigDigest(purpose.leafHash)
  return bytes && digest && { participants, key, bytes, leafHash: purpose.leafHash, digest }
}

/** The part of each participant, in their order; none: one is missing, or there are others. */
const allParts = (parts: Sorted<MusigPart>, { bytes, leafHash, participants }: Joint) => {
  const prefix = musigKey(bytes, leafHash, new Uint8Array(0))
  const count = [...parts.keys()].filter((place) => place.startsWith(prefix)).length
  if (count !== participants.length) return undefined
  const found = participants.flatMap((each) => parts.get(musigKey(bytes, leafHash, each))?.value ?? [])
  return found.length === count ? found : undefined
}

const addPart = (parts: Sorted<MusigPart>, participant: Uint8Array, value: Uint8Array, joint: Joint): void => {
  const { bytes: aggregate, leafHash } = joint
  parts.set(musigKey(aggregate, leafHash, participant), { aggregate, participant, leafHash, value })
}

const secretOf = (participant: Uint8Array, { crypto, provider }: Signing): Uint8Array | undefined =>
  provider.secrets.get(hexOf(crypto.hash160(participant)))?.secret

/** Signs for the participants whose keys and secret nonces are here. */
const addPartialSignatures = (joint: Joint, message: MusigMessage, signing: Signing): void => {
  const { data, provider: { nonces } } = signing
  const { bytes, digest, leafHash, participants } = joint
  for (const [i, participant] of participants.entries()) {
    const secret = secretOf(participant, signing)
    const isThere = data.musigPartialSignatures.has(musigKey(bytes, leafHash, participant))
    if (secret === undefined || isThere || nonces === undefined) continue
    const use = nonceUse(bytes, participant, digest, message.nonces[i]!)
    const signature = musigPartialSignature(message, secret, () => nonces.take(use))
    if (signature !== undefined) addPart(data.musigPartialSignatures, participant, signature, joint)
  }
}

/** Adds nonces for the participants whose keys are here and that have none. */
const addNonces = (joint: Joint, signing: Signing): void => {
  const { data, provider: { nonces } } = signing
  const { bytes, digest, key, leafHash, participants } = joint
  if (nonces === undefined) return
  for (const participant of participants) {
    const secret = secretOf(participant, signing)
    if (secret === undefined || data.musigNonces.has(musigKey(bytes, leafHash, participant))) continue
    const nonce = musigNonce(participant, secret, key, digest)
    if (nonce === undefined) continue
    nonces.keep(nonceUse(bytes, participant, digest, nonce.public), nonce.secret)
    addPart(data.musigNonces, participant, nonce.public, joint)
  }
}

/** Whether somebody has signed already: then no nonce is added, which would make that signature worthless. */
const hasPartialSignature = ({ data }: Signing, { bytes, leafHash }: Joint): boolean => {
  const prefix = musigKey(bytes, leafHash, new Uint8Array(0))
  return [...data.musigPartialSignatures.keys()].some((place) => place.startsWith(prefix))
}

/** One round of a joint key: the signature where all have signed, else what the keys here can add. */
const advance = (joint: Joint, signing: Signing): Uint8Array | undefined => {
  const nonces = allParts(signing.data.musigNonces, joint)
  if (nonces !== undefined) {
    const message = { key: joint.key, nonces, digest: joint.digest }
    const partial = allParts(signing.data.musigPartialSignatures, joint)
    const signature = partial && musigSignature(message, partial)
    if (signature !== undefined) return signing.creator.withHashType(signature)
    addPartialSignatures(joint, message, signing)
  }
  if (!hasPartialSignature(signing, joint)) addNonces(joint, signing)
  return undefined
}

/** Takes note of where participants come from, and of the leaf they sign for. */
const noteParticipants = (
  { participants }: MusigParticipants,
  leaf: Uint8Array | undefined,
  signing: Signing
): void => {
  const { crypto, provider } = signing
  for (const participant of participants) {
    const origin = provider.origins.get(hexOf(crypto.hash160(participant)))
    if (origin !== undefined) noteOrigin(participant.subarray(1), leaf, origin, signing)
  }
}

/**
 * What several sign together with MuSig2 (BIP327, BIP373), if the key `x` is theirs: the signature where all have given
 * what it takes, else a round further. As in Bitcoin Core, nonces, partial signatures and the signature are made by a
 * call each.
 */
export const signMusig = (x: Uint8Array, purpose: MusigPurpose, signing: Signing): Uint8Array | undefined => {
  let signature: Uint8Array | undefined
  for (const each of inOrder(signing.data.musigParticipants)) {
    noteParticipants(each, purpose.leafHash, signing)
    const joint = jointOf(x, each, purpose, signing)
    signature = (joint && advance(joint, signing)) ?? signature
  }
  return signature
}
