import { mappedEllSwift, decodedX } from "@lockstep/crypto/transport/mapped-ellswift.ts"
import { noblePoints } from "@lockstep/crypto/transport/noble-points.ts"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { randomBytes } from "node:crypto"
import { CERTIFICATE_BYTES, isCertified } from "./certificate.ts"
import { type CipherState, symmetricState } from "./symmetric-state.ts"

const { encodePublicKey, sharedSecret } = mappedEllSwift(noblePoints)

const KEY = 64
const SEALED_KEY = KEY + 16

/** Sizes of the two messages in bytes. */
export const FIRST_BYTES = KEY
export const SECOND_BYTES = KEY + SEALED_KEY + CERTIFICATE_BYTES + 16

/** A private key and its public key as the handshake encodes it. */
export interface KeyPair {
  readonly secret: Uint8Array
  readonly encoded: Uint8Array
}

export const newKeyPair = (): KeyPair => {
  const secret = secp256k1.utils.randomSecretKey()
  return { secret, encoded: encodePublicKey(secret, randomBytes(32)) }
}

/** Returns the x of a public key, which certificates sign. */
export const publicX = ({ encoded }: KeyPair): Uint8Array => decodedX(encoded)

/** Both directions of a connection. */
export interface Session {
  readonly send: CipherState
  readonly receive: CipherState
}

/** Responds to the first message of an initiator. */
export const respond = (
  first: Uint8Array,
  server: KeyPair,
  certificate: Uint8Array
): { readonly second: Buffer; readonly session: Session } => {
  const state = symmetricState()
  const theirs = first.subarray(0, KEY)
  state.mixHash(theirs)
  state.decryptAndHash(Buffer.alloc(0))
  const ephemeral = newKeyPair()
  const secretOf = ({ encoded, secret }: KeyPair): Uint8Array => sharedSecret(secret, encoded, theirs, false)
  state.mixHash(ephemeral.encoded)
  state.mixKey(secretOf(ephemeral))
  const sealedKey = state.encryptAndHash(server.encoded)
  state.mixKey(secretOf(server))
  const second = Buffer.concat([ephemeral.encoded, sealedKey, state.encryptAndHash(certificate)])
  const [receive, send] = state.split()
  return { second, session: { send, receive } }
}

/** An initiator: its first message and the handler of the response. */
export interface Initiator {
  readonly first: Uint8Array
  /** Returns the session, or `undefined` if the response comes from no server that the authority certifies. */
  readonly finish: (second: Uint8Array, authorityKey: Uint8Array, now: number) => Session | undefined
}

export const initiate = (): Initiator => {
  const state = symmetricState()
  const { encoded, secret } = newKeyPair()
  state.mixHash(encoded)
  state.encryptAndHash(Buffer.alloc(0))
  return {
    first: encoded,
    finish: (second, authorityKey, now) => {
      const theirs = second.subarray(0, KEY)
      state.mixHash(theirs)
      state.mixKey(sharedSecret(secret, encoded, theirs, true))
      const serverKey = state.decryptAndHash(second.subarray(KEY, KEY + SEALED_KEY))
      if (serverKey === undefined) return undefined
      state.mixKey(sharedSecret(secret, encoded, serverKey, true))
      const certificate = state.decryptAndHash(second.subarray(KEY + SEALED_KEY))
      if (certificate === undefined || !isCertified(certificate, decodedX(serverKey), authorityKey, now)) {
        return undefined
      }
      const [send, receive] = state.split()
      return { send, receive }
    }
  }
}
