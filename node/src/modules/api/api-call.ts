import type { Crypto } from "@lockstep/kernel/crypto"
import type { IpcError } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { EngineCallName, EngineCalls } from "../../engine/api/engine-calls.ts"
import type { ChainState } from "../../engine/api/chain-state.ts"
import type { EngineError } from "../../engine/api/engine-error.ts"
import { type Chain, EngineFailure } from "../../engine-client/chain.ts"
import type { BlockReader } from "../../storage/block-files/block-reader.ts"

/** The parts of the node that answer a module's requests about the chain and the mempool. */
export interface ModuleApi {
  readonly chain: Pick<Chain["Service"], "call" | "state" | "states" | "subscribe">
  readonly blocks: BlockReader
  readonly crypto: Crypto
}

/** Makes an error of its own for a failed request, from its text. */
export const requestFailed = (text: string): IpcError => ({ kind: undefined, text })

/** Advice to a module for some errors of the engine. Other errors are named by their tag. */
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

/** Calls the engine and translates its errors to text for a module. */
export const engineCall = <N extends EngineCallName>(
  { chain }: ModuleApi,
  name: N,
  input: EngineCalls[N]["in"]
): Effect.Effect<EngineCalls[N]["out"], IpcError> =>
  Effect.mapError(
    chain.call(name, input) as Effect.Effect<EngineCalls[N]["out"], EngineError | EngineFailure>,
    reasonOf
  )

/**
 * Returns the newest state of the chain; fails until the engine has started. The state is read at the call, not when an
 * effect runs.
 */
export const openChainState = ({ chain }: ModuleApi): Exit.Exit<ChainState, IpcError> => {
  const state = chain.state()
  return state === undefined ? Exit.fail(requestFailed("the node is still starting")) : Exit.succeed(state)
}
