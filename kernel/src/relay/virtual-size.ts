import { WITNESS_SCALE_FACTOR } from "../constants.ts"
import type { Weight } from "../quantities.ts"

/**
 * The weight that a transaction is charged for: its own, or that of its signature operations if it is greater.
 *
 * @spec POL-023 #11754c65
 */
export const adjustedWeight = (weight: Weight, sigOpCost: number, bytesPerSigOp: number): Weight =>
  Math.max(weight, sigOpCost * bytesPerSigOp)

/**
 * Virtual bytes of a weight, rounded up.
 *
 * @spec POL-024 #df4c55e6
 */
export const virtualSize = (weight: Weight): number => Math.ceil(weight / WITNESS_SCALE_FACTOR)
