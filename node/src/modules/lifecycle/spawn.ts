import type { ModuleHealth, ModuleMessageOf } from "@lockstep/protocol/module-ipc/index.ts"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { randomBytes } from "node:crypto"
import { mkdirSync } from "node:fs"
import type { Socket } from "node:net"
import { join } from "node:path"
import type { DeliveryStatistics } from "../../events/event-bus.ts"
import type { OpenApi } from "../api/module-apis.ts"
import { type ConnectionEnd, moduleConnection } from "../ipc/connection.ts"
import { listenForModule } from "../ipc/module-socket.ts"
import { peerCredentialsReader } from "../ipc/peer-credentials.ts"
import type { RequestStatistics } from "../ipc/request-answers.ts"
import { socketPlace } from "../ipc/socket-place.ts"
import { type ModuleSession, openModuleSession } from "../ipc/session.ts"
import type { VerifiedModule } from "../registry/discover.ts"
import type { Confinement } from "../sandbox/confinement.ts"
import { moduleCommand } from "../sandbox/module-command.ts"
import { watchDisk } from "../sandbox/disk-watch.ts"
import type { ResourceLimits } from "../sandbox/resource-limits.ts"
import { type Usage, processUsage, watchResources } from "../sandbox/resource-watch.ts"
import { runCommand, type RunningCommand } from "../sandbox/run-command.ts"
import { logModuleLine, logPrinted } from "./module-log.ts"

/** Options for starting modules. */
export interface SpawnRules {
  readonly confinement: Confinement
  readonly limits: ResourceLimits
  readonly socketDirectory: string
  /** Parent of the data directories of the modules. */
  readonly dataDirectory: string
  readonly nodeVersion: string
  readonly allowsMissingHandshake: boolean
  /** Time limit in milliseconds from the start of a process to its connection. */
  readonly connectMs: number
  /** Time limit in milliseconds from a lost connection to the next one. */
  readonly reconnectMs: number
  /** Time limit in milliseconds from the end of the connection to the end of the process, when a module is unloaded. */
  readonly endMs: number
}

/** Resources that one process of a module uses, and its requests and events since the handshake. */
export interface ProcessFigures {
  /** `undefined` if the system does not report it. */
  readonly usage: Usage | undefined
  readonly requests: RequestStatistics
  readonly events: DeliveryStatistics
  readonly health: ModuleHealth
}

/**
 * The reason for the end of a module's connection. `isLost` is true if the module broke no rule and its process still
 * runs.
 */
export interface ConnectionOver {
  readonly reason: string
  readonly isLost: boolean
}

/** One connection of a module that completed the handshake. */
export interface Connected {
  readonly pid: number
  readonly figures: () => ProcessFigures
  /** Ends when the connection has ended or is to end. */
  readonly over: Effect.Effect<ConnectionOver>
  /** Asks the module to stop by ending its connection, and waits as long as the rules allow. */
  readonly finish: Effect.Effect<void>
}

/** One process of a module. */
export interface ModuleProcess {
  /**
   * Accepts the next connection of the process and completes the handshake. Fails with a reason that completes the name
   * of the module. The connection ends with the scope. `lost` is the reason why the previous one ended, or `undefined`
   * for the first.
   */
  readonly connect: (api: OpenApi, lost: string | undefined) => Effect.Effect<Connected, string, Scope.Scope>
}

/** Wait after the end of a connection for the better reason: the way the process ended. */
const LAST_WAIT = "250 millis"

/** Returns a secret id, which no other process can know. */
const newId = (name: string): string => `${name}-${randomBytes(16).toString("hex")}`

/** The module ends together with its connection. */
const over = (reason: string): ConnectionOver => ({ reason, isLost: false })

const dataDirectoryOf = ({ dataDirectory }: SpawnRules, name: string): Effect.Effect<string, string> =>
  Effect.try({
    try: () => {
      const directory = join(dataDirectory, name)
      mkdirSync(directory, { recursive: true, mode: 0o700 })
      return directory
    },
    catch: (error) => `its data directory cannot be made: ${(error as Error).message}`
  })

/** Accepts the connection of the process; fails if the process ends first or takes too long. */
const connectionOf = (
  accept: Effect.Effect<Socket>,
  { ended }: RunningCommand,
  { connectMs, reconnectMs }: SpawnRules,
  lost: string | undefined
): Effect.Effect<Socket, string> => {
  const isBack = lost !== undefined
  const gone = Effect.flatMap(ended, (ending) => Effect.fail(isBack ? ending : `${ending} before it connected`))
  const late = isBack
    ? `${lost}, and did not connect again within ${reconnectMs} ms`
    : `did not connect within ${connectMs} ms`
  return Effect.timeoutOrElse(Effect.raceFirst(accept, gone), {
    duration: isBack ? reconnectMs : connectMs,
    orElse: () => Effect.fail(late)
  })
}

