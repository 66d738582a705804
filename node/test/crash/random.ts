/** Numbers that depend on a seed alone. */
export interface Random {
  /** 0 ≤ n < `limit`. */
  readonly below: (limit: number) => number
  readonly pick: <A>(items: ReadonlyArray<A>) => A
}

/** splitmix32 over `seed`. */
export const randomOf = (seed: number): Random => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0
    let z = state
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad)
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97)
    return (z ^ (z >>> 15)) >>> 0
  }
  const below = (limit: number): number => next() % limit
  return { below, pick: (items) => items[below(items.length)]! }
}
