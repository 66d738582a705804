import type { Crypto } from "@lockstep/kernel/crypto"
import type { IpcError } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { EngineCallName, EngineCalls } from "../../engine/api/engine-calls.ts"
import type { ChainState } from "../../engine/api/chain-state.ts"
import type { EngineError } from "../../engine/api/engine-error.ts"
import { type Chain, EngineFailure } from "../../engine-client/chain.ts"
import type { BlockReader } from "../../storage/block-files/block-reader.ts"

/** What requests of modules about the chain and the mempool are answered from. */
export interface ModuleApi {
  readonly chain: Pick<Chain["Service"], "call" | "state" | "states" | "subscribe">
  readonly blocks: BlockReader
  readonly crypto: Crypto
}

/** A request failed for a reason of its own, in words. */
export const requestFailed = (text: string): IpcError => ({ kind: undefined, text })

/** What a module can do about the engine's reasons; others are named by their tag. */
const REASONS: Readonly<Partial<Record<EngineError["_tag"], string>>> = {
  Closing: "the node is stopping",
  DiskFull: "the disk of the node is full",
  LowSpace: "the disk of the node is almost full",
  IndexNotEnabled: "the node has no index of transactions",
  FeeEstimationDisabled: "the node does not estimate fees",
  Undecodable: "these bytes are no block or transaction"
}

const reasonOf = (error: EngineError | EngineFailure): IpcError =>
  requestFailed(error instanceof EngineFailure ? error.message : REASONS[error._tag] ?? `the engine says ${error._tag}`)

/** A call to the engine, with its errors in words for a module. */
export const engineCall = <N extends EngineCallName>(
  { chain }: ModuleApi,
  name: N,
  input: EngineCalls[N]["in"]
): Effect.Effect<EngineCalls[N]["out"], IpcError> =>
  Effect.mapError(
    chain.call(name, input) as Effect.Effect<EngineCalls[N]["out"], EngineError | EngineFailure>,
    reasonOf
  )

/** The newest state of the chain; fails until the engine has started. It is read at once, not when the effect runs. */
export const openChainState = ({ chain }: ModuleApi): Exit.Exit<ChainState, IpcError> => {
  const state = chain.state()
  return state === undefined ? Exit.fail(requestFailed("the node is still starting")) : Exit.succeed(state)
}
