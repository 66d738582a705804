/** A share of an allowance, as a fraction that may exceed 1. */
export interface DosScore {
  readonly used: number
  readonly allowed: number
}

/** Amounts that one peer may hold before its orphans are evicted. */
export interface Allowance {
  readonly latency: number
  readonly weight: number
}

/** The score of a peer that holds exactly its share. */
export const FAIR: DosScore = { used: 1, allowed: 1 }

/** Compares the values of two fractions. */
export const compareShares = (a: DosScore, b: DosScore): number => a.used * b.allowed - b.used * a.allowed

/** Compares two fractions by value. Of equal ones, the fraction with the smaller denominator is greater. */
export const compareScores = (a: DosScore, b: DosScore): number => compareShares(a, b) || b.allowed - a.allowed

/** Returns the greater of the two shares, of latency and of weight. */
export const dosScore = (latency: number, weight: number, allowance: Allowance): DosScore => {
  const byLatency = { used: latency, allowed: allowance.latency }
  const byWeight = { used: weight, allowed: allowance.weight }
  return compareScores(byLatency, byWeight) < 0 ? byWeight : byLatency
}
