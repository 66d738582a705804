import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ChainState } from "../engine/api/chain-state.ts"
import type { EngineCallName, EngineCalls } from "../engine/api/engine-calls.ts"
import type { EngineNotification } from "../engine/api/engine-notification.ts"
import { singleNotifications } from "../engine/api/single-notifications.ts"
import type { EngineError } from "../engine/api/engine-error.ts"
import type { CallMessage } from "../engine/api/engine-messages.ts"
import type { EngineOptions } from "../engine/options/engine-options.ts"
import { addFinalizer } from "../finalizers/finalizers.ts"
import { Chain, EngineFailure } from "./chain.ts"
import { type SpawnEngine, startEngineThread } from "./engine-thread.ts"

type Resume = (answer: Effect.Effect<unknown, EngineError | EngineFailure>) => void

/**
 * Starts the engine's thread and returns at once; `ready` waits until the engine accepts calls. Closing the scope
 * commits and ends it.
 */
export const startChain = Effect.fnUntraced(function*(
  options: EngineOptions,
  spawn?: SpawnEngine
): Effect.fn.Return<Chain["Service"], never, Scope.Scope> {
  const ready = yield* Deferred.make<void, EngineFailure>()
  const states = yield* PubSub.sliding<ChainState>({ capacity: 16, replay: 1 })
  const pending = new Map<number, Resume>()
  let latest: ChainState | undefined
  let nextId = 1
  let failure: EngineFailure | undefined
  let closing = false

  const listeners = new Set<(notification: EngineNotification) => void>()

  const deliver = (items: ReadonlyArray<EngineNotification>): void => {
    for (const item of items.flatMap(singleNotifications)) {
      if (item._tag === "State") {
        latest = item.state
        Effect.runSync(PubSub.publish(states, item.state))
      }
      for (const listener of listeners) listener(item)
    }
  }

  const thread = yield* startEngineThread({ options }, {
    ready: () => Deferred.doneUnsafe(ready, Effect.void),
    notified: deliver,
    answer: (message) => {
      const resume = pending.get(message.id)
      pending.delete(message.id)
      resume?.(message._tag === "Answer" ? Effect.succeed(message.value) : Effect.fail(message.error))
    },
    gone: (reason) => {
      const loss = new EngineFailure({ message: reason })
      // During the start, the start fails with this reason; later, the node has to stop.
      const wasStarted = !Deferred.doneUnsafe(ready, Effect.fail(loss))
      failure = wasStarted && closing ? new EngineFailure({ message: "the engine has stopped" }) : loss
      if (wasStarted && !closing) deliver([{ _tag: "Fatal", message: `the engine is gone: ${reason}` }])
      for (const resume of pending.values()) resume(Effect.fail(failure))
      pending.clear()
    }
  }, spawn)

  const call = <N extends EngineCallName>(name: N, input: EngineCalls[N]["in"]) =>
    Effect.callback<EngineCalls[N]["out"], EngineCalls[N]["fails"] | EngineFailure>((resume) => {
      if (failure !== undefined) return resume(Effect.fail(failure))
      // The caller requested its end.
      if (name === "close") closing = true
      const id = nextId++
      pending.set(id, resume as Resume)
      thread.send({ id, name, input } as CallMessage)
      return Effect.sync(() => void pending.delete(id))
    })

  yield* addFinalizer(() =>
    Effect.gen(function*() {
      // A stopping node has called it before and reports failures. Here the engine must end in any case.
      yield* Effect.ignore(call("close", undefined))
      yield* Effect.promise(() => thread.ended)
    })
  )

  return Chain.of({
    ready: Deferred.await(ready),
    call,
    state: () => latest,
    states: Stream.fromPubSub(states),
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    }
  })
})

/** Provides the chain of a data directory. */
export const chainLayer = (options: EngineOptions): Layer.Layer<Chain> => Layer.effect(Chain, startChain(options))
