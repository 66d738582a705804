/** A share of an allowance, as a fraction: its size may exceed one. */
export interface DosScore {
  readonly used: number
  readonly allowed: number
}

/** What one peer may hold before it is evicted from. */
export interface Allowance {
  readonly latency: number
  readonly weight: number
}

/** The score at which a peer holds exactly its share. */
export const FAIR: DosScore = { used: 1, allowed: 1 }

/** By the size of the fractions alone. */
export const compareShares = (a: DosScore, b: DosScore): number => a.used * b.allowed - b.used * a.allowed

/** By size; of equal ones, the fraction with the smaller denominator counts as greater. */
export const compareScores = (a: DosScore, b: DosScore): number => compareShares(a, b) || b.allowed - a.allowed

/** The greater one of both shares: of latency and of weight. */
export const dosScore = (latency: number, weight: number, allowance: Allowance): DosScore => {
  const byLatency = { used: latency, allowed: allowance.latency }
  const byWeight = { used: weight, allowed: allowance.weight }
  return compareScores(byLatency, byWeight) < 0 ? byWeight : byLatency
}
