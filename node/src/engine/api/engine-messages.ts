import type { EngineOptions } from "../options/engine-options.ts"
import type { EngineCallName, EngineCalls } from "./engine-calls.ts"
import type { EngineNotification } from "./engine-notification.ts"
import type { EngineError } from "./engine-error.ts"

/** Start parameters of the engine's thread: the first message that it receives. */
export interface EngineStart {
  readonly options: EngineOptions
}

/** A call to the engine; its answer carries the same id. */
export type CallMessage = {
  readonly [N in EngineCallName]: { readonly id: number; readonly name: N; readonly input: EngineCalls[N]["in"] }
}[EngineCallName]

/** Messages that the engine's thread sends. */
export type EngineMessage =
  | { readonly _tag: "Ready" }
  /** The engine could not start; the thread ends. */
  | { readonly _tag: "Refused"; readonly message: string }
  /** Sent in the order of the events, before the answer to the call that caused them. */
  | { readonly _tag: "Notifications"; readonly notifications: ReadonlyArray<EngineNotification> }
  | { readonly _tag: "Answer"; readonly id: number; readonly value: unknown }
  | { readonly _tag: "Failure"; readonly id: number; readonly error: EngineError }
  /** Messages in this order. */
  | { readonly _tag: "Batch"; readonly messages: ReadonlyArray<EngineMessage> }
