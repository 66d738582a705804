import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { onExit } from "../finalizers/finalizers.ts"
import type { StorageError } from "../storage/storage-error.ts"
import type { EngineCallName, EngineCalls, EngineRefusal } from "./api/engine-calls.ts"
import { handlersOf } from "./api/handlers.ts"
import type { Handlers } from "./api/handler.ts"
import { refuseWhenFull } from "./calls/refuse-when-full.ts"
import type { ChainEngine, EngineParts } from "./chain-engine.ts"
import type { ChainHook } from "./notify/chain-hook.ts"
import type { ConnectError } from "./validation/connect.ts"
import { openChain, resume } from "./start.ts"
import { makeWriter, type Writer } from "./chainstate/writer.ts"

/** What another part adds to the engine: it follows the chain, answers calls, works in the background. */
export interface EngineExtension {
  readonly hook?: ChainHook
  readonly handlers?: Partial<Handlers>
  /** Done before the engine takes calls. */
  readonly first?: Effect.Effect<void, StorageError>
  /** Started when the engine runs, stopped with it. */
  readonly background?: Effect.Effect<void>
}

/** Makes an extension of an engine whose chain is loaded and does not move yet. */
export type MakeExtension = (
  engine: ChainEngine,
  writer: Writer
) => Effect.Effect<EngineExtension, StorageError, Scope.Scope>

/** The engine at work. */
export interface RunningEngine {
  readonly call: <N extends EngineCallName>(
    name: N,
    input: EngineCalls[N]["in"]
  ) => Effect.Effect<EngineCalls[N]["out"], EngineRefusal>
  readonly chain: ChainEngine
  readonly writer: Writer
}

/** Starts the engine on open storage. Extensions are made, and installed, in the given order. */
export const startEngine = Effect.fnUntraced(function*(
  parts: EngineParts,
  extensions: ReadonlyArray<MakeExtension> = []
): Effect.fn.Return<RunningEngine, ConnectError, Scope.Scope> {
  const chain = yield* openChain(parts)
  const writer = makeWriter(chain)
  const added: Array<EngineExtension> = []
  for (const make of extensions) {
    const extension = yield* make(chain, writer)
    added.push(extension)
    if (extension.hook !== undefined) chain.hooks.push(extension.hook)
  }
  yield* resume(chain)
  for (const { first } of added) if (first !== undefined) yield* first
  const handlers: Handlers = Object.assign({}, handlersOf(chain, writer), ...added.map((each) => each.handlers))
  yield* Effect.forkScoped(writer.commitWhenIdle)
  for (const { background } of added) if (background !== undefined) yield* Effect.forkScoped(background)
  // An answer must not be ahead of the caller's replica of the header index.
  const tellTree = () => Effect.sync(chain.feed.flush)
  return { chain, writer, call: (name, input) => onExit(refuseWhenFull(chain, name, handlers[name](input)), tellTree) }
})
