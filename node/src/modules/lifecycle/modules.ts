import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import { existsSync } from "node:fs"
import { basename, join } from "node:path"
import { EventBus } from "../../events/event-bus.ts"
import type { ModuleMethods } from "../api/module-methods.ts"
import {
  type Discovery,
  discoverModules,
  type DiscoveryRules,
  MANIFEST,
  type ModuleSource,
  type VerifiedModule
} from "../registry/discover.ts"
import { installModule, type Registry } from "../registry/install-module.ts"
import { failed, inTheWay, type ModulesError, refused, unknown } from "./modules-error.ts"
import { type ModuleStatus, statusOf, statusOfGone, statusOfRefused } from "./module-status.ts"
import { makeSupervisor, neededBy, type Supervisor, type SupervisorOptions } from "./supervisor.ts"

/** Operations on modules, run one at a time. */
export interface Modules {
  /** Loads every module that may be loaded. The status of the others has the reasons. */
  readonly loadAll: Effect.Effect<void>
  /** Loads a module after its dependencies. */
  readonly load: (name: string) => Effect.Effect<ModuleStatus, ModulesError>
  readonly unload: (name: string) => Effect.Effect<ModuleStatus, ModulesError>
  /**
   * Unloads a module and loads its current version from disk. If that must not be loaded, the module continues
   * unchanged.
   */
  readonly reload: (name: string) => Effect.Effect<ModuleStatus, ModulesError>
  /** Lists every module found, by name. */
  readonly list: () => ReadonlyArray<ModuleStatus>
  /** Lists the files of each running module, with their mark when it was loaded. */
  readonly sources: () => ReadonlyArray<ModuleSource & { readonly name: string }>
  /** RPC methods and commands of the running modules. */
  readonly methods: ModuleMethods
}

/** Options for finding and running modules. */
export interface ModulesOptions extends Omit<SupervisorOptions, "removed"> {
  readonly directory: string
  readonly rules: DiscoveryRules
  readonly methods: ModuleMethods
  /** Variables with the operator's settings, by the name of the module. */
  readonly settings: ReadonlyMap<string, Readonly<Record<string, string>>>
  /** The reason why no module may run; `undefined` if they may. */
  readonly barrier: string | undefined
  /** Registry from which missing pinned modules are downloaded; `undefined` to download none of them. */
  readonly registry: Registry | undefined
}

/** A module whose discovery was announced. */
interface Announced {
  readonly name: string
  readonly version: string
}

interface Parts {
  readonly options: ModulesOptions
  readonly bus: EventBus["Service"]
  readonly supervisor: Supervisor
  /** Modules that do not run, by their directory. */
  readonly idle: Map<string, ModuleStatus>
  /** Modules that were announced, by directory. */
  readonly discovered: Map<string, Announced>
}

const isRunning = ({ supervisor }: Parts, name: string): boolean =>
  supervisor.modules().some(({ module }) => module.manifest.name === name)

const announceDiscovered = ({ bus, discovered }: Parts, { directory, manifest }: VerifiedModule): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { name, versionText: version } = manifest
    if (discovered.get(directory)?.version === version) return Effect.void
    discovered.set(directory, { name, version })
    return bus.publish("ModuleDiscovered", { module_name: name, version, source: directory })
  })

/** Announces modules that do not run and whose manifest was removed. */
const announceRemoved = (parts: Parts): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { bus, discovered, idle } = parts
    const removed = [...discovered].filter(([directory, { name }]) =>
      !isRunning(parts, name) && !existsSync(join(directory, MANIFEST))
    )
    return Effect.forEach(removed, ([directory, { name, version }]) => {
      discovered.delete(directory)
      idle.delete(directory)
      return bus.publish("ModuleRemoved", { module_name: name, version })
    }, { discard: true })
  })

const isFound = ({ modules, refused: kept }: Discovery, name: string): boolean =>
  modules.some(({ manifest }) => manifest.name === name) || kept.some((each) => basename(each.directory) === name)

/** Results of downloads. */
interface Installed {
  readonly some: boolean
  /** Reasons of failed downloads, by name of the module. */
  readonly failures: ReadonlyMap<string, string>
}

