import * as Effect from "effect/Effect"
import type { NetworkService } from "../../p2p/layer/network.ts"
import { type RpcError, rpcError, RpcErrorCode } from "../../queries/rpc-error.ts"
import type { MethodNode } from "../definition/method-node.ts"

const DISABLED = rpcError(RpcErrorCode.networkDisabled, "Error: Peer-to-peer functionality missing or disabled")

/** The network layer, for methods that are about it. */
export const runningNetwork = ({ peers }: MethodNode): Effect.Effect<NetworkService, RpcError> => {
  const network = peers()
  return network === undefined ? Effect.fail(DISABLED) : Effect.succeed(network)
}

/** A method's answer made from the network layer. */
export const fromNetwork = <A>(node: MethodNode, answer: (network: NetworkService) => A): Effect.Effect<A, RpcError> =>
  Effect.map(runningNetwork(node), answer)
