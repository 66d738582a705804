import type { Crypto } from "@lockstep/kernel/crypto/crypto.ts"
import type { Network } from "@lockstep/protocol/networks/network.ts"
import type * as Effect from "effect/Effect"
import type { ChainState } from "../engine/calls/chain-state.ts"
import type { EngineCallName, EngineCalls } from "../engine/calls/engine-calls.ts"
import type { Shutdown } from "../lifecycle/shutdown.ts"
import type { BlockReader } from "./block-reader.ts"
import type { Method } from "./method/method.ts"
import type { RpcError } from "./rpc-error.ts"

/** The chain as methods see it: what the engine refuses or fails at is an answer for the client already. */
export interface RpcChain {
  readonly call: <N extends EngineCallName>(
    name: N,
    params: EngineCalls[N]["in"]
  ) => Effect.Effect<EngineCalls[N]["out"], RpcError>
  /** As it is after the last answer of `call`. No method runs before the engine has started. */
  readonly state: () => ChainState
}

/** All that a method may use. */
export interface RpcNode {
  readonly network: Network
  readonly crypto: Crypto
  readonly chain: RpcChain
  readonly blocks: BlockReader
  readonly shutdown: Shutdown["Service"]
  readonly methods: ReadonlyMap<string, Method>
  /** Whether and how block files are thinned out. */
  readonly pruning: "off" | "manual" | "automatic" | { readonly targetBytes: number }
  /** Since the process started. */
  readonly uptimeSeconds: () => number
}