/** Downloads missing pinned modules: the one of a name, or all. */
const install = Effect.fnUntraced(function*(
  { bus, options: { registry, rules } }: Parts,
  discovery: Discovery,
  only: string | undefined
): Effect.fn.Return<Installed> {
  const failures = new Map<string, string>()
  let some = false
  for (const [name, pin] of registry === undefined ? [] : rules.pins) {
    if (isFound(discovery, name) || (only !== undefined && name !== only)) continue
    const version = yield* Effect.result(installModule(registry!, name, pin))
    if (Result.isFailure(version)) failures.set(name, version.failure)
    else {
      some = true
      yield* bus.publish("ModuleInstalled", { module_name: name, version: version.success })
    }
  }
  return { some, failures }
})

/** Scans the directory of modules and downloads missing pinned ones: the one of a name, or all. */
const look = Effect.fnUntraced(function*(parts: Parts, only?: string): Effect.fn.Return<Discovery> {
  const { idle, options: { directory, rules } } = parts
  const before = yield* discoverModules(directory, rules)
  const { failures, some } = yield* install(parts, before, only)
  const discovery = some ? yield* discoverModules(directory, rules) : before
  const found = new Set([...discovery.modules, ...discovery.refused].map((each) => each.directory))
  for (const [known, { status }] of idle) if (!found.has(known) || status === "refused") idle.delete(known)
  for (const each of discovery.refused) {
    idle.set(each.directory, statusOfRefused(basename(each.directory), each.directory, each.reasons))
  }
  for (const [name, pin] of rules.pins) {
    if (isFound(discovery, name)) continue
    const missing = `[modules].${name} asks for ${pin.written}, and there is no such module in ${directory}`
    idle.set(name, statusOfRefused(name, directory, [missing, ...failures.has(name) ? [failures.get(name)!] : []]))
  }
  yield* announceRemoved(parts)
  yield* Effect.forEach(discovery.modules, (module) => announceDiscovered(parts, module), { discard: true })
  return discovery
})

const theOne = (
  { idle, options: { barrier, directory } }: Parts,
  discovery: Discovery,
  name: string
): Effect.Effect<VerifiedModule, ModulesError> => {
  const found = discovery.modules.find(({ manifest }) => manifest.name === name)
  if (found !== undefined) return barrier === undefined ? Effect.succeed(found) : Effect.fail(refused(barrier))
  const reasons = discovery.refused.find((each) => basename(each.directory) === name)?.reasons
  if (reasons !== undefined) return Effect.fail(refused(`the module ${name} is not loaded: ${reasons.join("; ")}`))
  const missing = idle.get(name)?.errors.join("; ")
  return Effect.fail(unknown(missing ?? `there is no module ${name} in ${directory}`))
}

/** Starts one module whose dependencies run. */
const start = (parts: Parts, module: VerifiedModule): Effect.Effect<void, ModulesError> => {
  const { name } = module.manifest
  const missing = neededBy(module).find((each) => !isRunning(parts, each))
  if (missing !== undefined) {
    const text = `needs the module ${missing}, which does not run`
    parts.idle.set(module.directory, { ...statusOfGone(module, text), status: "refused" })
    return Effect.fail(refused(`the module ${name} ${text}`))
  }
  parts.idle.delete(module.directory)
  const settings = parts.options.settings.get(name) ?? {}
  return Effect.mapError(
    parts.supervisor.start(module, settings),
    (reason) => failed(`the module ${name} ${reason}`)
  )
}

/** Returns the module and those of its dependencies that do not run, in the order of their starts. */
const withNeeded = (parts: Parts, { modules }: Discovery, wanted: VerifiedModule): ReadonlyArray<VerifiedModule> => {
  const names = new Set([wanted.manifest.name])
  for (const module of modules.toReversed()) {
    if (names.has(module.manifest.name)) neededBy(module).forEach((name) => names.add(name))
  }
  return modules.filter(({ manifest: { name } }) => names.has(name) && !isRunning(parts, name))
}

const present = (parts: Parts, name: string): ModuleStatus => {
  const running = parts.supervisor.modules().find(({ module }) => module.manifest.name === name)
  return running === undefined ? [...parts.idle.values()].find((each) => each.name === name)! : statusOf(running)
}

