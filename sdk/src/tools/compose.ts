import {
  type FoundModule,
  loadPlan,
  type Pin,
  type SemanticVersion,
  semanticVersionOf,
  signatureFault,
  versionRequirementOf
} from "@lockstep/protocol/module-manifest/index.ts"
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { parse } from "smol-toml"
import { isValidSignature, readText } from "./keys.ts"
import { manifestDigest, type ManifestFile, programFault, programOf, readManifestFile } from "./manifest-file.ts"
import { ToolError } from "./tool-error.ts"

/** A requested module: its directory, and a requirement on its version. */
interface Wanted {
  readonly path: string
  readonly version: string | undefined
}

interface Composition {
  readonly node: SemanticVersion
  readonly wanted: ReadonlyMap<string, Wanted>
  readonly requiresSignatures: boolean
}

const FORM = `write

node = "0.1.0"

[modules]
watcher = { path = "../watcher", version = "0.1.*" }`

const wantedIn = (file: string, name: string, entry: unknown): Wanted => {
  const { path, version, ...rest } = (typeof entry === "object" && entry !== null ? entry : {}) as Record<
    string,
    unknown
  >
  if (typeof path !== "string" || Object.keys(rest).length > 0) {
    throw new ToolError(`${file}: modules.${name} must be a table with path and version; ${FORM}`)
  }
  if (version !== undefined && (typeof version !== "string" || versionRequirementOf(version) === undefined)) {
    throw new ToolError(`${file}: modules.${name}.version must be a requirement such as >=1.0.0 or 0.1.*`)
  }
  return { path: resolve(dirname(file), path), version }
}

const contentOf = (file: string): Readonly<Record<string, unknown>> => {
  const text = readText(file)
  try {
    return parse(text)
  } catch (error) {
    throw new ToolError(`${file} is not valid TOML: ${(error as Error).message.split("\n")[0]}`)
  }
}

const compositionIn = (file: string): Composition => {
  const { modules, node, require_signatures: required = false, ...rest } = contentOf(file)
  const version = typeof node === "string" ? semanticVersionOf(node) : undefined
  const unknown = Object.keys(rest)[0]
  if (unknown !== undefined) throw new ToolError(`${file}: ${unknown} is not a field of a composition; ${FORM}`)
  if (version === undefined) throw new ToolError(`${file}: node must be the version of the node; ${FORM}`)
  if (typeof required !== "boolean") throw new ToolError(`${file}: require_signatures must be true or false`)
  if (typeof modules !== "object" || modules === null || Object.keys(modules).length === 0) {
    throw new ToolError(`${file}: there are no modules; ${FORM}`)
  }
  const wanted = Object.entries(modules).map(([name, entry]) => [name, wantedIn(file, name, entry)] as const)
  return { node: version, wanted: new Map(wanted), requiresSignatures: required }
}

/** Returns the fault that excludes a module regardless of the others. */
const ownFault = (file: ManifestFile, name: string, { requiresSignatures }: Composition): string | undefined => {
  if (file.manifest.name !== name) return `is the module ${file.manifest.name}, and the composition names it ${name}`
  const digest = manifestDigest(file)
  const policy = { required: requiresSignatures, trustedKeys: new Set<string>() }
  return signatureFault(file.manifest, policy, (each) => isValidSignature(each, digest)) ?? programFault(file)
}

const pinsOf = ({ wanted }: Composition): ReadonlyMap<string, Pin> =>
  new Map(
    [...wanted].flatMap(([name, { version }]) =>
      version === undefined ? [] : [[name, { written: version, requirement: versionRequirementOf(version)! }]]
    )
  )

const planned = (composition: Composition, files: ReadonlyArray<ManifestFile>): ReadonlyArray<FoundModule> => {
  const { node } = composition
  const { order, refused } = loadPlan(files, { consensus: node, protocol: node, node }, pinsOf(composition))
  if (refused.size === 0) return order
  throw new ToolError([...refused].map(([directory, reason]) => `${directory} ${reason}`).join("\n"))
}

/** Copies the files of a module that the node needs. */
const copied = (file: ManifestFile, target: string): void => {
  const { entryPoint } = file.manifest
  mkdirSync(target, { recursive: true })
  cpSync(file.path, join(target, "module.toml"))
  const settings = join(file.directory, "config.toml")
  if (existsSync(settings)) cpSync(settings, join(target, "config.toml"))
  cpSync(programOf(file), join(target, entryPoint))
}

const configurationOf = (directory: string, { requiresSignatures, wanted }: Composition): string =>
  [
    "[modules]",
    "enabled = true",
    `modules_dir = ${JSON.stringify(directory)}`,
    ...requiresSignatures ? ["require_signatures = true"] : [],
    ...[...wanted].flatMap(([name, { version }]) =>
      version === undefined ? [] : [`${name} = ${JSON.stringify(version)}`]
    ),
    ""
  ].join("\n")

/**
 * Copies the modules of a composition into one directory, provided that all of them can be loaded together. Writes the
 * `[modules]` table for the configuration beside them.
 */
export const compose = (compositionFile: string, out: string): string => {
  const composition = compositionIn(compositionFile)
  const target = resolve(out)
  if (existsSync(target)) throw new ToolError(`${target} is there: choose another directory`)
  const files = [...composition.wanted].map(([name, { path }]) => {
    const file = readManifestFile(path, { isUnsigned: false })
    const fault = ownFault(file, name, composition)
    if (fault !== undefined) throw new ToolError(`${path} ${fault}`)
    return file
  })
  const order = planned(composition, files)
  try {
    for (const file of files) copied(file, join(target, file.manifest.name))
    writeFileSync(join(target, "modules.toml"), configurationOf(target, composition))
  } catch (error) {
    rmSync(target, { recursive: true, force: true })
    throw error
  }
  const names = order.map(({ manifest: { name, versionText } }) => `${name} ${versionText}`)
  return `${target}: ${names.join(", ")}; add ${basename(target)}/modules.toml to the node's configuration`
}
