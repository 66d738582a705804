import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { ChainState } from "../../engine/api/chain-state.ts"
import { displayHash } from "../../hex.ts"
import { CallPlace } from "../method/call-place.ts"
import { integer, optionalWith } from "../method/parameter.ts"
import { Hex, described } from "../method/result-schema.ts"
import { type RpcError, rpcError, RpcErrorCode } from "../rpc-error.ts"
import type { RpcNode } from "../rpc-node.ts"

export const Tip = Schema.Struct({
  hash: described(Hex, "The hash of the tip"),
  height: described(Schema.Number, "The height of the tip")
})

/** How long to wait. */
export const timeout = optionalWith(integer({ description: "Milliseconds to wait at most; 0: as long as it takes" }), 0)

const CROWDED = rpcError(
  RpcErrorCode.misc,
  "Too many calls wait for blocks at the moment, or this one is too long to wait: ask again later"
)

/**
 * The chain as soon as it is as wanted; none when the time is up (0: there is no limit), the node stops or the client
 * goes before that. A call that waits takes no place from those that work.
 */
export const whenChain = (
  { chain, shutdown }: RpcNode,
  isWanted: (state: ChainState) => boolean,
  milliseconds: number
): Effect.Effect<ChainState | undefined, RpcError> => {
  const now = chain.state()
  if (isWanted(now)) return Effect.succeed(now)
  const wanted = Effect.map(Stream.runHead(Stream.filter(chain.states, isWanted)), Option.getOrUndefined)
  const waiting = Effect.raceFirst(wanted, Effect.as(shutdown.requested, undefined))
  const bounded = milliseconds === 0
    ? waiting
    : Effect.map(Effect.timeoutOption(waiting, milliseconds), Option.getOrUndefined)
  return Effect.flatMap(CallPlace, ({ stepAside, stepBack }) => {
    if (!stepAside()) return Effect.fail(CROWDED)
    // A call runs to its end even when its client has gone: only here it can be interrupted.
    return Effect.map(Effect.exit(Effect.interruptible(bounded)), (exit) => {
      stepBack()
      return Exit.isSuccess(exit) ? exit.value : undefined
    })
  })
}

/** The tip once the chain is as wanted, or as it is when the time is up. */
export const tipWhen = Effect.fnUntraced(function*(
  node: RpcNode,
  isWanted: (state: ChainState) => boolean,
  milliseconds: number
): Effect.fn.Return<typeof Tip.Type, RpcError> {
  if (milliseconds < 0) return yield* Effect.fail(rpcError(RpcErrorCode.misc, "Negative timeout"))
  const { hash, height } = (yield* whenChain(node, isWanted, milliseconds)) ?? node.chain.state()
  return { hash: displayHash(hash), height }
})
