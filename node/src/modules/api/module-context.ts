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

/** The node as modules reach it. */
export interface NodeSide extends ModuleApi {
  readonly network: Pick<Network, "name" | "parameters" | "addresses">
  /** The network layer; none: the node makes no connections, or not yet. */
  readonly peers: () => NetworkService | undefined
  readonly publish: EventBus["Service"]["publish"]
  readonly events: ModuleEvents
  /** What a module that subscribes to `ConfigLoaded` receives: it happened before any module ran. */
  readonly configLoaded: Extract<ModuleEventPayload, { readonly _tag: "ConfigLoaded" }>
  /** Whether a method of RPC is the node's own. */
  readonly isCoreMethod: (name: string) => boolean
  readonly now: () => UnixSeconds
}

/** What one module's requests are answered from. */
export interface ModuleContext extends NodeSide {
  readonly module: ModuleState
  /** All modules that are connected, by name, this one among them. */
  readonly modules: ReadonlyMap<string, ModuleState>
}

/** A request of one type. */
export type Payload<T extends HandledRequest["_tag"]> = Extract<RequestPayload, { readonly _tag: T }>

/** What answers a request of one type. */
export type Answer<T extends HandledRequest["_tag"]> = Effect.Effect<AnswerTo<T>, IpcError>

/** How requests of some types are answered. */
export type RequestHandlers<T extends HandledRequest["_tag"]> = {
  readonly [K in T]: (context: ModuleContext, request: Payload<K>) => Answer<K>
}
