import { globSync, readFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import { modulesOf } from "../../trace/syntax.ts"
import { workspaceFiles } from "./area.ts"

/** By file, the files that import it. Imports of types alone are left out: nothing runs through them. */
export type Importers = ReadonlyMap<string, ReadonlySet<string>>

/** By a package's name, what its `exports` say; packages that are not named have `./src`. */
export type PackageExports = Readonly<Record<string, Readonly<Record<string, string>>>>

const SOURCES = { ".": "./src/index.ts", "./*": "./src/*" }
const PACKAGE = /^@lockstep\/([a-z-]+)(?:\/(.+))?$/

/** The file of the workspace that `specifier` names in `file`; nothing when it is of another package. */
export const importedFile = (file: string, specifier: string, exports: PackageExports = {}): string | undefined => {
  if (specifier.startsWith(".")) return posix.join(dirname(file), specifier)
  const [, name, path] = PACKAGE.exec(specifier) ?? []
  if (name === undefined) return undefined
  const asked = path === undefined ? "." : `./${path}`
  for (const [key, target] of Object.entries(exports[name] ?? SOURCES)) {
    if (key === asked) return posix.join(name, target)
    const start = key.endsWith("*") ? key.slice(0, -1) : undefined
    if (start !== undefined && asked.startsWith(start)) {
      return posix.join(name, target.replace("*", asked.slice(start.length)))
    }
  }
  return undefined
}

const readExports = (root: string): PackageExports =>
  Object.fromEntries(
    globSync("*/package.json", { cwd: root }).flatMap((file) => {
      const { exports } = JSON.parse(readFileSync(join(root, file), "utf8")) as {
        readonly exports?: Readonly<Record<string, string>>
      }
      return exports === undefined ? [] : [[dirname(file), exports]]
    })
  )

/** A file beside this one that runs in a thread or process of its own, or is imported when it is needed. */
const STARTED =
  /(?:(?:new URL|import)\(\s*|join\(\s*import\.meta\.dirname,\s*)"(?:\.\/)?([^"]+\.ts)"|^\s+[\w"-]+: "(\.[^"]+\.ts)",?$/gm

/** A launcher of `node/bin`, which tests start as an operator does. */
const LAUNCHED = /"(?:\.\.\/)+(?:node\/)?bin\/([a-z-]+)"/g
const MAINS: Readonly<Record<string, string>> = {
  node: "node/src/main.ts",
  lockstep: "node/src/main.ts",
  bitcoind: "node/src/bitcoind/main.ts",
  "bitcoin-cli": "node/src/bitcoin-cli/main.ts"
}

/** Builds the modules that a test names. */
const MODULE_BUILD = "modules/build/build-module.ts"

/** What `file` imports or starts when it runs. */
export const importsOf = (file: string, text: string, exports?: PackageExports): ReadonlyArray<string> => {
  const started = [...text.matchAll(STARTED)].map(([, path, named]) => posix.join(dirname(file), path ?? named!))
  const launched = [...text.matchAll(LAUNCHED)].flatMap(([, program]) => MAINS[program!] ?? [])
  const imported = modulesOf(file, text).flatMap((specifier) => importedFile(file, specifier, exports) ?? [])
  return [...imported, ...started, ...launched]
}

/** Reads the imports of the whole workspace below `root`. */
export const readImporters = (root: string): Importers => {
  const importers = new Map<string, Set<string>>()
  const exports = readExports(root)
  const add = (imported: string, file: string): void => {
    const known = importers.get(imported) ?? new Set()
    known.add(file)
    importers.set(imported, known)
  }
  for (const file of workspaceFiles(root)) {
    for (const imported of importsOf(file, readFileSync(join(root, file), "utf8"), exports)) add(imported, file)
  }
  for (const main of globSync("modules/*/src/main.ts", { cwd: root })) add(main, MODULE_BUILD)
  return importers
}

/** How many imports lie between `file` and each file that reaches it. */
export const distancesTo = (importers: Importers, file: string): ReadonlyMap<string, number> => {
  const distances = new Map([[file, 0]])
  for (const [at, distance] of distances) {
    for (const importer of importers.get(at) ?? []) if (!distances.has(importer)) distances.set(importer, distance + 1)
  }
  return distances
}
