import { ASN_FORM, type IntegerForm, JUMP_FORM, MATCH_FORM } from "../../src/asmap/bit-source.ts"

/** Networks and the systems that route them, as a tree by bits; a number is a system, 0 none. */
export type Routes = number | { readonly zero: Routes; readonly one: Routes }

/** The bits of an integer: how many classes are passed over, and where it is in its own. */
const integerBits = (value: number, { base, classes }: IntegerForm): string => {
  let rest = value - base
  let text = ""
  for (const [i, bits] of classes.entries()) {
    const isLast = i === classes.length - 1
    if (rest < 2 ** bits) return `${text}${isLast ? "" : "0"}${bits === 0 ? "" : rest.toString(2).padStart(bits, "0")}`
    rest -= 2 ** bits
    text += "1"
  }
  throw new Error(`${value} is too large`)
}

export const returning = (asn: number): string => `0${integerBits(asn, ASN_FORM)}`
export const defaulting = (asn: number): string => `111${integerBits(asn, ASN_FORM)}`
/** `bits`: up to eight zeros and ones that the address must have next. */
export const matching = (bits: string): string => `110${integerBits(Number.parseInt(`1${bits}`, 2), MATCH_FORM)}`
/** A branch on the next bit; the first part must be longer than 16 bits. */
export const branching = (zero: string, one: string): string => `10${integerBits(zero.length, JUMP_FORM)}${zero}${one}`

/** A program for routes: a branch per bit. Unrouted ends are a match that fails where the default is none. */
export const programOf = (routes: Routes): string =>
  typeof routes === "number" ? returning(routes) : branching(programOf(routes.zero), programOf(routes.one))

/** Bits as bytes, the lowest bit first. */
export const packed = (bits: string): Uint8Array => {
  const bytes = new Uint8Array(Math.ceil(bits.length / 8))
  for (const [i, bit] of [...bits].entries()) if (bit === "1") bytes[i >> 3]! |= 1 << (i & 7)
  return bytes
}

/** The system of an address, by the tree. */
export const routeOf = (routes: Routes, address: Uint8Array): number => {
  let at = routes
  for (let i = 0; typeof at !== "number"; i++) at = (address[i >> 3]! >> (7 - (i & 7))) & 1 ? at.one : at.zero
  return at
}
