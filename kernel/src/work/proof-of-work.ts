import * as Result from "effect/Result"
import type { Bits, Hash, Target } from "../quantities.ts"
import { HOLDS, type Verdict, type Violation, violation } from "../verdict.ts"
import { expandTarget } from "./compact-target.ts"

export type HighHash = Violation<"WRK-004", { readonly bits: number }>

/** A hash as the number that proof of work compares: little-endian. */
export const hashNumber = (hash: Uint8Array): bigint => {
  const view = new DataView(hash.buffer, hash.byteOffset, 32)
  return (view.getBigUint64(24, true) << 192n) | (view.getBigUint64(16, true) << 128n) |
    (view.getBigUint64(8, true) << 64n) | view.getBigUint64(0, true)
}

/**
 * The header's bits encode a target no easier than the network's limit, and its hash is not above that target.
 *
 *     hash ≤ target ≤ powLimit
 *
 * Equality is valid. Whether the bits are the required ones is HDR-001's question.
 *
 * @spec WRK-004 #b1f33b8c
 */
export const proofOfWork = (hash: Hash, bits: Bits, powLimit: Target): Verdict<void, HighHash> => {
  const target = expandTarget(bits)
  return target !== undefined && target <= powLimit && hashNumber(hash) <= target
    ? HOLDS
    : Result.fail(violation("WRK-004", { bits }))
}
