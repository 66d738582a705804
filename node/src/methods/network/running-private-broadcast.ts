import * as Effect from "effect/Effect"
import type { PrivateBroadcast } from "../../p2p/private-broadcast/private-broadcast.ts"
import { type CallError, callError } from "../../queries/call-error.ts"
import type { MethodNode } from "../definition/method-node.ts"
import { runningNetwork } from "./running-network.ts"

const DISABLED = callError(
  "MethodNotFound",
  "Private broadcast is not enabled. Ensure you're running Bitcoin Core with -privatebroadcast=1."
)

/** Returns the private broadcast. Fails if it is off. */
export const runningPrivateBroadcast = (node: MethodNode): Effect.Effect<PrivateBroadcast, CallError> => {
  if (!node.broadcastsPrivately) return Effect.fail(DISABLED)
  return Effect.flatMap(
    runningNetwork(node),
    ({ privateBroadcast }) => privateBroadcast === undefined ? Effect.fail(DISABLED) : Effect.succeed(privateBroadcast)
  )
}
