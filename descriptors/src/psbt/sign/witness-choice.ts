/** Elements that satisfy or dissatisfy a miniscript, with their properties (BIP379). */
export interface Witness {
  readonly isAvailable: boolean
  readonly hasSignature: boolean
  /** True if a third party could change it. */
  readonly isMalleable: boolean
  /** Elements of the stack, the deepest first. */
  readonly elements: ReadonlyArray<Uint8Array>
  readonly size: number
}

const witness = (elements: ReadonlyArray<Uint8Array>): Witness => ({
  isAvailable: true,
  hasSignature: false,
  isMalleable: false,
  elements,
  size: elements.reduce((sum, { length }) => sum + length + 1, 0)
})

export const EMPTY = witness([])
export const ZERO = witness([new Uint8Array(0)])
export const ONE = witness([Uint8Array.of(1)])
/** Placeholder for a preimage. Any other 32 bytes would do as well. */
export const NO_PREIMAGE: Witness = { ...witness([new Uint8Array(32)]), isMalleable: true }
export const IMPOSSIBLE: Witness = { ...EMPTY, isAvailable: false }

/** Returns a witness of one element, or an impossible one if the element is unknown. */
export const element = (data: Uint8Array | undefined): Witness => data === undefined ? IMPOSSIBLE : witness([data])

/** Returns a witness of a signature, or an impossible one if it is missing. */
export const signature = (data: Uint8Array | undefined): Witness => ({ ...element(data), hasSignature: true })

export const malleable = (of: Witness, when: boolean = true): Witness => when ? { ...of, isMalleable: true } : of

/** Concatenates two witnesses. The first one is deeper on the stack. */
export const both = (a: Witness, b: Witness): Witness =>
  a.isAvailable && b.isAvailable
    ? {
      isAvailable: true,
      hasSignature: a.hasSignature || b.hasSignature,
      isMalleable: a.isMalleable || b.isMalleable,
      elements: [...a.elements, ...b.elements],
      size: a.size + b.size
    }
    : IMPOSSIBLE

const smaller = (a: Witness, b: Witness): Witness => a.size <= b.size ? a : b

/**
 * Returns the better of two sufficient witnesses. One without a signature must be chosen, since a third party could
 * choose it.
 */
export const either = (a: Witness, b: Witness): Witness => {
  if (!a.isAvailable) return b
  if (!b.isAvailable) return a
  if (a.hasSignature !== b.hasSignature) return a.hasSignature ? b : a
  if (!a.hasSignature) return malleable(smaller(a, b))
  if (a.isMalleable !== b.isMalleable) return a.isMalleable ? b : a
  return smaller(a, b)
}
