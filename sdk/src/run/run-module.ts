import {
  MAX_NODE_MESSAGE_BYTES,
  type ModuleEventPayload,
  type ModuleMessage
} from "@lockstep/protocol/module-ipc/index.ts"
import type { Socket } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import { connectOnce, connectToNode, type Wire, wireOver } from "../client/connection.ts"
import { type EventQueue, eventQueue } from "../client/event-queue.ts"
import { type OpenClient, openClient } from "../client/node-client.ts"
import { openNetwork, type OpenNetwork } from "../network/module-network.ts"
import { announce } from "./announce.ts"
import { type ModuleEnvironment, moduleEnvironment } from "./environment.ts"
import { invocationResult } from "./invocations.ts"
import { keepConnected, type ReconnectClock } from "./keep-connected.ts"
import { migrate } from "./migrations.ts"
import type { ModuleContext } from "./module-context.ts"
import { type EventHandlers, type ModuleParts, unknownPart } from "./module-parts.ts"
import { type SettingDefaults, settingsOf } from "./settings.ts"

/** Time limit of the node's answers in milliseconds; longer than the node's own limit. */
const REQUEST_MS = 40_000

/** A module that completed the handshake and is subscribed. */
export interface RunningModule<D extends SettingDefaults = SettingDefaults> {
  readonly context: ModuleContext<D>
  /** Ends the connection and with it the module. */
  readonly stop: () => void
  /** Resolves with the reason when the connection has ended and `stopped` has run. */
  readonly over: Promise<string>
}

const eventsOf = <D extends SettingDefaults>(handlers: EventHandlers<D>, context: ModuleContext<D>): EventQueue =>
  eventQueue(
    (event) => {
      const handler = handlers[event._tag] as
        | ((event: ModuleEventPayload, context: ModuleContext<D>) => unknown)
        | undefined
      return handler?.(event, context)
    },
    (event, error) => context.node.log("Error", `the handler of ${event._tag} failed: ${String(error)}`)
  )

/** Receivers of the node's messages. */
interface Receivers {
  readonly take: (message: ModuleMessage) => void
}

const receivers = <D extends SettingDefaults>(
  parts: ModuleParts<D>,
  context: ModuleContext<D>,
  { settle }: OpenClient,
  wire: Wire,
  { events, network }: { readonly events: EventQueue; readonly network: OpenNetwork }
): Receivers => ({
  take: (message) => {
    if (message._tag === "Response") return settle(message)
    if (message._tag === "Event") return network.take(message.payload) ? undefined : events.offer(message.payload)
    if (message._tag === "Invocation") void invocationResult(parts, message, context).then(wire.send)
  }
})

/**
 * Starts a module: connects, performs the handshake, runs `setup`, and registers what the module offers. It runs over
 * this connection alone.
 */
export const startModule = async <const D extends SettingDefaults = Record<never, never>>(
  parts: ModuleParts<D>,
  { dataDirectory, moduleId, name, settings, socketPath }: ModuleEnvironment = moduleEnvironment(),
  connect: (path: string) => Promise<Socket> = connectToNode
): Promise<RunningModule<D>> => {
  const unknown = unknownPart(parts)
  if (unknown !== undefined) throw new Error(unknown)
  const values = settingsOf(settings, (parts.settings ?? {}) as D)
  const handlers = (typeof parts.events === "function" ? parts.events(values) : parts.events) ?? {}
  const socket = await connect(socketPath)
  let receiving: Receivers | undefined
  const wire = wireOver(socket, MAX_NODE_MESSAGE_BYTES, (message) => receiving?.take(message))
  const open = openClient({ wire, name, moduleId, limitMs: REQUEST_MS })
  const network = openNetwork(open.client)
  const context: ModuleContext<D> = {
    node: open.client,
    network: network.network,
    name,
    dataDirectory,
    settings: values
  }
  const events = eventsOf(handlers, context)
  receiving = receivers(parts, context, open, wire, { events, network })
  const over = wire.closed.then(async (reason) => {
    network.end()
    await events.idle()
    await parts.stopped?.(context)
    return reason
  })
  try {
    await open.client.ask("Handshake", { module_id: moduleId, module_name: name, version: parts.version })
    if (parts.migrations !== undefined) await migrate(parts.migrations, context)
    await parts.setup?.(context)
    await announce(open.client, name, parts, handlers)
    await parts.ready?.(context)
  } catch (error) {
    wire.end()
    await over
    throw error
  }
  return { context, stop: wire.end, over }
}

const CLOCK: ReconnectClock = {
  now: () => performance.now(),
  wait: (milliseconds, signal) => pause(milliseconds, undefined, { signal }).catch(() => undefined)
}

/**
 * Runs a module until its node stops it or a signal asks it to end. The program of a module calls this. After a lost
 * connection it reconnects, calling `stopped` for the old one and `setup` for the new one. A fault is printed to
 * standard error, which the node logs, and the exit code is 1.
 */
export const runModule = async <const D extends SettingDefaults = Record<never, never>>(
  parts: ModuleParts<D>,
  clock: ReconnectClock = CLOCK
): Promise<void> => {
  try {
    const stopped = new AbortController()
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => stopped.abort())
    const environment = moduleEnvironment()
    await keepConnected(
      (isFirst) => startModule(parts, environment, isFirst ? connectToNode : connectOnce),
      stopped.signal,
      clock
    )
    process.exitCode = 0
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  }
}
