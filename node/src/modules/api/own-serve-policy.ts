import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { addFinalizer } from "../../finalizers/finalizers.ts"
import { type ServePolicies, servePolicy, type ServePolicy } from "../../p2p/serving/deny-list.ts"

/** Data that one module excludes from serving. No other module can change it, and it ends with the module. */
export interface OwnServePolicy {
  readonly policy: ServePolicy
  /** Enforces the policy unless it is already in force. */
  readonly enforce: (policies: ServePolicies) => void
}

/** A policy that excludes nothing yet; it ends with the scope. */
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
