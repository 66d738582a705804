import type { Random } from "@lockstep/property-tests/fuzz/random.ts"

/** Bytes of a connection, and where they are cut on their way. */
export interface CutStream {
  readonly bytes: Uint8Array
  readonly cuts: ReadonlyArray<number>
}

/** The bytes of a text that is written as Latin-1. */
export const latin1 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "latin1"))

/** The bytes, cut in up to twelve places, most of them near the beginning. */
export const mayBeCut = (bytes: Uint8Array, random: Random): CutStream => ({
  bytes,
  cuts: Array.from({ length: random.below(12) }, () => random.below(random.oneIn(3) ? bytes.length + 1 : 200))
})

/** Where the pieces of a stream end, in order. */
export const endsOf = ({ bytes, cuts }: CutStream): ReadonlyArray<number> =>
  [...new Set([...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length])].toSorted((a, b) => a - b)

/** The pieces that end there. */
export const pieces = (bytes: Uint8Array, ends: ReadonlyArray<number>): ReadonlyArray<Uint8Array> =>
  ends.map((end, i) => bytes.slice(ends[i - 1] ?? 0, end))
