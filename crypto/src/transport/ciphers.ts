/** Opens one sealed message piece by piece. Nothing is known of what it answers until `isAuthentic`. */
export interface Opener {
  /** The plain bytes of the next piece, in an array of its own. */
  readonly open: (sealed: Uint8Array) => Uint8Array
  /** Once, as the last thing: whether all of it was sealed with the same key, nonce and additional data. */
  readonly isAuthentic: (tag: Uint8Array) => boolean
}

/** What the encrypted transport encrypts with. Keys are 32 bytes, nonces 12, tags 16. */
export interface Ciphers {
  /** HKDF with SHA-256: 32 bytes. `info` and `salt` are ASCII and bytes. */
  readonly deriveKey: (secret: Uint8Array, salt: Uint8Array, info: string) => Uint8Array
  /** Bytes of a ChaCha20 keystream from a block on, a block being 64 bytes. */
  readonly keystream: (key: Uint8Array, nonce: Uint8Array, block: number, length: number) => Uint8Array
  /** ChaCha20-Poly1305: each part sealed, and the tag of all of them. */
  readonly seal: (
    key: Uint8Array,
    nonce: Uint8Array,
    additional: Uint8Array,
    parts: ReadonlyArray<Uint8Array>
  ) => ReadonlyArray<Uint8Array>
  readonly opener: (key: Uint8Array, nonce: Uint8Array, additional: Uint8Array) => Opener
}
