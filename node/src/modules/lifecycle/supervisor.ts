import { type Manifest, NODE_NAMES } from "@lockstep/protocol/module-manifest/index.ts"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { type ReadClock, monotonicClock } from "../../clock.ts"
import { addFinalizer } from "../../finalizers/finalizers.ts"
import type { OpenApi } from "../api/module-apis.ts"
import type { VerifiedModule } from "../registry/discover.ts"
import { type AnnounceModule, announceModule } from "./announce.ts"
import {
  FIRST,
  type ModuleAction,
  type ModuleInput,
  type ModulePhase,
  PHASE_WORDS,
  transition
} from "./module-state.ts"
import { liveOnce } from "./module-life.ts"
import { type Connected, spawnModule, type SpawnRules } from "./spawn.ts"

/** Options for running modules. */
export interface SupervisorOptions {
  /** Opens the API for one process of a module. `announce` runs once, when the module is loaded. */
  readonly open: (manifest: Manifest, announce: Effect.Effect<void>) => Effect.Effect<OpenApi, never, Scope.Scope>
  readonly spawn: SpawnRules
  readonly restartsCrashed: boolean
  /** Time limit in milliseconds from the handshake to the subscription, for callers that wait for a module. */
  readonly subscribeMs: number
  /** Called when a module has ended; `error` is set if it crashed. */
  readonly removed: (module: VerifiedModule, error: string | undefined) => void
}

/** One module that is starting, running or being restarted. */
export interface SupervisedModule {
  readonly module: VerifiedModule
  readonly state: ModulePhase
  /** `undefined` before the handshake. */
  readonly connected: Connected | undefined
  /** True if the module lost its connection and has not reconnected yet. */
  readonly isCutOff: boolean
}

/** Runs modules: starts their processes, watches them and restarts them. */
export interface Supervisor {
  /** Lists the modules in the order of their starts. */
  readonly modules: () => ReadonlyArray<SupervisedModule>
  /**
   * Starts a module; ends when it is loaded or has not subscribed in time. Fails with a reason that completes its name.
   */
  readonly start: (module: VerifiedModule, settings: Readonly<Record<string, string>>) => Effect.Effect<void, string>
  /** Stops a module; ends when its process has ended. */
  readonly stop: (name: string) => Effect.Effect<void>
}

interface Entry {
  readonly module: VerifiedModule
  readonly settings: Readonly<Record<string, string>>
  /** Serializes inputs: all actions of one are complete before the next one is handled. */
  readonly turn: Semaphore.Semaphore
  state: ModulePhase
  connected: Connected | undefined
  isCutOff: boolean
  /** True once the process has completed the handshake. */
  isStarted: boolean
  /** Asks the present process to stop. */
  stop: Deferred.Deferred<void>
  restart: Fiber.Fiber<void> | undefined
  readonly shaken: Deferred.Deferred<void>
  /** Completed when the module is loaded or has ended. */
  readonly settled: Deferred.Deferred<void>
  readonly gone: Deferred.Deferred<void>
}

const newEntry = (module: VerifiedModule, settings: Entry["settings"]): Entry => ({
  module,
  settings,
  turn: Semaphore.makeUnsafe(1),
  state: FIRST.state,
  connected: undefined,
  isCutOff: false,
  isStarted: false,
  stop: Deferred.makeUnsafe(),
  restart: undefined,
  shaken: Deferred.makeUnsafe(),
  settled: Deferred.makeUnsafe(),
  gone: Deferred.makeUnsafe()
})

/** Returns the names of the modules that a module depends on. */
export const neededBy = ({ manifest }: VerifiedModule): ReadonlyArray<string> =>
  manifest.dependencies.map(({ name }) => name).filter((name) => !NODE_NAMES.includes(name.toLowerCase()))

interface Parts {
  readonly options: SupervisorOptions
  readonly entries: Map<string, Entry>
  readonly announce: AnnounceModule
  readonly now: ReadClock
  readonly scope: Scope.Scope
}

/** Announces a change of a module's state, if any. */
const announceState = (parts: Parts, { module, state }: Entry, before: ModulePhase["_tag"]): Effect.Effect<void> => {
  const [old, now] = [PHASE_WORDS[before], PHASE_WORDS[state._tag]]
  return old === now
    ? Effect.void
    : parts.announce(module, { _tag: "AnnounceState", before: old, after: now })
}

const apply = (parts: Parts, entry: Entry, input: ModuleInput): Effect.Effect<void> =>
  Effect.suspend(() => {
    const before = entry.state._tag
    const { actions, state } = transition(entry.state, input, parts.options)
    entry.state = state
    return Effect.andThen(
      announceState(parts, entry, before),
      Effect.forEach(actions, (action) => perform(parts, entry, action), { discard: true })
    )
  }).pipe(entry.turn.withPermits(1))

/** Handles a completed handshake of a module. */
const shaken = (parts: Parts, entry: Entry, isFirst: boolean): Effect.Effect<void> => {
  if (!isFirst) return parts.announce(entry.module, { _tag: "AnnounceBack", state: PHASE_WORDS[entry.state._tag] })
  entry.isStarted = true
  return parts.announce(entry.module, { _tag: "AnnounceStarted" }).pipe(
    Effect.andThen(apply(parts, entry, { _tag: "HandshakeDone" })),
    Effect.andThen(Deferred.succeed(entry.shaken, undefined))
  )
}

