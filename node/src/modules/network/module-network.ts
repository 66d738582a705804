import type { IpcError, ModuleEventPayload } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import type { AddressInfo, Server } from "node:net"
import { addFinalizerTo } from "../../finalizers/finalizers.ts"
import type { Milliseconds } from "../../quantities.ts"
import { requestFailed } from "../api/api-call.ts"
import type { SendEvent } from "../events/module-channel.ts"
import type { ConnectionEnd } from "../ipc/connection.ts"
import { dial } from "./dial.ts"
import { moduleConnections } from "./module-connections.ts"
import { connectTarget, listenTarget, type NetworkRules } from "./network-rules.ts"
import { hostAndPortText, socketServer } from "./socket-options.ts"

/** Maximum number of listeners of one module. */
export const MAX_LISTENERS = 8

/** Maximum time that a connection lasts after the module has closed it. */
const CLOSING_MS: Milliseconds = 30_000

/** An id and its address. */
interface Opened {
  readonly id: number
  readonly address: string
}

/** Sockets that the node holds for one module; they end with it. */
export interface ModuleNetwork {
  readonly listen: (address: string) => Effect.Effect<Opened, IpcError>
  readonly closeListener: (id: number) => Effect.Effect<void, IpcError>
  readonly connect: (address: string) => Effect.Effect<Opened, IpcError>
  readonly send: (id: number, data: Uint8Array) => Effect.Effect<boolean, IpcError>
  readonly grant: (id: number, bytes: number) => Effect.Effect<void, IpcError>
  readonly close: (id: number, isNow: boolean) => Effect.Effect<void, IpcError>
}

const exhausted = (text: string): Effect.Effect<never, IpcError> => Effect.fail({ kind: "ResourceExhausted", text })

const listening = (server: Server, host: string, port: number): Effect.Effect<AddressInfo, IpcError> =>
  Effect.callback((resume) => {
    server.on("error", ({ message }) => resume(Effect.fail(requestFailed(message))))
    server.listen({ host, port }, () => resume(Effect.succeed(server.address() as AddressInfo)))
  })

/** Opens the network of one module. Its events are sent to the module in order and never dropped. */
export const moduleNetwork = Effect.fnUntraced(function*(
  scope: Scope.Scope,
  rules: NetworkRules,
  send: SendEvent<ConnectionEnd>
): Effect.fn.Return<ModuleNetwork> {
  // Bounded by the windows of the connections.
  const events = yield* Queue.unbounded<ModuleEventPayload>()
  const emit = (event: ModuleEventPayload): void => void Queue.offerUnsafe(events, event)
  // The end of the module's connection ends this as well; the session reports it.
  yield* Effect.forkIn(Effect.ignore(Effect.forever(Effect.flatMap(Queue.take(events), send))), scope)
  const connections = moduleConnections(emit)
  const listeners = new Map<number, Server>()
  let lastListener = 0

  const openListener = (id: number): Server =>
    socketServer((socket) => {
      if (!connections.hasRoom()) return void socket.destroy()
      const address = hostAndPortText(socket.remoteAddress, socket.remotePort)
      const connection_id = connections.add(socket)
      emit({ _tag: "NetworkAccepted", listener_id: id, connection_id, address })
    })

  yield* addFinalizerTo(
    scope,
    Effect.sync(() => {
      for (const server of listeners.values()) server.close()
      connections.destroyAll()
    })
  )

  return {
    listen: Effect.fnUntraced(function*(text) {
      const { host, port } = yield* Effect.fromResult(listenTarget(rules, text))
      if (listeners.size >= MAX_LISTENERS) return yield* exhausted(`a module has up to ${MAX_LISTENERS} listeners`)
      const id = ++lastListener
      const server = openListener(id)
      // Added before it listens, so that it is always closed with the module.
      listeners.set(id, server)
      const bound = yield* Effect.tapError(
        listening(server, host, port),
        () => Effect.sync(() => listeners.delete(id))
      )
      return { id, address: hostAndPortText(bound.address, bound.port) }
    }),

    closeListener: (id) =>
      Effect.suspend(() => {
        const server = listeners.get(id)
        if (server === undefined) return Effect.fail(requestFailed(`there is no listener ${id}`))
        listeners.delete(id)
        server.close()
        return Effect.void
      }),

    connect: Effect.fnUntraced(function*(text) {
      const { addressFault, target } = yield* Effect.fromResult(connectTarget(rules, text))
      if (!connections.hasRoom()) return yield* exhausted("the module has too many connections: close one first")
      const socket = yield* dial(target, addressFault)
      const id = connections.add(socket)
      return { id, address: hostAndPortText(socket.remoteAddress, socket.remotePort) }
    }),

    send: (id, data) =>
      Effect.suspend(() => {
        const sent = connections.send(id, data)
        return "text" in sent ? Effect.fail(sent) : Effect.succeed(sent.isFull)
      }),

    grant: (id, bytes) =>
      Effect.suspend(() => {
        const fault = connections.grant(id, bytes)
        return fault === undefined ? Effect.void : Effect.fail(fault)
      }),

    close: (id, isNow) =>
      Effect.suspend(() => {
        const socket = connections.finish(id)
        if ("text" in socket) return Effect.fail(socket)
        if (isNow) socket.destroy()
        if (socket.destroyed) return Effect.void
        const closed = Effect.callback<void>((resume) => void socket.once("close", () => resume(Effect.void)))
        const forced = Effect.timeoutOrElse(closed, {
          duration: CLOSING_MS,
          orElse: () => Effect.sync(() => void socket.destroy())
        })
        return Effect.asVoid(Effect.forkIn(forced, scope))
      })
  }
})
