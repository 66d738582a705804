import { hexOf } from "@lockstep/protocol/hex.ts"
import type { MusigPart, Sorted } from "@lockstep/protocol/psbt/psbt.ts"
import { musigKey } from "@lockstep/protocol/psbt/sort-keys.ts"
import {
  type MusigMessage,
  musigNonce,
  musigPartialSignature,
  type MusigSession,
  musigSession,
  musigSignature,
  nonceUse
} from "../../signing/musig.ts"
import { type JointKey, jointKeyOf, type MusigPurpose } from "./joint-key.ts"
import { originatedOf, participantsFor } from "./known-participants.ts"
import { noteOrigin, type Signing } from "./sign-key.ts"

/** Cost of a session for each participant, in aggregated keys: its nonces are points as well. */
const KEYS_OF_SESSION = 4

/** A joint key and the digest that it signs. */
interface Joint extends JointKey {
  readonly digest: Uint8Array
}

/** Returns the part of each participant, in order, or `undefined` if one is missing or there are others. */
const allParts = (parts: Sorted<MusigPart>, { bytes, leafHash, participants }: JointKey) => {
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

/** Creates a session on first use. Yields `undefined` if it is invalid, or the remaining work is too little for it. */
const sessionOf = (message: MusigMessage, { data }: Signing): () => MusigSession | undefined => {
  let begun: { readonly session: MusigSession | undefined } | undefined
  return () => {
    if (begun === undefined) {
      const isIn = data.musigWork.spend(KEYS_OF_SESSION * message.key.participants.length)
      begun = { session: isIn ? musigSession(message) : undefined }
    }
    return begun.session
  }
}

/** Signs for the participants whose keys and secret nonces are available. */
const addPartialSignatures = (
  joint: Joint,
  message: MusigMessage,
  begin: () => MusigSession | undefined,
  signing: Signing
): void => {
  const { data, provider: { nonces } } = signing
  const { bytes, digest, leafHash, participants } = joint
  for (const [i, participant] of participants.entries()) {
    const secret = secretOf(participant, signing)
    const isThere = data.musigPartialSignatures.has(musigKey(bytes, leafHash, participant))
    if (secret === undefined || isThere || nonces === undefined) continue
    const session = begin()
    if (session === undefined) return
    const use = nonceUse(bytes, participant, digest, message.nonces[i]!)
    const signature = musigPartialSignature(session, secret, () => nonces.take(use))
    if (signature !== undefined) addPart(data.musigPartialSignatures, participant, signature, joint)
  }
}

/** Adds nonces for the participants with available keys that lack one. */
const addNonces = (joint: Joint, signing: Signing): void => {
  const { data, provider: { nonces } } = signing
  const { bytes, digest, leafHash, participants } = joint
  if (nonces === undefined) return
  for (const participant of participants) {
    const secret = secretOf(participant, signing)
    if (secret === undefined || data.musigNonces.has(musigKey(bytes, leafHash, participant))) continue
    const nonce = musigNonce(participant, secret, bytes, digest)
    if (nonce === undefined) continue
    nonces.keep(nonceUse(bytes, participant, digest, nonce.public), nonce.secret)
    addPart(data.musigNonces, participant, nonce.public, joint)
  }
}

/** Reports whether a partial signature exists. If so, no nonce is added, since that would invalidate the signature. */
const hasPartialSignature = ({ data }: Signing, { bytes, leafHash }: Joint): boolean => {
  const prefix = musigKey(bytes, leafHash, new Uint8Array(0))
  return [...data.musigPartialSignatures.keys()].some((place) => place.startsWith(prefix))
}

/**
 * Performs one round of a joint key. Returns the signature if all have signed; else adds the parts of the available
 * keys.
 */
const advance = (joint: Joint, signing: Signing): Uint8Array | undefined => {
  const nonces = allParts(signing.data.musigNonces, joint)
  if (nonces !== undefined) {
    const { bytes, digest, key } = joint
    const message = { key, nonces, digest }
    const session = sessionOf(message, signing)
    const partial = allParts(signing.data.musigPartialSignatures, joint)
    const begun = partial && session()
    const isValid = (signature: Uint8Array) => signing.crypto.schnorrVerify(signature, bytes.subarray(1), digest)
    const signature = partial && begun && musigSignature(begun, partial, isValid)
    if (signature !== undefined) return signing.creator.withHashType(signature)
    addPartialSignatures(joint, message, session, signing)
  }
  if (!hasPartialSignature(signing, joint)) addNonces(joint, signing)
  return undefined
}

/** Records the origins of participants and the leaf that they sign for. */
const noteParticipants = (leaf: Uint8Array | undefined, signing: Signing): void => {
  const { crypto, data, provider } = signing
  for (const { key, origin } of originatedOf(data.musigParticipants, provider.origins, crypto)) {
    noteOrigin(key.subarray(1), leaf, origin, signing)
  }
}

/**
 * Signs jointly with MuSig2 (BIP327, BIP373) if the key `x` belongs to several participants. Returns the signature if
 * all have contributed; else performs another round. As in Bitcoin Core, nonces, partial signatures and the signature
 * are each made by a separate call.
 */
export const signMusig = (x: Uint8Array, purpose: MusigPurpose, signing: Signing): Uint8Array | undefined => {
  let signature: Uint8Array | undefined
  const { crypto, data } = signing
  noteParticipants(purpose.leafHash, signing)
  const origin = data.taprootKeys.get(hexOf(x))?.origin
  for (const each of participantsFor(x, origin, data.musigParticipants, crypto)) {
    const key = jointKeyOf(x, each, purpose, signing)
    const digest = key && signing.creator.musigDigest(purpose.leafHash)
    if (key !== undefined && digest !== undefined) signature = advance({ ...key, digest }, signing) ?? signature
  }
  return signature
}
