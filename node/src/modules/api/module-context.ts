import type { AnswerTo, IpcError, ModuleEventPayload, RequestPayload } from "@lockstep/protocol/module-ipc/index.ts"
import type { Network } from "@lockstep/protocol/networks/network.ts"
import type * as Effect from "effect/Effect"
import type { EventBus } from "../../events/event-bus.ts"
import type { NetworkService } from "../../p2p/layer/network.ts"
import type { UnixSeconds } from "../../quantities.ts"
import type { ModuleEvents } from "../events/module-events.ts"
import type { HandledRequest } from "../ipc/request-answers.ts"
import type { ModuleApi } from "./api-call.ts"
import type { ModuleState } from "./module-state.ts"

/** The parts of the node that modules reach. */
export interface NodeSide extends ModuleApi {
  readonly network: Pick<Network, "name" | "parameters" | "addresses">
  /** Returns the network layer, or `undefined` if the node makes no connections or has not started to. */
  readonly peers: () => NetworkService | undefined
  readonly publish: EventBus["Service"]["publish"]
  readonly events: ModuleEvents
  /** The event sent to a module that subscribes to `ConfigLoaded`, since it happened before any module ran. */
  readonly configLoaded: Extract<ModuleEventPayload, { readonly _tag: "ConfigLoaded" }>
  /** Reports whether an RPC method is one of the node's own. */
  readonly isCoreMethod: (name: string) => boolean
  readonly now: () => UnixSeconds
}

/** Context in which one module's requests are handled. */
export interface ModuleContext extends NodeSide {
  readonly module: ModuleState
  /** All connected modules by name, including this one. */
  readonly modules: ReadonlyMap<string, ModuleState>
}

/** A request of one type. */
export type Payload<T extends HandledRequest["_tag"]> = Extract<RequestPayload, { readonly _tag: T }>

/** Effect that handles a request of one type. */
export type Answer<T extends HandledRequest["_tag"]> = Effect.Effect<AnswerTo<T>, IpcError>

/** Handlers of requests of some types. */
export type RequestHandlers<T extends HandledRequest["_tag"]> = {
  readonly [K in T]: (context: ModuleContext, request: Payload<K>) => Answer<K>
}
