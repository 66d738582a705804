import { globSync, readFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import { parseSource, type SyntaxNode } from "../../trace/syntax.ts"

/** By file, the files that import it. Imports of types alone are left out: nothing runs through them. */
export type Importers = ReadonlyMap<string, ReadonlySet<string>>

const EVERYTHING = [
  "{kernel,crypto,protocol,descriptors,txgraph,conformance,node,property-tests}/{src,test,fuzz}/**/*.ts"
]

const PACKAGE = /^@lockstep\/([a-z-]+)(?:\/(.+))?$/

/** The file of the workspace that `specifier` names in `file`; nothing when it is of another package. */
export const importedFile = (file: string, specifier: string): string | undefined => {
  if (specifier.startsWith(".")) return posix.join(dirname(file), specifier)
  const [, name, path = "index.ts"] = PACKAGE.exec(specifier) ?? []
  return name === undefined ? undefined : `${name}/src/${path}`
}

const isTypeImport = (statement: SyntaxNode): boolean => {
  if (statement["importKind"] === "type" || statement["exportKind"] === "type") return true
  const specifiers = statement["specifiers"]
  return Array.isArray(specifiers) && specifiers.length > 0 &&
    specifiers.every((each: SyntaxNode) => each["importKind"] === "type" || each["exportKind"] === "type")
}

const IMPORTS = new Set(["ImportDeclaration", "ExportNamedDeclaration", "ExportAllDeclaration"])

/** A file beside this one that runs in a thread or process of its own. */
const STARTED = /(?:new URL\(\s*|join\(\s*import\.meta\.dirname,\s*)"(?:\.\/)?([^"]+\.ts)"/g

/** What `file` imports or starts when it runs. */
export const importsOf = (file: string, text: string): ReadonlyArray<string> => {
  const started = [...text.matchAll(STARTED)].map(([, path]) => posix.join(dirname(file), path!))
  const statements = parseSource(file, text).program["body"] as ReadonlyArray<SyntaxNode>
  const imported = statements.flatMap((statement) => {
    const from = statement["source"] as SyntaxNode | null | undefined
    if (!IMPORTS.has(statement.type) || from === null || from === undefined || isTypeImport(statement)) return []
    return importedFile(file, String(from["value"])) ?? []
  })
  return [...imported, ...started]
}

/** Reads the imports of the whole workspace below `root`. */
export const readImporters = (root: string): Importers => {
  const importers = new Map<string, Set<string>>()
  for (const file of globSync(EVERYTHING, { cwd: root, exclude: (path) => path.includes("node_modules") })) {
    for (const imported of importsOf(file, readFileSync(join(root, file), "utf8"))) {
      const known = importers.get(imported) ?? new Set()
      known.add(file)
      importers.set(imported, known)
    }
  }
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
