/** Commitments of a signature, as the values of its hash type byte. @internal */
export const SighashType = { DEFAULT: 0, ALL: 1, NONE: 2, SINGLE: 3, ANYONECANPAY: 0x80 } as const

/** Bits that select the outputs in legacy and witness version 0 hashes; other values of them mean ALL. @internal */
export const OUTPUT_MASK = 0x1f

/** Reports whether BIP341 gives `hashType` a meaning: 0 to 3 and 0x81 to 0x83. @internal */
export const isDefinedTaprootHashType = (hashType: number): boolean =>
  hashType <= SighashType.SINGLE ||
  (hashType > SighashType.ANYONECANPAY && hashType <= (SighashType.ANYONECANPAY | SighashType.SINGLE))
