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
import type { CallError } from "./call-error.ts"

/** The chain for queries. Errors of the engine arrive as errors for callers. */
export interface QueryChain {
  readonly call: <N extends EngineCallName>(
    name: N,
    params: EngineCalls[N]["in"]
  ) => Effect.Effect<EngineCalls[N]["out"], CallError>
  /** Returns the state after the last answer of `call`. No query runs before the engine has started. */
  readonly state: () => ChainState
  /** Every new state, beginning with the present one. */
  readonly states: Stream.Stream<ChainState>
}

/** Everything that a query may use. */
export interface QueryNode {
  readonly network: Network
  readonly crypto: Crypto
  readonly chain: QueryChain
  readonly blocks: BlockReader
  readonly activeCalls: ActiveCalls
  /** Returns the peers, or `undefined` if the network is off or not started yet. */
  readonly peers: () => NetworkService | undefined
  /** Deprecated answers that are switched on. */
  readonly deprecated: ReadonlySet<DeprecatedAnswer>
  /** Pruning of block files. */
  readonly pruning: "off" | "manual" | "automatic" | { readonly targetBytes: number }
}

/** The node for queries, or a text that says what it is busy with while it starts. */
export class QueriedNode extends Context.Service<QueriedNode, {
  readonly node: () => QueryNode | string
}>()("@node/queries/QueriedNode") {}
