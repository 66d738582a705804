import { type Fragment, insideOut, type Surroundings } from "./fragment.ts"

/** Marks an impossible case. Adding to it has no effect. */
const NEVER = -Infinity

/** Bytes of the elements of a witness, each including its length. */
export interface ElementSizes {
  readonly signature: number
  readonly key: number
}

/**
 * Sizes of the largest elements: an ECDSA signature with an R and an S of 71 bytes in DER, and a Schnorr signature with
 * its hash type.
 */
export const ELEMENT_SIZES: Readonly<Record<Surroundings, ElementSizes>> = {
  wsh: { signature: 1 + 72, key: 1 + 33 },
  tr: { signature: 1 + 65, key: 1 + 32 }
}

export const ZERO_SIZE = 1
export const ONE_SIZE = 2
export const PREIMAGE_SIZE = 1 + 32

/** Largest sizes that satisfy and dissatisfy an expression; {@link NEVER} if that is impossible. */
interface Most {
  readonly sat: number
  readonly nsat: number
}

type Rule = (fragment: Fragment, parts: ReadonlyArray<Most>, sizes: ElementSizes) => Most

const { max } = Math

/** Returns the largest size for each number of satisfied parts from 0 to `k`. */
const counted = (k: number, parts: ReadonlyArray<Most>): Float64Array => {
  const most = new Float64Array(k + 1).fill(NEVER)
  most[0] = 0
  for (const [i, { nsat, sat }] of parts.entries()) {
    for (let j = Math.min(k, i + 1); j >= 0; j--) {
      most[j] = max(most[j]! + nsat, j === 0 ? NEVER : most[j - 1]! + sat)
    }
  }
  return most
}

const same: Rule = (_, [x]) => x!

const hashed: Rule = () => ({ sat: PREIMAGE_SIZE, nsat: NEVER })

const lock: Rule = () => ({ sat: 0, nsat: NEVER })

/** Rules without the ways that a third party could choose: an invalid preimage, or more than an expression needs. */
const RULES: Readonly<Record<Fragment["form"], Rule>> = {
  0: () => ({ sat: NEVER, nsat: 0 }),
  1: () => ({ sat: 0, nsat: NEVER }),
  pk_k: (_, __, { signature }) => ({ sat: signature, nsat: ZERO_SIZE }),
  pk_h: (_, __, { key, signature }) => ({ sat: signature + key, nsat: ZERO_SIZE + key }),
  older: lock,
  after: lock,
  sha256: hashed,
  hash256: hashed,
  ripemd160: hashed,
  hash160: hashed,
  multi: ({ k }, _, { signature }) => ({ sat: ZERO_SIZE + k * signature, nsat: (1 + k) * ZERO_SIZE }),
  multi_a: ({ k, keys }, _, { signature }) => ({
    sat: k * signature + (keys.length - k) * ZERO_SIZE,
    nsat: keys.length * ZERO_SIZE
  }),
  thresh: ({ k }, parts) => {
    const most = counted(k, parts)
    return { sat: most[k]!, nsat: most[0]! }
  },
  a: same,
  s: same,
  c: same,
  n: same,
  d: (_, [x]) => ({ sat: x!.sat + ONE_SIZE, nsat: ZERO_SIZE }),
  j: (_, [x]) => ({ sat: x!.sat, nsat: ZERO_SIZE }),
  v: (_, [x]) => ({ sat: x!.sat, nsat: NEVER }),
  and_v: (_, [x, y]) => ({ sat: x!.sat + y!.sat, nsat: NEVER }),
  and_b: (_, [x, y]) => ({ sat: x!.sat + y!.sat, nsat: x!.nsat + y!.nsat }),
  or_b: (_, [x, y]) => ({ sat: max(x!.sat + y!.nsat, x!.nsat + y!.sat), nsat: x!.nsat + y!.nsat }),
  or_c: (_, [x, y]) => ({ sat: max(x!.sat, x!.nsat + y!.sat), nsat: NEVER }),
  or_d: (_, [x, y]) => ({ sat: max(x!.sat, x!.nsat + y!.sat), nsat: x!.nsat + y!.nsat }),
  or_i: (_, [x, y]) => ({
    sat: max(x!.sat + ONE_SIZE, y!.sat + ZERO_SIZE),
    nsat: max(x!.nsat + ONE_SIZE, y!.nsat + ZERO_SIZE)
  }),
  andor: (_, [x, y, z]) => ({ sat: max(x!.sat + y!.sat, x!.nsat + z!.sat), nsat: x!.nsat + z!.nsat })
}

/**
 * Returns the bytes of the largest non-malleable witness that satisfies a miniscript, without the script. Each element
 * includes its length. Returns `undefined` if it cannot be satisfied.
 */
export const largestWitness = (root: Fragment, surroundings: Surroundings): number | undefined => {
  const known = new Map<Fragment, Most>()
  for (const fragment of insideOut(root)) {
    const parts = fragment.parts.map((part) => known.get(part)!)
    known.set(fragment, RULES[fragment.form](fragment, parts, ELEMENT_SIZES[surroundings]))
  }
  const { sat } = known.get(root)!
  return sat === NEVER ? undefined : sat
}
