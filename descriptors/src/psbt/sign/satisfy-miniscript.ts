import { type Fragment, insideOut } from "../../descriptor/miniscript/fragment.ts"
import {
  both,
  either,
  element,
  EMPTY,
  IMPOSSIBLE,
  malleable,
  NO_PREIMAGE,
  ONE,
  signature,
  type Witness,
  ZERO
} from "./witness-choice.ts"
import type { PreimageKind } from "@lockstep/protocol/psbt/psbt.ts"

/** Source of the elements that satisfy a miniscript. Keys are given by their index. */
export interface MiniscriptSatisfier {
  readonly sign: (key: number) => Uint8Array | undefined
  readonly keyBytes: (key: number) => Uint8Array
  readonly preimage: (kind: PreimageKind, hash: Uint8Array) => Uint8Array | undefined
  readonly takesLockTime: (lockTime: number) => boolean
  readonly takesSequence: (sequence: number) => boolean
}

/** The best witnesses that satisfy an expression and dissatisfy it. */
interface Ways {
  readonly sat: Witness
  readonly nsat: Witness
}

type Rule = (fragment: Fragment, parts: ReadonlyArray<Ways>, satisfier: MiniscriptSatisfier) => Ways

/** Returns the best witnesses for each number of satisfied parts, which are added one after another. */
const counted = (
  start: Witness,
  all: ReadonlyArray<Ways>,
  join: (before: Witness, next: Witness) => Witness
): ReadonlyArray<Witness> => {
  let ways: ReadonlyArray<Witness> = [start]
  for (const { nsat, sat } of all) {
    const next = ways.map((way, i) => i === 0 ? join(way, nsat) : either(join(way, nsat), join(ways[i - 1]!, sat)))
    ways = [...next, join(ways.at(-1)!, sat)]
  }
  return ways
}

const signed = (key: number, { sign }: MiniscriptSatisfier): Ways => ({ sat: signature(sign(key)), nsat: ZERO })

const multi: Rule = ({ k, keys }, _, satisfier) => {
  const all = keys.map((key) => ({ ...signed(key, satisfier), nsat: EMPTY }))
  const nsat = Array.from({ length: k }, () => ZERO).reduce(both, ZERO)
  return { sat: counted(ZERO, all, both)[k]!, nsat }
}

const multiA: Rule = ({ k, keys }, _, satisfier) => {
  // The signature of the first key is on top of the stack.
  const ways = counted(EMPTY, keys.toReversed().map((key) => signed(key, satisfier)), both)
  return { sat: ways[k]!, nsat: ways[0]! }
}

const thresh: Rule = ({ k }, parts) => {
  const ways = counted(EMPTY, parts.toReversed(), both)
  const others = ways.map((way, i) => i === k ? IMPOSSIBLE : malleable(way, i !== 0))
  return { sat: ways[k]!, nsat: others.reduce(either, IMPOSSIBLE) }
}

const same: Rule = (_, [x]) => x!

const hashed = (kind: PreimageKind): Rule => ({ data }, _, { preimage }) => ({
  sat: element(preimage(kind, data)),
  nsat: NO_PREIMAGE
})

const RULES: Readonly<Record<Fragment["form"], Rule>> = {
  0: () => ({ sat: IMPOSSIBLE, nsat: EMPTY }),
  1: () => ({ sat: EMPTY, nsat: IMPOSSIBLE }),
  pk_k: ({ keys }, _, satisfier) => signed(keys[0]!, satisfier),
  pk_h: ({ keys }, _, satisfier) => {
    const key = element(satisfier.keyBytes(keys[0]!))
    const { nsat, sat } = signed(keys[0]!, satisfier)
    return { sat: both(sat, key), nsat: both(nsat, key) }
  },
  older: ({ k }, _, { takesSequence }) => ({ sat: takesSequence(k) ? EMPTY : IMPOSSIBLE, nsat: IMPOSSIBLE }),
  after: ({ k }, _, { takesLockTime }) => ({ sat: takesLockTime(k) ? EMPTY : IMPOSSIBLE, nsat: IMPOSSIBLE }),
  sha256: hashed("sha256"),
  hash256: hashed("hash256"),
  ripemd160: hashed("ripemd160"),
  hash160: hashed("hash160"),
  multi,
  multi_a: multiA,
  thresh,
  a: same,
  s: same,
  c: same,
  n: same,
  d: (_, [x]) => ({ sat: both(x!.sat, ONE), nsat: ZERO }),
  j: (_, [x]) => ({ sat: x!.sat, nsat: malleable(ZERO, x!.nsat.isAvailable && !x!.nsat.hasSignature) }),
  v: (_, [x]) => ({ sat: x!.sat, nsat: IMPOSSIBLE }),
  and_v: (_, [x, y]) => ({ sat: both(y!.sat, x!.sat), nsat: both(y!.nsat, x!.sat) }),
  and_b: (_, [x, y]) => ({
    sat: both(y!.sat, x!.sat),
    nsat: either(
      either(both(y!.nsat, x!.nsat), malleable(both(y!.sat, x!.nsat))),
      malleable(both(y!.nsat, x!.sat))
    )
  }),
  or_b: (_, [x, y]) => ({
    sat: either(either(both(y!.nsat, x!.sat), both(y!.sat, x!.nsat)), malleable(both(y!.sat, x!.sat))),
    nsat: both(y!.nsat, x!.nsat)
  }),
  or_c: (_, [x, y]) => ({ sat: either(x!.sat, both(y!.sat, x!.nsat)), nsat: IMPOSSIBLE }),
  or_d: (_, [x, y]) => ({ sat: either(x!.sat, both(y!.sat, x!.nsat)), nsat: both(y!.nsat, x!.nsat) }),
  or_i: (_, [x, y]) => ({
    sat: either(both(x!.sat, ONE), both(y!.sat, ZERO)),
    nsat: either(both(x!.nsat, ONE), both(y!.nsat, ZERO))
  }),
  andor: (_, [x, y, z]) => ({
    sat: either(both(y!.sat, x!.sat), both(z!.sat, x!.nsat)),
    nsat: either(both(y!.nsat, x!.sat), both(z!.nsat, x!.nsat))
  })
}

/**
 * Returns the smallest witness that satisfies a miniscript, has a signature and is not malleable. Returns `undefined`
 * if none is possible yet. Every key is asked to sign, even if its signature is not needed.
 */
export const satisfyMiniscript = (
  root: Fragment,
  satisfier: MiniscriptSatisfier
): ReadonlyArray<Uint8Array> | undefined => {
  const known = new Map<Fragment, Ways>()
  for (const fragment of insideOut(root)) {
    const parts = fragment.parts.map((part) => known.get(part)!)
    known.set(fragment, RULES[fragment.form](fragment, parts, satisfier))
  }
  const { elements, hasSignature, isAvailable, isMalleable } = known.get(root)!.sat
  return isAvailable && hasSignature && !isMalleable ? elements : undefined
}
