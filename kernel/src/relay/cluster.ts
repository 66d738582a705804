import * as Result from "effect/Result"
import type { Weight } from "../quantities.ts"
import { HOLDS, type Verdict, type Violation, violation } from "../verdict.ts"
import type { ClusterLimits } from "./relay-policy.ts"

export type ClusterTooLarge = Violation<"POL-100", { readonly count: number; readonly weight: Weight }>

/**
 * A cluster of the pool has few enough transactions to be ordered well, and little enough weight to fit any block.
 * `weight` is adjusted; a transaction without relatives is a cluster too.
 *
 * @spec POL-100 #8f4a7284
 */
export const clusterIsSmall = (count: number, weight: Weight, limits: ClusterLimits): Verdict<void, ClusterTooLarge> =>
  count <= limits.count && weight <= limits.weight ? HOLDS : Result.fail(violation("POL-100", { count, weight }))
