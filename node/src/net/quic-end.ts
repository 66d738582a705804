import { base58 } from "@scure/base"

/** Marks a node that is reached over QUIC, with its identity. */
export interface QuicEnd {
  /** The identity that its certificate must prove, or has proved; `undefined` if any identity is accepted. */
  readonly identity: string | undefined
}

/** Prefix of an address that is reached over QUIC. */
export const QUIC_SCHEME = "quic://"

/** Prefix of an Ed25519 public key in libp2p's encoding: an identity multihash of the protobuf message that holds the key. */
const PREFIX = Uint8Array.of(0x00, 0x24, 0x08, 0x01, 0x12, 0x20)

const KEY_SIZE = 32

/** Returns the identity of an Ed25519 public key (32 bytes): the libp2p peer id in base 58. */
export const quicIdentity = (publicKey: Uint8Array): string => base58.encode(Uint8Array.of(...PREFIX, ...publicKey))

/** Returns the public key (32 bytes) of an identity. */
export const quicPublicKey = (identity: string): Uint8Array => base58.decode(identity).slice(PREFIX.length)

/** Reports whether a text is the identity of an Ed25519 key. */
export const isQuicIdentity = (text: string): boolean => {
  if (!/^[1-9A-HJ-NP-Za-km-z]{52}$/.test(text)) return false
  const bytes = base58.decode(text)
  return bytes.length === PREFIX.length + KEY_SIZE && PREFIX.every((byte, at) => bytes[at] === byte)
}

/** `quic://` and the identity, if known: the prefix before host and port. */
export const quicPrefix = ({ identity }: QuicEnd): string =>
  identity === undefined ? QUIC_SCHEME : `${QUIC_SCHEME}${identity}@`
