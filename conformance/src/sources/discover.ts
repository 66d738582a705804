import { existsSync, statSync } from "node:fs"
import { delimiter, resolve } from "node:path"
import { UsageError } from "../cli/usage-error.ts"
import { WORKSPACE } from "../workspace.ts"
import { npmSource } from "./npm.ts"
import { SOURCE_KINDS, type Source, type SourceKind } from "./source.ts"

const VARIABLE = "LOCKSTEP_VECTORS"

const rootAt = (given: string, origin: string): Source => {
  const directory = resolve(given)
  if (!existsSync(directory) || !statSync(directory).isDirectory()) {
    throw new UsageError(`${origin} names "${given}", which is no directory.`)
  }
  return { kind: "root", label: given.replace(/\/+$/, ""), directory }
}

/** Directories of reference vectors: those of the options, and those that the environment lists. */
export const rootsOf = (options: ReadonlyArray<string>): ReadonlyArray<Source> => {
  const fromEnvironment = (process.env[VARIABLE] ?? "").split(delimiter).filter((path) => path !== "")
  const roots = [
    ...options.map((path) => rootAt(path, "--vectors")),
    ...fromEnvironment.map((path) => rootAt(path, VARIABLE))
  ]
  return roots.filter(({ directory }, i) => roots.findIndex((root) => root.directory === directory) === i)
}

const OURS: Source = { kind: "ours", label: "vectors", directory: `${WORKSPACE}/vectors` }

/** The sources to read: of the kinds asked for, or all there are. */
export const sourcesOf = (kinds: ReadonlyArray<SourceKind>, vectors: ReadonlyArray<string>): ReadonlyArray<Source> => {
  const wanted = kinds.length === 0 ? SOURCE_KINDS : kinds
  const roots = rootsOf(vectors)
  if (kinds.includes("root") && roots.length === 0) {
    throw new UsageError(`--source root needs a directory of reference vectors: give --vectors DIR or set ${VARIABLE}.`)
  }
  return [
    ...(wanted.includes("ours") ? [OURS] : []),
    ...(wanted.includes("npm") ? [npmSource()] : []),
    ...(wanted.includes("root") ? roots : [])
  ]
}
