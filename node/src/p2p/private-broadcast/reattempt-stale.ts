import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"
import { rejectionText } from "@lockstep/protocol/rejection/rejection.ts"
import { ensuring } from "../../finalizers/finalizers.ts"
import type { PrivateHappening } from "../../runtime/private-happening.ts"
import type { TransactionOutcome } from "../chain/p2p-chain.ts"
import { schedulerClock } from "../basics/environment.ts"
import type { P2pContext } from "../peer/p2p-context.ts"
import type { PrivateDemand } from "./private-demand.ts"
import { PRIVATE_BROADCAST_LIMITS } from "./private-broadcast-limits.ts"
import type { PrivateQueue, PrivateTransaction } from "./private-queue.ts"

export interface ReattemptOptions {
  readonly context: Pick<P2pContext, "chain" | "environment">
  readonly queue: PrivateQueue
  readonly demand: PrivateDemand
  readonly say: (what: PrivateHappening) => void
}

const whyNot = (outcome: Exclude<TransactionOutcome, { readonly _tag: "Accepted" }>): string =>
  outcome._tag === "Rejected" ? rejectionText(outcome.rejection) : "txn-already-in-mempool"

/**
 * Sends stale transactions again if they are still valid, and drops the others (Core: `ReattemptPrivateBroadcast`). It
 * runs every two or three minutes, one run at a time. The returned function is called with each tick.
 */
export const makeReattempts = Effect.fnUntraced(function*(
  { context: { chain, environment }, demand, queue, say }: ReattemptOptions
): Effect.fn.Return<() => void, never, Scope.Scope> {
  const fork = yield* FiberSet.makeRuntime()
  const clock = schedulerClock(environment)
  const { sweep, sweepSpread } = PRIVATE_BROADCAST_LIMITS
  const nextAfter = (at: number): number => at + sweep.most + environment.random.below(sweepSpread.most)
  let next = nextAfter(clock())
  let isRunning = false

  const reattempt = ({ transaction, txid, wtxid }: PrivateTransaction): Effect.Effect<void> =>
    Effect.map(chain.testTransaction(transaction.bytes), (outcome) => {
      // The engine accepts no transaction at present.
      if (outcome === undefined) return
      if (outcome._tag === "Accepted") {
        say({ _tag: "Reattempted", txid, wtxid })
        return demand.add(1)
      }
      say({ _tag: "GivenUp", txid, wtxid, why: whyNot(outcome) })
      queue.remove(wtxid)
    })

  const run = Effect.suspend(() => Effect.forEach(queue.stale(environment.now()), reattempt, { discard: true }))

  return () => {
    if (isRunning || clock() < next) return
    isRunning = true
    fork(ensuring(
      run,
      Effect.sync(() => {
        isRunning = false
        next = nextAfter(clock())
      })
    ))
  }
})
