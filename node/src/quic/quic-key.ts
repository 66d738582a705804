import { ed25519 } from "@noble/curves/ed25519.js"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { quicIdentity } from "../net/quic-end.ts"
import { loadKeySeed } from "./key-seed-file.ts"

/** The node cannot use QUIC. `message` says why, and what to do. */
export class QuicError extends Schema.TaggedError<QuicError>()("QuicError", { message: Schema.String }) {}

/** The key by which other nodes identify this one over QUIC. */
export interface QuicKey {
  /** Identity by which others address exactly this node. */
  readonly identity: string
  /** The private key in libp2p's encoding: type Ed25519, then 64 bytes of seed and public key. */
  readonly encoded: Uint8Array
}

const HEADER = Uint8Array.of(0x08, 0x01, 0x12, 0x40)

/** Makes a key of 32 random bytes. */
export const quicKeyOf = (seed: Uint8Array): QuicKey => {
  const publicKey = ed25519.getPublicKey(seed)
  return { identity: quicIdentity(publicKey), encoded: Uint8Array.of(...HEADER, ...seed, ...publicKey) }
}

/** Loads the key of a file, which is created if it is missing. */
export const loadQuicKey = (path: string, seed: () => Uint8Array): Effect.Effect<QuicKey, QuicError> =>
  loadKeySeed(path, seed, "QUIC").pipe(
    Effect.map(quicKeyOf),
    Effect.mapError(({ message }) => new QuicError({ message }))
  )
