import type { EngineOptions } from "../options/engine-options.ts"
import type { EngineCallName, EngineCalls } from "./engine-calls.ts"
import type { EngineNotification } from "./engine-notification.ts"
import type { EngineError } from "./engine-error.ts"

/** What the engine's thread is started with: the first message it gets. */
export interface EngineStart {
  readonly options: EngineOptions
}

/** A call on its way to the engine; its answer carries the same number. */
export type CallMessage = {
  readonly [N in EngineCallName]: { readonly id: number; readonly name: N; readonly input: EngineCalls[N]["in"] }
}[EngineCallName]

/** What the engine's thread sends. */
export type EngineMessage =
  | { readonly _tag: "Ready" }
  /** The engine could not start; the thread ends. */
  | { readonly _tag: "Refused"; readonly message: string }
  /** In the order in which it happened; before the answer to whatever caused it. */
  | { readonly _tag: "Notifications"; readonly notifications: ReadonlyArray<EngineNotification> }
  | { readonly _tag: "Answer"; readonly id: number; readonly value: unknown }
  | { readonly _tag: "Failure"; readonly id: number; readonly error: EngineError }
  /** Messages in this order. */
  | { readonly _tag: "Batch"; readonly messages: ReadonlyArray<EngineMessage> }
