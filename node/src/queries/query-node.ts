import type { Crypto } from "@lockstep/kernel/crypto"
import type { Network } from "@lockstep/protocol/networks/network.ts"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { DeprecatedAnswer } from "../config/deprecated-answers.ts"
import type { ChainState } from "../engine/api/chain-state.ts"
import type { EngineCallName, EngineCalls } from "../engine/api/engine-calls.ts"
import type { NetworkService } from "../p2p/layer/network.ts"
import type { BlockReader } from "../storage/block-files/block-reader.ts"
import type { ActiveCalls } from "./active-calls.ts"
import type { RpcError } from "./rpc-error.ts"

/** The chain as queries see it: what the engine refuses or fails at is an answer for the client already. */
export interface QueryChain {
  readonly call: <N extends EngineCallName>(
    name: N,
    params: EngineCalls[N]["in"]
  ) => Effect.Effect<EngineCalls[N]["out"], RpcError>
  /** As it is after the last answer of `call`. No query runs before the engine has started. */
  readonly state: () => ChainState
  /** Every new state from now on, the present one first. */
  readonly states: Stream.Stream<ChainState>
}

/** All that a query may use. */
export interface QueryNode {
  readonly network: Network
  readonly crypto: Crypto
  readonly chain: QueryChain
  readonly blocks: BlockReader
  readonly activeCalls: ActiveCalls
  /** The peers; none: the node makes no connections, or not yet. */
  readonly peers: () => NetworkService | undefined
  /** Deprecated answers that callers still get. */
  readonly deprecated: ReadonlySet<DeprecatedAnswer>
  /** Whether and how block files are thinned out. */
  readonly pruning: "off" | "manual" | "automatic" | { readonly targetBytes: number }
}

/** The node for those that ask it; a text says what it is busy with while it starts. */
export class QueriedNode extends Context.Service<QueriedNode, {
  readonly node: () => QueryNode | string
}>()("@node/queries/QueriedNode") {}
