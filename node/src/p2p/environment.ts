/** Chance, as the network layer uses it: a seeded one makes a whole simulation the same again. */
export interface Chance {
  /** A whole number from 0 up to, not including, `bound` (at most 2^48). */
  readonly below: (bound: number) => number
  /** Bytes nobody can foresee. */
  readonly bytes: (count: number) => Uint8Array
  /** A waiting time of a Poisson process with this mean. */
  readonly exponential: (mean: number) => number
}

/** Clock and chance of the network layer. Nothing in it asks the machine for either. */
export interface Environment {
  /** Milliseconds since 1970, for all that waits. Never the time a peer says. */
  readonly now: () => number
  /** The same for what is told to others and written to disk, where that is not what waiting goes by. */
  readonly date?: () => number
  readonly chance: Chance
}
