import type { Random } from "./environment.ts"
import { withExponential } from "./system-environment.ts"

/** Returns a generator of 32-bit numbers (SplitMix32). */
const splitMix = (seed: number): () => number => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x9e_37_79_b9) >>> 0
    let mixed = state ^ (state >>> 16)
    mixed = Math.imul(mixed, 0x21_f0_aa_ad)
    mixed ^= mixed >>> 15
    mixed = Math.imul(mixed, 0x73_5a_2d_97)
    return (mixed ^ (mixed >>> 15)) >>> 0
  }
}

/** Randomness that repeats for the same seed. */
export const seededRandom = (seed: number): Random => {
  const next = splitMix(seed)
  return withExponential({
    below: (bound) => bound <= 1 ? 0 : Math.floor((next() % 0x1_00_00) * 2 ** 32 + next()) % bound,
    bytes: (count) => Uint8Array.from({ length: count }, () => next() & 0xff)
  })
}
