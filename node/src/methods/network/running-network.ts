import * as Effect from "effect/Effect"
import type { NetworkService } from "../../p2p/layer/network.ts"
import { type CallError, callError } from "../../queries/call-error.ts"
import type { MethodNode } from "../definition/method-node.ts"

const DISABLED = callError("NetworkDisabled", "Error: Peer-to-peer functionality missing or disabled")

/** Returns the network layer. Fails if it is off. */
export const runningNetwork = ({ peers }: MethodNode): Effect.Effect<NetworkService, CallError> => {
  const network = peers()
  return network === undefined ? Effect.fail(DISABLED) : Effect.succeed(network)
}

/** Returns the answer that a method makes from the network layer. */
export const fromNetwork = <A>(node: MethodNode, answer: (network: NetworkService) => A): Effect.Effect<A, CallError> =>
  Effect.map(runningNetwork(node), answer)
