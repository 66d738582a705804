import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { dual } from "effect/Function"
import * as Scope from "effect/Scope"

/*
 * Effect's own finalizers, with one difference. Effect turns a failure into a defect if a finalizer fails after it. The
 * operator would then read about a lock file that could not be emptied, instead of the broken disk.
 */

/** Runs `finalizer`. Its own failure counts only if the work succeeded. */
const behind = <X, E, R>(
  exit: Exit.Exit<unknown, unknown>,
  finalizer: () => Effect.Effect<X, E, R>
): Effect.Effect<void, E, R> => {
  const guarded = Effect.asVoid(Effect.suspend(finalizer))
  return Exit.isSuccess(exit) ? guarded : Effect.catchCause(guarded, () => Effect.void)
}

/** As `Effect.onExit`. */
export const onExit: {
  <A, E, R2 = never>(
    finalizer: (exit: Exit.Exit<A, E>) => Effect.Effect<unknown, never, R2>
  ): <R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R | R2>
  <A, E, R, R2 = never>(
    self: Effect.Effect<A, E, R>,
    finalizer: (exit: Exit.Exit<A, E>) => Effect.Effect<unknown, never, R2>
  ): Effect.Effect<A, E, R | R2>
} = dual(2, <A, E, R, R2>(
  self: Effect.Effect<A, E, R>,
  finalizer: (exit: Exit.Exit<A, E>) => Effect.Effect<unknown, never, R2>
): Effect.Effect<A, E, R | R2> => Effect.onExit(self, (exit) => behind(exit, () => finalizer(exit))))

/** As `Effect.ensuring`. */
export const ensuring: {
  <X, R2>(
    finalizer: Effect.Effect<X, never, R2>
  ): <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R | R2>
  <A, E, R, X, R2>(self: Effect.Effect<A, E, R>, finalizer: Effect.Effect<X, never, R2>): Effect.Effect<A, E, R | R2>
} = dual(
  2,
  <A, E, R, X, R2>(self: Effect.Effect<A, E, R>, finalizer: Effect.Effect<X, never, R2>): Effect.Effect<A, E, R | R2> =>
    Effect.onExit(self, (exit) => behind(exit, () => finalizer))
)

/** As `Effect.onInterrupt`. */
export const onInterrupt = <A, E, R, R2>(
  self: Effect.Effect<A, E, R>,
  finalizer: () => Effect.Effect<unknown, never, R2>
): Effect.Effect<A, E, R | R2> =>
  Effect.onExit(self, (exit) => Exit.hasInterrupts(exit) ? behind(exit, finalizer) : Effect.void)

/** As `Effect.addFinalizer`. */
export const addFinalizer = <R>(
  finalizer: (exit: Exit.Exit<unknown, unknown>) => Effect.Effect<unknown, never, R>
): Effect.Effect<void, never, R | Scope.Scope> => Effect.addFinalizer((exit) => behind(exit, () => finalizer(exit)))

/** As `Scope.addFinalizer`. */
export const addFinalizerTo = (scope: Scope.Scope, finalizer: Effect.Effect<unknown>): Effect.Effect<void> =>
  Scope.addFinalizerExit(scope, (exit) => behind(exit, () => finalizer))

/** As `Effect.acquireRelease`. */
export const acquireRelease = <A, E, R, R2>(
  acquire: Effect.Effect<A, E, R>,
  release: (resource: A, exit: Exit.Exit<unknown, unknown>) => Effect.Effect<unknown, never, R2>
): Effect.Effect<A, E, R | R2 | Scope.Scope> =>
  Effect.acquireRelease(acquire, (resource, exit) => behind(exit, () => release(resource, exit)))

/** As `Effect.acquireUseRelease`. */
export const acquireUseRelease = <Resource, E, R, A, E2, R2, R3>(
  acquire: Effect.Effect<Resource, E, R>,
  use: (resource: Resource) => Effect.Effect<A, E2, R2>,
  release: (resource: Resource, exit: Exit.Exit<A, E2>) => Effect.Effect<unknown, never, R3>
): Effect.Effect<A, E | E2, R | R2 | R3> =>
  Effect.acquireUseRelease(acquire, use, (resource, exit) => behind(exit, () => release(resource, exit)))

/** Subscribes until the scope ends; `subscribe` returns the function that unsubscribes. */
export const subscription = (subscribe: () => () => void): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(acquireRelease(Effect.sync(subscribe), (stop) => Effect.sync(stop)))
