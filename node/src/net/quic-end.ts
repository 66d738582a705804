import { base58 } from "@scure/base"

/** That a node is reached over QUIC, and how it is known there. */
export interface QuicEnd {
  /** What its certificate must prove, or has proved; none: any identity is taken. */
  readonly identity: string | undefined
}

/** How an address of a node begins that is reached over QUIC. */
export const QUIC_SCHEME = "quic://"

/** A public key of Ed25519 as libp2p writes it: an identity multihash of the protobuf message that holds the key. */
const PREFIX = Uint8Array.of(0x00, 0x24, 0x08, 0x01, 0x12, 0x20)

const KEY_SIZE = 32

/** The identity of a public key of Ed25519 (32 bytes): the peer id of libp2p in base 58. */
export const quicIdentity = (publicKey: Uint8Array): string => base58.encode(Uint8Array.of(...PREFIX, ...publicKey))

/** The public key (32 bytes) that an identity stands for. */
export const quicPublicKey = (identity: string): Uint8Array => base58.decode(identity).slice(PREFIX.length)

/** Whether a text is the identity of a key of Ed25519. */
export const isQuicIdentity = (text: string): boolean => {
  if (!/^[1-9A-HJ-NP-Za-km-z]{52}$/.test(text)) return false
  const bytes = base58.decode(text)
  return bytes.length === PREFIX.length + KEY_SIZE && PREFIX.every((byte, at) => bytes[at] === byte)
}

/** `quic://`, and the identity where it is known: what stands before host and port. */
export const quicPrefix = ({ identity }: QuicEnd): string =>
  identity === undefined ? QUIC_SCHEME : `${QUIC_SCHEME}${identity}@`
