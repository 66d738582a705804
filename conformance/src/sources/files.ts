import { readdirSync } from "node:fs"
import { fileAt, type Source, type VectorFile } from "./source.ts"

const pathsUnder = (directory: string, prefix: string): Array<string> =>
  readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    // Names that start with a dot belong to the file system or to version control.
    if (entry.name.startsWith(".")) return []
    const path = prefix + entry.name
    return entry.isDirectory() ? pathsUnder(`${directory}/${entry.name}`, `${path}/`) : [path]
  })

/** Every file of `source` in a stable order; of the npm package only what lies in its folder of test data. */
export const filesOf = (source: Source): ReadonlyArray<VectorFile> => {
  const under = source.kind === "npm" ? "test/data/" : ""
  return pathsUnder(`${source.directory}/${under}`, under).sort().map((path) => fileAt(source, path))
}
