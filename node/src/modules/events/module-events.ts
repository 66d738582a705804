import type { ModuleEventPayload, ModuleEventType } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { EventBus } from "../../events/event-bus.ts"
import { acquireRelease } from "../../finalizers/finalizers.ts"
import type { UnixSeconds } from "../../quantities.ts"
import { flushPace } from "./flush-pace.ts"
import { type ModuleChannel, moduleChannel, sharedEvent } from "./module-channel.ts"
import { isSent, wireEvent } from "./wire-event.ts"

/** Sends events of the node, and those that modules publish, to modules. Publishing never waits and never fails. */
export interface ModuleEvents {
  /** Opens the channel of a module until the scope closes. */
  readonly open: (module: string) => Effect.Effect<ModuleChannel, never, Scope.Scope>
  /** Offers an event to each module that has subscribed to its type. */
  readonly publish: (payload: ModuleEventPayload) => Effect.Effect<void>
  readonly channels: () => ReadonlyArray<ModuleChannel>
}

const warnOfDrop = (channel: ModuleChannel, type: ModuleEventType): Effect.Effect<void> =>
  Effect.logWarning("an event was dropped: the module is too slow").pipe(
    Effect.annotateLogs({
      category: "events",
      module: channel.module,
      event: type,
      dropped: channel.statistics().channelFull
    })
  )

/**
 * Opens the delivery of events to modules until the scope closes. An event of the node is converted to the wire once,
 * and only if a module has subscribed to it.
 */
export const openModuleEvents = (
  now: () => UnixSeconds
): Effect.Effect<ModuleEvents, never, EventBus | Scope.Scope> =>
  Effect.gen(function*() {
    const bus = yield* EventBus
    const channels = new Set<ModuleChannel>()
    const flushSoon = yield* flushPace

    const isWanted = (type: ModuleEventType): boolean => {
      for (const channel of channels) if (channel.wants(type)) return true
      return false
    }

    const publish = (payload: ModuleEventPayload): Effect.Effect<void> =>
      Effect.suspend(() => {
        const type = payload._tag
        const event = sharedEvent(payload)
        let slow: Array<ModuleChannel> | undefined
        for (const channel of channels) {
          if (channel.wants(type) && channel.offerShared(event)) (slow ??= []).push(channel)
        }
        return slow === undefined
          ? Effect.void
          : Effect.forEach(slow, (channel) => warnOfDrop(channel, type), { discard: true })
      })

    yield* bus.observe({
      isListening: (type) => isSent(type) && isWanted(type),
      run: (event) => {
        const payload = wireEvent(event, now())
        return payload === undefined ? Effect.void : publish(payload)
      }
    })
    return {
      open: (module) =>
        acquireRelease(
          Effect.sync(() => {
            const channel = moduleChannel(module, { flushSoon })
            channels.add(channel)
            return channel
          }),
          (channel) => Effect.sync(() => void channels.delete(channel))
        ),
      publish,
      channels: () => [...channels]
    }
  })
