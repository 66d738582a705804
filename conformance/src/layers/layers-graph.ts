import type { Layers } from "../../lint/folders.js"

type Folders = Layers["folders"]

/** The folders that may be reached from `from`, itself left out unless a circle leads back. */
const reached = (folders: Folders, from: string): ReadonlySet<string> => {
  const seen = new Set<string>()
  const visit = (name: string): void => {
    for (const next of folders[name] ?? []) {
      if (seen.has(next)) continue
      seen.add(next)
      visit(next)
    }
  }
  visit(from)
  return seen
}

/** The imports of one folder that do not follow from others: what it imports only through these is left out. */
export const directImports = (folders: Folders, name: string): ReadonlyArray<string> => {
  const imports = folders[name] ?? []
  return imports.filter((target) => !imports.some((other) => other !== target && reached(folders, other).has(target)))
}

/** A Mermaid graph of the folders of a package: an arrow leads from a folder to one that it may import. */
export const layersGraph = ({ folders }: Layers): string => {
  const lines = Object.keys(folders).flatMap((name) => {
    const targets = directImports(folders, name)
    return targets.length === 0 ? [`  ${name}`] : [`  ${name} --> ${targets.join(" & ")}`]
  })
  return ["```mermaid", "graph TD", ...lines, "```"].join("\n")
}