/** Returns the id of the process at the other end, or of the started process if the system does not report it. */
const pidOf = (socket: Socket, { pid }: RunningCommand): number => peerCredentialsReader()?.(socket)?.pid ?? pid

const finished = (
  socket: Socket,
  { outlet }: ModuleSession,
  { ended }: RunningCommand,
  close: Effect.Effect<void>,
  { endMs }: SpawnRules
): Effect.Effect<void> =>
  Effect.suspend(() => {
    outlet.flush()
    socket.end()
    return Effect.asVoid(Effect.timeoutOption(ended, endMs))
  }).pipe((ending) => Effect.andThen(close, ending))

/**
 * Returns the reason for the end of a connection. The end of the module's process explains more; otherwise the module
 * may reconnect.
 */
const endingOf = ({ isProtocol, reason }: ConnectionEnd, { ended }: RunningCommand): Effect.Effect<ConnectionOver> =>
  isProtocol
    ? Effect.succeed({ reason, isLost: false })
    : Effect.map(
      Effect.timeoutOption(ended, LAST_WAIT),
      Option.match({ onNone: () => ({ reason, isLost: true }), onSome: over })
    )

/** Runs the watches of a module until the scope closes. The first one that ends gives the reason. */
const endOf = Effect.fnUntraced(function*(
  watches: ReadonlyArray<Effect.Effect<ConnectionOver>>
): Effect.fn.Return<Effect.Effect<ConnectionOver>, never, Scope.Scope> {
  const first = yield* Deferred.make<ConnectionOver>()
  yield* Effect.forEach(
    watches,
    (watch) => Effect.forkScoped(Effect.flatMap(watch, (end) => Deferred.succeed(first, end))),
    { discard: true }
  )
  return Deferred.await(first)
})

/**
 * Starts the process of a module, which may reconnect after a lost connection. Fails with a reason that completes its
 * name. The process is killed when the scope closes.
 */
export const spawnModule = Effect.fnUntraced(function*(
  { directory, manifest, program }: VerifiedModule,
  settings: Readonly<Record<string, string>>,
  rules: SpawnRules
): Effect.fn.Return<ModuleProcess, string, Scope.Scope> {
  const { name, versionText } = manifest
  const moduleId = newId(name)
  const path = socketPlace(process.platform, rules.socketDirectory, name, process.pid)
  const { accept, close } = yield* Effect.mapError(listenForModule(path), ({ message }) => message)
  const dataDirectory = yield* dataDirectoryOf(rules, name)
  const { confinement, limits } = rules
  const toStart = { name, moduleId, directory, program: program.path, dataDirectory, socket: path, settings, limits }
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const command = yield* Effect.mapError(
    runCommand(moduleCommand(toStart, confinement), (line) => void run(logPrinted(name, line))),
    ({ message }) => `could not be started: ${message}`
  )
  const connect = Effect.fnUntraced(function*(
    api: OpenApi,
    lost: string | undefined
  ): Effect.fn.Return<Connected, string, Scope.Scope> {
    const socket = yield* connectionOf(accept(command.pid), command, rules, lost)
    const session = yield* Effect.mapError(
      openModuleSession(moduleConnection(socket), {
        name,
        version: versionText,
        moduleId,
        nodeVersion: rules.nodeVersion,
        allowsMissing: rules.allowsMissingHandshake,
        permissions: api.permissions,
        handle: api.handle,
        log: (line: ModuleMessageOf<"Log">) => logModuleLine(name, line)
      }),
      ({ reason }) => `was refused: ${reason}`
    )
    const pid = pidOf(socket, command)
    const ended = yield* endOf([
      Effect.map(command.ended, over),
      Effect.flatMap(Effect.flip(api.serve(session)), (end) => endingOf(end, command)),
      Effect.map(watchResources(pid, limits), over),
      Effect.map(watchDisk(pid, dataDirectory, limits), over)
    ])
    const figures = (): ProcessFigures => ({
      usage: processUsage(pid),
      requests: session.requests(),
      events: api.events(),
      health: api.health()
    })
    return { pid, over: ended, figures, finish: finished(socket, session, command, close, rules) }
  })
  return { connect }
})
