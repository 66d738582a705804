import type { IpcError, ResponsePayload } from "@lockstep/protocol/module-ipc/index.ts"
import type { Manifest } from "@lockstep/protocol/module-manifest/index.ts"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ModuleApi } from "../api/api-call.ts"
import { requestFailed } from "../api/api-call.ts"
import { CHAIN_REQUESTS } from "../api/chain-requests.ts"
import { MEMPOOL_REQUESTS } from "../api/mempool-requests.ts"
import type { ModuleChannel } from "../events/module-channel.ts"
import type { ModuleEvents } from "../events/module-events.ts"
import type { ConnectionEnd } from "../ipc/connection.ts"
import type { HandledRequest } from "../ipc/request-answers.ts"
import type { ModuleSession } from "../ipc/session.ts"

/** What the node does for one process of a module. */
export interface ModuleService {
  readonly handle: (request: HandledRequest) => Effect.Effect<ResponsePayload, IpcError>
  /** Goes on while the module runs; fails where the connection ends. */
  readonly run: (session: ModuleSession) => Effect.Effect<never, ConnectionEnd>
}

/** Serves one module until the scope closes; `subscribed` is called with its channel at each of its subscriptions. */
export type ServeModule = (
  manifest: Manifest,
  subscribed: (channel: ModuleChannel) => Effect.Effect<void>
) => Effect.Effect<ModuleService, never, Scope.Scope>

const ANSWERS = { ...CHAIN_REQUESTS, ...MEMPOOL_REQUESTS }

/** Requests are answered from the chain and the mempool, and events come from the node's bus. */
export const serveFrom = (api: ModuleApi, events: ModuleEvents): ServeModule =>
  Effect.fnUntraced(function*({ name }, subscribed) {
    const channel = yield* events.open(name)
    const subscribe = (types: Parameters<ModuleChannel["subscribe"]>[0]) =>
      Effect.suspend(() => {
        channel.subscribe(types)
        return Effect.as(subscribed(channel), { _tag: "SubscribeAck" } as const)
      })
    return {
      handle: (request) => {
        if (request._tag === "SubscribeEvents") return subscribe(request.event_types)
        const answer = Object.hasOwn(ANSWERS, request._tag) ? ANSWERS[request._tag as keyof typeof ANSWERS] : undefined
        return answer === undefined
          ? Effect.fail(requestFailed(`${request._tag} is not in this build`))
          : answer(api, request as never)
      },
      run: ({ sendEvent }) => channel.deliver(sendEvent)
    }
  })
