/** A public key at one position, and from where it was derived. */
export interface DerivedKey {
  /** 33 or 65 bytes. */
  readonly bytes: Uint8Array
  /** `[fingerprint/path]` */
  readonly origin: string
  /** Its private key, where that is known. */
  readonly secret: Uint8Array | undefined
  /** Of a key that participants sign with together (BIP390): what it is made of. */
  readonly musig?: {
    /** Before anything is derived from it. */
    readonly aggregate: Uint8Array
    readonly participants: ReadonlyArray<DerivedKey>
  }
}

/** A key of a descriptor. */
export interface DescriptorKey {
  /** As it is written, without private keys. */
  readonly text: string
  readonly isRanged: boolean
  readonly isPrivate: boolean
  /** Whether other keys are derived from it. */
  readonly isExtended: boolean
  /** Whether deriving it takes its private key. */
  readonly isHardened: boolean
  /** Bytes of the key in a script. */
  readonly size: number
  /** None: it takes a private key that is not known. */
  readonly at: (position: number) => DerivedKey | undefined
}
