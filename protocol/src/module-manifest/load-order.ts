import { NODE_NAMES } from "./field-checks.ts"
import type { Dependency, Manifest } from "./manifest.ts"
import { compareVersions, type SemanticVersion } from "./semantic-version.ts"
import { meets, type VersionRequirement } from "./version-requirement.ts"

/** A module with its manifest and its directory. */
export interface FoundModule {
  readonly manifest: Manifest
  readonly directory: string
}

/** The versions that the node offers. */
export interface NodeVersions {
  readonly consensus: SemanticVersion
  readonly protocol: SemanticVersion
  readonly node: SemanticVersion
}

/** The version of a module that the operator requires, with the text of the requirement. */
export interface Pin {
  readonly written: string
  readonly requirement: VersionRequirement
}

/** Modules in an order in which each follows its dependencies, and the reasons why others are not loaded. */
export interface LoadPlan {
  readonly order: ReadonlyArray<FoundModule>
  /** One reason for each refused module, by its directory. */
  readonly refused: ReadonlyMap<string, string>
}

const versionText = ({ major, minor, patch, prerelease }: SemanticVersion): string =>
  `${major}.${minor}.${patch}${prerelease.length === 0 ? "" : `-${prerelease.join(".")}`}`

const tooOld = (what: string, least: SemanticVersion | undefined, found: SemanticVersion): string | undefined =>
  least !== undefined && compareVersions(found, least) < 0
    ? `needs version ${versionText(least)} of the ${what}, this is ${versionText(found)}`
    : undefined

const incompatibility = ({ compatibility }: Manifest, versions: NodeVersions): string | undefined =>
  tooOld("node", compatibility.minNodeVersion, versions.node) ??
    tooOld("protocol library", compatibility.minProtocolVersion, versions.protocol) ??
    tooOld("consensus library", compatibility.minConsensusVersion, versions.consensus)

const pinFault = ({ name, version, versionText: written }: Manifest, pins: ReadonlyMap<string, Pin>) => {
  const pin = pins.get(name)
  return pin === undefined || meets(version, pin.requirement)
    ? undefined
    : `has version ${written}, and [modules].${name} asks for ${pin.written}`
}

/**
 * Returns the conflict with another module of the same name or RPC method. Names that differ only in case conflict,
 * since they share a file name.
 */
const clash = (module: FoundModule, all: ReadonlyArray<FoundModule>): string | undefined => {
  for (const other of all) {
    if (other === module) continue
    if (other.manifest.name.toLowerCase() === module.manifest.name.toLowerCase()) {
      return `has the name of the module in ${other.directory}`
    }
    const method = module.manifest.rpcOverrides.find((each) => other.manifest.rpcOverrides.includes(each))
    if (method !== undefined) return `overrides ${method}, as the module ${other.manifest.name} does`
  }
  return undefined
}

interface Plan {
  readonly modules: ReadonlyMap<string, FoundModule>
  readonly versions: NodeVersions
  readonly refused: Map<string, string>
  readonly order: Array<FoundModule>
  /** Names from the module being ordered to the present one, to find cycles. */
  readonly path: Array<string>
  readonly placed: Set<string>
}

const conflict = (dependency: Dependency, found: SemanticVersion): string | undefined =>
  meets(found, dependency.requirement)
    ? undefined
    : `needs ${dependency.name} ${dependency.written}, and ${versionText(found)} is there`

const isLoadable = (plan: Plan, module: FoundModule | undefined): module is FoundModule =>
  module !== undefined && !plan.refused.has(module.directory)

/** Returns the reason why a required dependency of a module is not met. */
const dependencyFault = (plan: Plan, dependency: Dependency): string | undefined => {
  if (NODE_NAMES.includes(dependency.name.toLowerCase())) return conflict(dependency, plan.versions.node)
  const module = plan.modules.get(dependency.name)
  if (module === undefined) return `needs the module ${dependency.name}, which is not there`
  const since = plan.path.indexOf(dependency.name)
  if (since >= 0) {
    return `is part of a cycle of dependencies: ${[...plan.path.slice(since), dependency.name].join(" → ")}`
  }
  const wrong = conflict(dependency, module.manifest.version)
  if (wrong !== undefined) return wrong
  place(plan, module)
  return isLoadable(plan, module) ? undefined : `needs the module ${dependency.name}, which is not loaded`
}

const neighbours = (plan: Plan, name: string): ReadonlyArray<string> => {
  const manifest = plan.modules.get(name)?.manifest
  return manifest === undefined
    ? []
    : [...manifest.dependencies, ...manifest.optionalDependencies].map((dependency) => dependency.name)
}

/** Reports whether one module depends on another, directly or indirectly, even optionally. */
const reaches = (plan: Plan, from: string, to: string, seen: Set<string> = new Set()): boolean => {
  if (from === to) return true
  if (seen.has(from)) return false
  seen.add(from)
  return neighbours(plan, from).some((name) => reaches(plan, name, to, seen))
}

/**
 * Returns the reason why an optional dependency is not met, which can only be a wrong version. A missing one is no
 * fault, and one that depends on the module itself is loaded after it.
 */
const optionalDependencyFault = (plan: Plan, dependency: Dependency, name: string): string | undefined => {
  const module = plan.modules.get(dependency.name)
  if (!isLoadable(plan, module)) return undefined
  if (!reaches(plan, dependency.name, name)) place(plan, module)
  return isLoadable(plan, module) ? conflict(dependency, module.manifest.version) : undefined
}

const firstDependencyFault = (
  plan: Plan,
  { name, dependencies, optionalDependencies }: Manifest
): string | undefined => {
  for (const dependency of dependencies) {
    const fault = dependencyFault(plan, dependency)
    if (fault !== undefined) return fault
  }
  for (const dependency of optionalDependencies) {
    const fault = optionalDependencyFault(plan, dependency, name)
    if (fault !== undefined) return fault
  }
  return undefined
}

/** Orders a module after its dependencies, or refuses it. */
const place = (plan: Plan, module: FoundModule): void => {
  const { name } = module.manifest
  if (plan.placed.has(name) || plan.refused.has(module.directory)) return
  plan.path.push(name)
  const fault = firstDependencyFault(plan, module.manifest)
  plan.path.pop()
  plan.placed.add(name)
  if (fault === undefined) plan.order.push(module)
  else plan.refused.set(module.directory, fault)
}

/**
 * Orders modules by name, each after its dependencies. A module is refused for one reason; modules that do not need it
 * are not affected.
 */
export const loadPlan = (
  found: ReadonlyArray<FoundModule>,
  versions: NodeVersions,
  pins: ReadonlyMap<string, Pin> = new Map()
): LoadPlan => {
  const sorted = found.toSorted((a, b) => a.manifest.name < b.manifest.name ? -1 : 1)
  const refused = new Map<string, string>()
  for (const module of sorted) {
    const fault = clash(module, sorted) ?? pinFault(module.manifest, pins) ?? incompatibility(module.manifest, versions)
    if (fault !== undefined) refused.set(module.directory, fault)
  }
  const modules = new Map(sorted.map((module) => [module.manifest.name, module]))
  const plan: Plan = { modules, versions, refused, order: [], path: [], placed: new Set() }
  for (const module of sorted) place(plan, module)
  return { order: plan.order, refused }
}
