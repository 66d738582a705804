import { bytesEqual } from "@lockstep/kernel/bytes"
import type { IpcError, ModuleEventPayload } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { BlockFacts } from "../../engine/api/chain-calls.ts"
import type { SendEvent } from "../events/module-channel.ts"
import type { ConnectionEnd } from "../ipc/connection.ts"
import { openChainState, engineCall, type ModuleApi, requestFailed } from "./api-call.ts"

/** Sends every step of the chain to one module. */
export interface ChainFollower {
  readonly isFollowing: () => boolean
  /** Follows from the block after `from`, or from the tip. Replaces whatever was followed before. */
  readonly follow: (from: Uint8Array | undefined) => Effect.Effect<void, IpcError>
}

/** Byte range of the parent's hash in a header. */
const PARENT = { from: 4, to: 36 } as const

const blockOf = Effect.fnUntraced(function*(api: ModuleApi, hash: Uint8Array): Effect.fn.Return<BlockFacts, IpcError> {
  const facts = yield* engineCall(api, "blockFacts", { hash })
  return facts ?? (yield* Effect.fail(requestFailed("the node knows no block of this hash")))
})

/** One step from a block towards the tip: the event and the block after it. Returns nothing at the tip. */
const stepFrom = Effect.fnUntraced(function*(api: ModuleApi, at: Uint8Array) {
  const { confirmations, hash, header, height, next } = yield* blockOf(api, at)
  if (confirmations < 0) {
    const event: ModuleEventPayload = { _tag: "BlockDisconnected", hash, height }
    return { event, at: header.slice(PARENT.from, PARENT.to) }
  }
  if (next === undefined) return undefined
  const event: ModuleEventPayload = { _tag: "NewBlock", block_hash: next, height: height + 1 }
  return { event, at: next }
})

const otherTip = ({ chain }: ModuleApi, at: Uint8Array): Effect.Effect<unknown> =>
  Stream.runHead(Stream.filter(chain.states, ({ hash }) => !bytesEqual(hash, at)))

/** Sends the steps from a block to the tip, and all that follow. A module that does not read delays only itself. */
const followed = Effect.fnUntraced(function*(api: ModuleApi, from: Uint8Array, send: SendEvent<ConnectionEnd>) {
  for (let at = from;;) {
    const step = yield* stepFrom(api, at)
    if (step === undefined) yield* otherTip(api, at)
    else {
      yield* send(step.event)
      at = step.at
    }
  }
})

/** Logs the failure of the engine. The end of the connection is reported elsewhere. */
const reportEnd = (end: IpcError | ConnectionEnd): Effect.Effect<void> =>
  "text" in end
    ? Effect.logWarning("a module no longer follows the chain").pipe(
      Effect.annotateLogs({ category: "modules", reason: end.text })
    )
    : Effect.void

/** A follower that follows nothing yet. */
export const chainFollower = (api: ModuleApi, scope: Scope.Scope, send: SendEvent<ConnectionEnd>): ChainFollower => {
  let following: Fiber.Fiber<unknown, unknown> | undefined
  return {
    isFollowing: () => following !== undefined,
    follow: Effect.fnUntraced(function*(from) {
      const start = from ?? (yield* openChainState(api)).hash
      yield* blockOf(api, start)
      if (following !== undefined) yield* Fiber.interrupt(following)
      // The hash is a view of a frame, so it is copied.
      following = yield* Effect.forkIn(Effect.catch(followed(api, start.slice(), send), reportEnd), scope)
    })
  }
}
