import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { onExit } from "../../finalizers/finalizers.ts"
import type { EngineCallName, EngineCalls, OwnCall } from "../api/engine-calls.ts"
import type { Handlers } from "../api/handler.ts"
import { ownHandlers } from "./own-handlers.ts"
import { endTasksFirst, superviseBackground } from "../chainstate/background.ts"
import { refuseWhenFull } from "./refuse-when-full.ts"
import type { ChainEngine, EngineParts } from "../state/chain-engine.ts"
import { untilCommitted } from "../chainstate/tip-ahead.ts"
import { makeWriter, type Writer } from "../chainstate/writer.ts"
import type {
  AnsweringExtension,
  CallsWith,
  Disjoint,
  EngineExtension,
  MakeAnyExtension
} from "../chainstate/extension.ts"
import { makeMining } from "../mining/mining.ts"
import { openChain, resume } from "./start.ts"
import { snapshots } from "../snapshot/snapshot-handlers.ts"
import type { ConnectError } from "../chainstate/connect-error.ts"
import { replay } from "../intake/replay.ts"

/** A running engine, with the calls that it handles. */
export interface RunningEngine<N extends EngineCallName = OwnCall> {
  readonly call: <K extends N>(
    name: K,
    input: EngineCalls[K]["in"]
  ) => Effect.Effect<EngineCalls[K]["out"], EngineCalls[K]["fails"]>
  /** The handlers behind `call`. Only they make the calls of an engine part of its type: generic `call`s all fit. */
  readonly handlers: Handlers<N>
  readonly chain: ChainEngine
  readonly writer: Writer
}

type AnyExtension = EngineExtension | AnsweringExtension<never>

/** Starts the engine on open storage. Extensions are made and installed in the given order. */
export const startEngine = Effect.fnUntraced(function*<const E extends ReadonlyArray<MakeAnyExtension>>(
  parts: EngineParts,
  extensions: Disjoint<E>
): Effect.fn.Return<RunningEngine<CallsWith<E>>, ConnectError, Scope.Scope> {
  const chain = yield* openChain(parts)
  const writer = makeWriter(chain)
  const background = yield* superviseBackground(chain)
  const added: Array<AnyExtension> = []
  for (const make of extensions as E) {
    const extension = yield* make(chain, writer, background)
    added.push(extension)
    chain.hooks.push(...extension.hooks ?? [])
  }
  const mempool = added.find((each) => each.mempool !== undefined)?.mempool
  const mining = makeMining(chain, writer, mempool)
  chain.hooks.push(mining.hook)
  yield* resume(chain)
  for (const { first } of added) if (first !== undefined) yield* first
  const indexed = added.find(({ indexedStatistics }) => indexedStatistics !== undefined)?.indexedStatistics
  const loading = snapshots(chain, writer, background, mempool)
  const others = { mining: mining.handlers, indexed, mempool, snapshots: loading }
  const own = ownHandlers(chain, writer, background, others)
  const handlers = Object.assign({}, own, ...added.map((each) => each.handlers)) as Handlers<CallsWith<E>>
  yield* background.fork(writer.commitWhenIdle)
  yield* background.fork(replay(chain, writer))
  yield* background.fork(loading.background)
  for (const { background: work } of added) if (work !== undefined) yield* background.fork(work)
  yield* endTasksFirst(chain)
  // An answer must not be ahead of the caller's replica of the header index.
  const sendTree = () => Effect.sync(chain.feed.flush)
  return {
    chain,
    writer,
    handlers,
    call: (name, input) =>
      onExit(
        refuseWhenFull(chain, background.scope, name, Effect.andThen(untilCommitted(chain), handlers[name](input))),
        sendTree
      )
  }
})
