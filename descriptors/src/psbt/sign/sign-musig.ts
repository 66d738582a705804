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

/** What beginning a session costs for each participant, in keys to be added up: its nonces are points as well. */
const KEYS_OF_SESSION = 4

/** A joint key, and what it signs. */
interface Joint extends JointKey {
  readonly digest: Uint8Array
}

/** The part of each participant, in their order; none: one is missing, or there are others. */
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

/** Begins a session once, when it is first asked for; none: it is not valid, or there is too little time left for it. */
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

/** Signs for the participants whose keys and secret nonces are here. */
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

/** Adds nonces for the participants whose keys are here and that have none. */
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

/** Whether a partial signature exists already: then no nonce is added, which would make that signature worthless. */
const hasPartialSignature = ({ data }: Signing, { bytes, leafHash }: Joint): boolean => {
  const prefix = musigKey(bytes, leafHash, new Uint8Array(0))
  return [...data.musigPartialSignatures.keys()].some((place) => place.startsWith(prefix))
}

/** One round of a joint key: the signature where all have signed, else what the keys here can add. */
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

/** Takes note of where participants come from, and of the leaf they sign for. */
const noteParticipants = (leaf: Uint8Array | undefined, signing: Signing): void => {
  const { crypto, data, provider } = signing
  for (const { key, origin } of originatedOf(data.musigParticipants, provider.origins, crypto)) {
    noteOrigin(key.subarray(1), leaf, origin, signing)
  }
}

/**
 * What several sign together with MuSig2 (BIP327, BIP373), if the key `x` is theirs: the signature where all have given
 * what it takes, else a round further. As in Bitcoin Core, nonces, partial signatures and the signature are made by a
 * call each.
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