const load = Effect.fnUntraced(function*(parts: Parts, name: string): Effect.fn.Return<ModuleStatus, ModulesError> {
  if (isRunning(parts, name)) return yield* inTheWay(`the module ${name} is loaded; reloadmodule loads it anew`)
  const discovery = yield* look(parts, name)
  const wanted = yield* theOne(parts, discovery, name)
  yield* Effect.forEach(withNeeded(parts, discovery, wanted), (module) => start(parts, module), { discard: true })
  return present(parts, name)
})

const notRunning = (name: string): ModulesError => unknown(`the module ${name} does not run; listmodules lists all`)

const unload = Effect.fnUntraced(function*(parts: Parts, name: string): Effect.fn.Return<ModuleStatus, ModulesError> {
  if (!isRunning(parts, name)) return yield* notRunning(name)
  const dependents = parts.supervisor.modules().map(({ module }) => module)
    .filter((module) => neededBy(module).includes(name)).map(({ manifest }) => manifest.name)
  if (dependents.length > 0) {
    return yield* inTheWay(`the module ${name} is needed by ${dependents.join(", ")}: unload what needs it first`)
  }
  yield* parts.supervisor.stop(name)
  const status = present(parts, name)
  yield* announceRemoved(parts)
  return status
})

const reload = Effect.fnUntraced(function*(parts: Parts, name: string): Effect.fn.Return<ModuleStatus, ModulesError> {
  const running = parts.supervisor.modules().find(({ module }) => module.manifest.name === name)
  if (running === undefined) return yield* notRunning(name)
  const replacement = yield* theOne(parts, yield* look(parts, name), name)
  yield* parts.supervisor.stop(name)
  yield* start(parts, replacement)
  const [before, after] = [running.module.manifest.versionText, replacement.manifest.versionText]
  yield* parts.bus.publish("ModuleReloaded", { module_name: name, old_version: before, new_version: after })
  if (before !== after) {
    yield* parts.bus.publish("ModuleUpdated", { module_name: name, old_version: before, new_version: after })
  }
  return present(parts, name)
})

const about = Effect.annotateLogs({ category: "modules" })

const warnOfRefused = ({ directory, errors, name }: ModuleStatus): Effect.Effect<void> =>
  Effect.logWarning("a module is not loaded").pipe(
    Effect.annotateLogs({ module: name, directory, reason: errors.join("; ") }),
    about
  )

const loadAll = Effect.fnUntraced(function*(parts: Parts): Effect.fn.Return<void> {
  const { barrier } = parts.options
  const discovery = yield* look(parts)
  yield* Effect.forEach([...parts.idle.values()], warnOfRefused, { discard: true })
  if (barrier !== undefined) {
    for (const module of discovery.modules) {
      parts.idle.set(module.directory, { ...statusOfGone(module, barrier), status: "refused" })
    }
    if (discovery.modules.length > 0) yield* about(Effect.logError(`modules are not loaded: ${barrier}`))
    return
  }
  for (const module of discovery.modules) {
    yield* Effect.catch(start(parts, module), ({ message }) => about(Effect.logWarning(message)))
  }
})

const byName = (left: ModuleStatus, right: ModuleStatus): number => left.name < right.name ? -1 : 1

/** Finds and runs modules until the scope closes. On closing, each one ends after those that depend on it. */
export const makeModules = Effect.fnUntraced(
  function*(options: ModulesOptions): Effect.fn.Return<Modules, never, EventBus | Scope.Scope> {
    const idle = new Map<string, ModuleStatus>()
    const supervisor = yield* makeSupervisor({
      ...options,
      removed: (module, error) => idle.set(module.directory, statusOfGone(module, error))
    })
    const parts: Parts = { options, bus: yield* EventBus, supervisor, idle, discovered: new Map() }
    const turn = yield* Semaphore.make(1)
    const inTurn = turn.withPermits(1)
    return {
      loadAll: inTurn(loadAll(parts)),
      load: (name) => inTurn(load(parts, name)),
      unload: (name) => inTurn(unload(parts, name)),
      reload: (name) => inTurn(reload(parts, name)),
      list: () => [...supervisor.modules().map(statusOf), ...idle.values()].toSorted(byName),
      sources: () => supervisor.modules().map(({ module: { manifest: { name }, source } }) => ({ name, ...source })),
      methods: options.methods
    }
  }
)