/** Runs one process of a module from start to end and returns how it ended. */
const lifeOf = (parts: Parts, entry: Entry): Effect.Effect<string> => {
  const { module, settings, stop: asked } = entry
  const loaded = Effect.suspend(() => apply(parts, entry, { _tag: "Subscribed", at: parts.now() }))
  return liveOnce({
    process: Effect.raceFirst(
      spawnModule(module, settings, parts.options.spawn),
      Effect.andThen(Deferred.await(asked), Effect.fail("was unloaded while it started"))
    ),
    open: parts.options.open(module.manifest, loaded),
    connected: (connection, api, isFirst) =>
      Effect.suspend(() => {
        entry.connected = connection
        entry.isCutOff = false
        return shaken(parts, entry, isFirst)
      }).pipe(Effect.andThen(api.permissions.has("subscribe_events") ? Effect.void : api.announceLoaded)),
    cutOff: (reason) =>
      Effect.suspend(() => {
        entry.connected = undefined
        entry.isCutOff = true
        return parts.announce(module, { _tag: "AnnounceCutOff", state: PHASE_WORDS[entry.state._tag], reason })
      }),
    stopAsked: Deferred.await(asked),
    isStopAsked: () => Deferred.isDoneUnsafe(asked),
    now: parts.now
  })
}

const spawn = (parts: Parts, entry: Entry): Effect.Effect<void> => {
  entry.stop = Deferred.makeUnsafe()
  const life = Effect.flatMap(lifeOf(parts, entry), (reason) => {
    const stopped = entry.isStarted ? parts.announce(entry.module, { _tag: "AnnounceStopped" }) : Effect.void
    entry.connected = undefined
    entry.isCutOff = false
    entry.isStarted = false
    return Effect.andThen(
      stopped,
      Effect.suspend(() => apply(parts, entry, { _tag: "Ended", reason, at: parts.now() }))
    )
  })
  return Effect.asVoid(Effect.forkIn(life, parts.scope))
}

const restartLater = (parts: Parts, entry: Entry, delay: number): Effect.Effect<void> =>
  Effect.delay(apply(parts, entry, { _tag: "RestartDue" }), delay).pipe(
    Effect.forkIn(parts.scope),
    Effect.map((fiber) => void (entry.restart = fiber))
  )

const remove = ({ entries, options }: Parts, entry: Entry): Effect.Effect<void> =>
  Effect.gen(function*() {
    const { name } = entry.module.manifest
    if (entries.get(name) === entry) entries.delete(name)
    options.removed(entry.module, entry.state._tag === "Gone" ? entry.state.error : undefined)
    yield* Deferred.succeed(entry.settled, undefined)
    yield* Deferred.succeed(entry.gone, undefined)
  })

const perform = (parts: Parts, entry: Entry, action: ModuleAction): Effect.Effect<void> => {
  switch (action._tag) {
    case "Spawn":
      return spawn(parts, entry)
    case "Stop":
      return Effect.asVoid(Deferred.succeed(entry.stop, undefined))
    case "RestartLater":
      return restartLater(parts, entry, action.delay)
    case "CancelRestart":
      return entry.restart === undefined ? Effect.void : Fiber.interrupt(entry.restart)
    case "Remove":
      return remove(parts, entry)
    case "AnnounceLoaded":
      return Effect.andThen(parts.announce(entry.module, action), Deferred.succeed(entry.settled, undefined))
    default:
      return parts.announce(entry.module, action)
  }
}

const start = (parts: Parts, module: VerifiedModule, settings: Entry["settings"]): Effect.Effect<void, string> =>
  Effect.suspend(() => {
    const entry = newEntry(module, settings)
    parts.entries.set(module.manifest.name, entry)
    const tooLate = Effect.delay(Effect.void, parts.options.subscribeMs)
    return Effect.forEach(FIRST.actions, (action) => perform(parts, entry, action)).pipe(
      Effect.andThen(
        Effect.raceFirst(
          Deferred.await(entry.settled),
          Effect.andThen(Deferred.await(entry.shaken), tooLate)
        )
      ),
      Effect.andThen(
        Effect.suspend(() =>
          entry.state._tag === "Gone" ? Effect.fail(entry.state.error ?? "was unloaded while it started") : Effect.void
        )
      )
    )
  })

const stop = (parts: Parts, entry: Entry): Effect.Effect<void> =>
  Effect.andThen(apply(parts, entry, { _tag: "UnloadAsked" }), Deferred.await(entry.gone))

/** Stops all modules, each after those that depend on it. */
const stopAll = (parts: Parts): Effect.Effect<void> =>
  Effect.suspend(() => {
    const entries = [...parts.entries.values()]
    const inTurn = (entry: Entry): Effect.Effect<void> => {
      const dependents = entries.filter(({ module }) => neededBy(module).includes(entry.module.manifest.name))
      return Effect.andThen(
        Effect.forEach(dependents, ({ gone }) => Deferred.await(gone), { discard: true }),
        stop(parts, entry)
      )
    }
    return Effect.forEach(entries, inTurn, { discard: true, concurrency: "unbounded" })
  })

/** Time for the last events of the node to reach the modules before the connections end. */
const LAST_EVENTS = "50 millis"

const endAll = (parts: Parts): Effect.Effect<void> =>
  parts.entries.size === 0 ? Effect.void : Effect.andThen(Effect.sleep(LAST_EVENTS), stopAll(parts))

/** A supervisor of no modules. What it runs ends with the scope. */
export const makeSupervisor = Effect.fnUntraced(function*(options: SupervisorOptions) {
  const scope = yield* Scope.make()
  const parts: Parts = {
    options,
    entries: new Map(),
    announce: yield* announceModule,
    now: yield* monotonicClock,
    scope
  }
  yield* addFinalizer((exit) => Effect.andThen(Effect.suspend(() => endAll(parts)), Scope.close(scope, exit)))
  return {
    modules: () => [...parts.entries.values()],
    start: (module, settings) => start(parts, module, settings),
    stop: (name) => {
      const entry = parts.entries.get(name)
      return entry === undefined ? Effect.void : stop(parts, entry)
    }
  } satisfies Supervisor
})
