import type { IpcError, ResponsePayload } from "@lockstep/protocol/module-ipc/index.ts"
import type * as Effect from "effect/Effect"
import type { HandledRequest } from "../ipc/request-answers.ts"
import { CHAIN_REQUESTS } from "./chain-requests.ts"
import { EVENT_REQUESTS } from "./event-requests.ts"
import { FILE_REQUESTS } from "./file-requests.ts"
import { MEMPOOL_REQUESTS } from "./mempool-requests.ts"
import { METRIC_REQUESTS } from "./metric-requests.ts"
import { MINING_REQUESTS } from "./mining-requests.ts"
import type { RequestHandlers, ModuleContext } from "./module-context.ts"
import { MODULE_REQUESTS } from "./module-requests.ts"
import { NETWORK_REQUESTS } from "./network-requests.ts"
import { RPC_REQUESTS } from "./rpc-requests.ts"
import { SERVE_POLICY_REQUESTS } from "./serve-policy-requests.ts"
import { SOCKET_REQUESTS } from "./socket-requests.ts"
import { STORAGE_REQUESTS } from "./storage-requests.ts"
import { TIMER_REQUESTS } from "./timer-requests.ts"
import { TRANSACTION_REQUESTS } from "./transaction-requests.ts"
import { UNSERVED_REQUESTS } from "./unserved-requests.ts"

/** The handler of each request type; the compiler checks that the table is complete. */
const HANDLERS: RequestHandlers<HandledRequest["_tag"]> = {
  ...CHAIN_REQUESTS,
  ...MEMPOOL_REQUESTS,
  ...TRANSACTION_REQUESTS,
  ...NETWORK_REQUESTS,
  ...SERVE_POLICY_REQUESTS,
  ...MINING_REQUESTS,
  ...EVENT_REQUESTS,
  ...STORAGE_REQUESTS,
  ...FILE_REQUESTS,
  ...TIMER_REQUESTS,
  ...METRIC_REQUESTS,
  ...MODULE_REQUESTS,
  ...RPC_REQUESTS,
  ...SOCKET_REQUESTS,
  ...UNSERVED_REQUESTS
}

/** Handles a request of a module whose permission was checked. */
export const answerModuleRequest = (
  context: ModuleContext,
  request: HandledRequest
): Effect.Effect<ResponsePayload, IpcError> => {
  // The handler fits the request's tag, which the compiler cannot see across the table.
  const handler = HANDLERS[request._tag] as (
    context: ModuleContext,
    request: HandledRequest
  ) => Effect.Effect<ResponsePayload, IpcError>
  return handler(context, request)
}
