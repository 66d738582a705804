import type { Milliseconds } from "../../quantities.ts"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { ChainState } from "../../engine/api/chain-state.ts"
import { displayHash } from "../../hex.ts"
import { CallPlace } from "../../http/call-place.ts"
import { integer, optionalWith } from "../definition/parameter.ts"
import { Hex, described } from "../../answers/result-schema.ts"
import { type CallError, callError } from "../../queries/call-error.ts"
import type { MethodNode } from "../definition/method-node.ts"

export const Tip = Schema.Struct({
  hash: described(Hex, "The hash of the tip"),
  height: described(Schema.Number, "The height of the tip")
})

/** Parameter for the maximum waiting time. */
export const timeout = optionalWith(integer({ description: "Milliseconds to wait at most; 0: as long as it takes" }), 0)

const CROWDED = callError(
  "Misc",
  "Too many calls wait for blocks at the moment, or this one is too long to wait: ask again later"
)

/** Result of a wait. `Over`: the node is stopping or the client has disconnected. */
export type Waited =
  | { readonly _tag: "Wanted"; readonly state: ChainState }
  | { readonly _tag: "TimeUp" }
  | { readonly _tag: "Over" }

const TIME_UP: Waited = { _tag: "TimeUp" }
const OVER: Waited = { _tag: "Over" }
const wanted = (state: ChainState): Waited => ({ _tag: "Wanted", state })

/**
 * Waits until `isWanted` accepts the state of the chain, at most for `milliseconds` (0: without limit). A waiting call
 * releases its slot in the work queue.
 */
export const waitForChain = (
  { chain, shutdown }: Pick<MethodNode, "chain" | "shutdown">,
  isWanted: (state: ChainState) => boolean,
  milliseconds: Milliseconds
): Effect.Effect<Waited, CallError> => {
  const now = chain.state()
  if (isWanted(now)) return Effect.succeed(wanted(now))
  const found = Effect.map(
    Stream.runHead(Stream.filter(chain.states, isWanted)),
    (state) => Option.isSome(state) ? wanted(state.value) : OVER
  )
  const waiting = Effect.raceFirst(found, Effect.as(shutdown.requested, OVER))
  const bounded = milliseconds === 0
    ? waiting
    : Effect.map(Effect.timeoutOption(waiting, milliseconds), Option.getOrElse(() => TIME_UP))
  return Effect.flatMap(CallPlace, ({ stepAside, stepBack }) => {
    if (!stepAside()) return Effect.fail(CROWDED)
    // A call runs to its end even if its client has disconnected: it can be interrupted only here.
    return Effect.map(Effect.exit(Effect.interruptible(bounded)), (exit) => {
      stepBack()
      return Exit.isSuccess(exit) ? exit.value : OVER
    })
  })
}

/** Returns the tip once `isWanted` accepts it, or the tip when the time is up. */
export const tipWhen = Effect.fnUntraced(function*(
  node: MethodNode,
  isWanted: (state: ChainState) => boolean,
  milliseconds: Milliseconds
): Effect.fn.Return<typeof Tip.Type, CallError> {
  if (milliseconds < 0) return yield* Effect.fail(callError("Misc", "Negative timeout"))
  const waited = yield* waitForChain(node, isWanted, milliseconds)
  const { hash, height } = waited._tag === "Wanted" ? waited.state : node.chain.state()
  return { hash: displayHash(hash), height }
})
