import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { addFinalizer } from "../../finalizers/finalizers.ts"
import { type ServePolicies, servePolicy, type ServePolicy } from "../../p2p/serving/deny-list.ts"

/** What one module refuses to have served. No other module can change it, and it ends with the module. */
export interface OwnServePolicy {
  readonly policy: ServePolicy
  /** Puts it in force, unless it is. */
  readonly enforce: (policies: ServePolicies) => void
}

/** A policy that refuses nothing, until the scope ends. */
export const ownServePolicy: Effect.Effect<OwnServePolicy, never, Scope.Scope> = Effect.gen(function*() {
  const policy = servePolicy()
  const removals = new Map<ServePolicies, () => void>()
  yield* addFinalizer(() => Effect.sync(() => removals.forEach((remove) => remove())))
  return {
    policy,
    enforce: (policies) => {
      if (!removals.has(policies)) removals.set(policies, policies.add(policy))
    }
  }
})
