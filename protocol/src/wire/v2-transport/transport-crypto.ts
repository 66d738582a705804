/** Decrypts one packet piece by piece. The output is not authenticated until `isAuthentic`. */
export interface Opener {
  /** Decrypts the next piece into a new array. */
  readonly open: (sealed: Uint8Array) => Uint8Array
  /** Called once, at the end. Reports whether everything was encrypted with the same key, nonce and additional data. */
  readonly isAuthentic: (tag: Uint8Array) => boolean
}

/**
 * Cryptographic functions of the v2 transport, which the caller passes in. No function throws. Keys and secrets are 32
 * bytes, nonces 12, tags 16, encoded public keys (ElligatorSwift) 64.
 */
export interface TransportCrypto {
  /** Encodes the public key of `privateKey`. 32 unpredictable bytes of `entropy` choose one of its encodings. */
  readonly encodePublicKey: (privateKey: Uint8Array, entropy: Uint8Array) => Uint8Array
  /** Computes the shared secret of both sides. Each encoded key has 64 bytes. */
  readonly sharedSecret: (
    privateKey: Uint8Array,
    ours: Uint8Array,
    theirs: Uint8Array,
    isInitiator: boolean
  ) => Uint8Array
  /** HKDF with SHA-256. */
  readonly deriveKey: (secret: Uint8Array, salt: Uint8Array, info: string) => Uint8Array
  /** Returns bytes of a ChaCha20 keystream, starting at a block of 64 bytes. */
  readonly keystream: (key: Uint8Array, nonce: Uint8Array, block: number, length: number) => Uint8Array
  /** Encrypts with ChaCha20-Poly1305: returns each part encrypted, followed by the tag of all. */
  readonly seal: (
    key: Uint8Array,
    nonce: Uint8Array,
    additional: Uint8Array,
    parts: ReadonlyArray<Uint8Array>
  ) => ReadonlyArray<Uint8Array>
  readonly opener: (key: Uint8Array, nonce: Uint8Array, additional: Uint8Array) => Opener
}
