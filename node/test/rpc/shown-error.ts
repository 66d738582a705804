import type { EngineError } from "../../src/engine/api/engine-error.ts"
import type { EngineFailure } from "../../src/engine-client/chain.ts"
import { engineCallError } from "../../src/queries/engine-errors.ts"
import { type RpcError, rpcErrorOf } from "../../src/rpc/rpc-error.ts"

/** What a client of RPC sees of an error of the engine. */
export const shownError = (error: EngineError | EngineFailure): RpcError => rpcErrorOf(engineCallError(error))
