/** A source of numbers that follow from a seed alone: an input is named by seed and index, and made again from them. */
export interface Random {
  /** 0 up to, not including, `limit`. */
  readonly below: (limit: number) => number
  /** True once in `times`. */
  readonly oneIn: (times: number) => boolean
  readonly pick: <A>(values: ReadonlyArray<A>) => A
  readonly bytes: (length: number) => Uint8Array
}

/** The random numbers of input `index` under `seed` (mulberry32 over a mix of both). */
export const randomOf = (seed: number, index: number): Random => {
  let state = (Math.imul(seed ^ 0x5bd1e995, 0x9e3779b1) + Math.imul(index + 1, 0x85ebca6b)) | 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const below = (limit: number): number => next() % Math.max(1, limit)
  return {
    below,
    oneIn: (times) => below(times) === 0,
    pick: (values) => values[below(values.length)]!,
    bytes: (length) => Uint8Array.from({ length }, () => next() & 255)
  }
}
