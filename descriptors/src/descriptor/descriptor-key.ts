/** A public key at one position and its derivation. */
export interface DerivedKey {
  /** 33 or 65 bytes. */
  readonly bytes: Uint8Array
  /** `[fingerprint/path]` */
  readonly origin: string
  /** Private key, if known. */
  readonly secret: Uint8Array | undefined
  /** Components of an aggregate key (BIP390). */
  readonly musig?: {
    /** Aggregate key before any derivation. */
    readonly aggregate: Uint8Array
    readonly participants: ReadonlyArray<DerivedKey>
  }
}

/** A key of a descriptor. */
export interface DescriptorKey {
  /** Text of the key as written, without private keys. */
  readonly text: string
  readonly isRanged: boolean
  readonly isPrivate: boolean
  /** True if other keys are derived from it. */
  readonly isExtended: boolean
  /** True if its derivation needs the private key. */
  readonly isHardened: boolean
  /** Bytes of the key in a script. */
  readonly size: number
  /** Returns the key at a position, or `undefined` if its derivation needs an unknown private key. */
  readonly at: (position: number) => DerivedKey | undefined
}
