import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { patience } from "../process/patience.ts"

/** How long callers here wait for the chain to move before they go away. */
const PATIENCE_MS = 30

/**
 * How long an answer may take by the clock, on however busy a machine; the fuzzer itself looks at the processor's time.
 */
const LIMIT_MS = patience(30_000)

/** The answer to a request; or why there is none: the caller has gone, as is right, or it takes too long. */
export type Answered<A> = { readonly answer: A } | "gone" | "slow"

/**
 * The answer to a request as the server makes it; where it may wait for the chain, its caller goes away after a while.
 */
export const answered = <A>(answer: Effect.Effect<A>, mayWait: boolean): Effect.Effect<Answered<A>> =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(Effect.uninterruptible(answer), { startImmediately: true })
    const leave = mayWait ? setTimeout(() => fiber.interruptUnsafe(), PATIENCE_MS) : undefined
    const found = yield* Effect.timeoutOption(Fiber.await(fiber), LIMIT_MS)
    clearTimeout(leave)
    if (Option.isNone(found)) return "slow"
    if (Exit.isSuccess(found.value)) return { answer: found.value.value }
    return mayWait && Exit.hasInterrupts(found.value) ? "gone" : yield* Effect.die(Cause.squash(found.value.cause))
  })
