import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { StorageError } from "../../storage/storage-error.ts"
import type { AnsweredTwice, CallsOf, NoneTwice } from "../api/compose-handlers.ts"
import type { EngineCallName, OwnCall } from "../api/engine-calls.ts"
import type { Handler, Handlers } from "../api/handler.ts"
import type { Background } from "./background.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import type { Writer } from "./writer.ts"
import type { TxMempool } from "../txmempool/contract.ts"
import type { ChainHook } from "../state/chain-hook.ts"

/** A part added to the engine, which follows the chain and works in the background. */
export interface EngineExtension {
  readonly hooks?: ReadonlyArray<ChainHook>
  /** Serves coin statistics from an index if the request allows that. */
  readonly indexedStatistics?: Handler<"setStatistics"> | undefined
  /** The mempool, which block templates are built from. */
  readonly mempool?: TxMempool
  /** Runs before the engine accepts calls. */
  readonly first?: Effect.Effect<void, StorageError>
  /** Starts when the engine runs and is interrupted with it. */
  readonly background?: Effect.Effect<void>
  readonly handlers?: undefined
}

/** An extension that also handles calls. */
export interface AnsweringExtension<N extends EngineCallName> extends Omit<EngineExtension, "handlers"> {
  readonly handlers: Handlers<N>
}

/** Makes an extension that handles these calls. The chain of the given engine is loaded and does not move yet. */
export type MakeExtension<N extends EngineCallName = never> = (
  engine: ChainEngine,
  writer: Writer,
  background: Background
) => Effect.Effect<[N] extends [never] ? EngineExtension : AnsweringExtension<N>, StorageError, Scope.Scope>

/** Makes an extension that handles any calls, or none. */
export type MakeAnyExtension = (
  engine: ChainEngine,
  writer: Writer,
  background: Background
) => Effect.Effect<EngineExtension | AnsweringExtension<never>, StorageError, Scope.Scope>

type HandlersOf<M> = M extends (...parameters: never) => Effect.Effect<infer X, unknown, unknown>
  ? X extends { readonly handlers: infer H } ? H : object
  : never

type AllHandlers<E extends ReadonlyArray<MakeAnyExtension>> = { readonly [I in keyof E]: HandlersOf<E[I]> }

/** The calls that an engine with these extensions handles. */
export type CallsWith<E extends ReadonlyArray<MakeAnyExtension>> = OwnCall | CallsOf<HandlersOf<E[number]>>

/** Extensions that handle disjoint sets of calls, none of them the engine's own. */
export type Disjoint<E extends ReadonlyArray<MakeAnyExtension>> = E & NoneTwice<AnsweredTwice<AllHandlers<E>, OwnCall>>
