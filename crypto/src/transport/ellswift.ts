/** Public keys that look like random bytes (ElligatorSwift), as the encrypted transport exchanges them. No function throws. */
export interface EllSwift {
  /**
   * An encoding of the public key of `privateKey`, 64 bytes. `entropy` chooses which: 32 unpredictable bytes. The private
   * key is below the group order, and not zero.
   */
  readonly encodePublicKey: (privateKey: Uint8Array, entropy: Uint8Array) => Uint8Array
  /**
   * The secret that both sides compute from their private key and both encodings. Every 64 bytes are an encoding. The
   * sides differ in `isInitiator`.
   */
  readonly sharedSecret: (
    privateKey: Uint8Array,
    ours: Uint8Array,
    theirs: Uint8Array,
    isInitiator: boolean
  ) => Uint8Array
}

/** Group arithmetic that the mapping needs. Bytes are big-endian. */
export interface CurvePoints {
  /** x and y of the public key, 64 bytes. */
  readonly publicKey: (privateKey: Uint8Array) => Uint8Array
  /** x of the product of the private key with a point that has this x. There is one. */
  readonly productX: (privateKey: Uint8Array, x: Uint8Array) => Uint8Array
}
