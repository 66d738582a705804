/** Opens one sealed packet piece by piece. Nothing is known of what it answers until `isAuthentic`. */
export interface Opener {
  /** The plain bytes of the next piece, in an array of its own. */
  readonly open: (sealed: Uint8Array) => Uint8Array
  /** Once, as the last thing: whether all of it was sealed with the same key, nonce and additional data. */
  readonly isAuthentic: (tag: Uint8Array) => boolean
}

/**
 * What the v2 transport needs of cryptography; the caller passes it in. No function throws. Keys and secrets are 32 bytes,
 * nonces 12, tags 16, encoded public keys (ElligatorSwift) 64.
 */
export interface TransportCrypto {
  /** An encoding of the public key of `privateKey`; 32 unpredictable bytes of `entropy` choose which. */
  readonly encodePublicKey: (privateKey: Uint8Array, entropy: Uint8Array) => Uint8Array
  /** The secret that both sides compute. Every 64 bytes are an encoded key. */
  readonly sharedSecret: (
    privateKey: Uint8Array,
    ours: Uint8Array,
    theirs: Uint8Array,
    isInitiator: boolean
  ) => Uint8Array
  /** HKDF with SHA-256. */
  readonly deriveKey: (secret: Uint8Array, salt: Uint8Array, info: string) => Uint8Array
  /** Bytes of a ChaCha20 keystream from a block of 64 bytes on. */
  readonly keystream: (key: Uint8Array, nonce: Uint8Array, block: number, length: number) => Uint8Array
  /** ChaCha20-Poly1305: each part sealed, and the tag of all of them behind. */
  readonly seal: (
    key: Uint8Array,
    nonce: Uint8Array,
    additional: Uint8Array,
    parts: ReadonlyArray<Uint8Array>
  ) => ReadonlyArray<Uint8Array>
  readonly opener: (key: Uint8Array, nonce: Uint8Array, additional: Uint8Array) => Opener
}
