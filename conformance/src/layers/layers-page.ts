import { FOLDERS, type Layers, PACKAGES } from "../../lint/folders.js"
import { layersGraph } from "./layers-graph.ts"

/** The page whose graphs are made from the table that the linter enforces. */
export const LAYERS_PAGE = "docs/architecture/README.md"

/** The tables by the names that the page has for them. */
export const TABLES: Readonly<Record<string, Layers>> = { ...FOLDERS, packages: PACKAGES }

const BLOCK = /<!-- layers: (\S+) -->\n[\s\S]*?<!-- end of layers -->/g

/** The page with the graph of each package that it names, as `tables` has it; throws for a package that is not there. */
export const withGraphs = (page: string, tables: Readonly<Record<string, Layers>>): string =>
  page.replaceAll(BLOCK, (_, name: string) => {
    const layers = tables[name]
    if (layers === undefined) throw new Error(`${LAYERS_PAGE}: no layers of ${name}`)
    return `<!-- layers: ${name} -->\n${layersGraph(layers)}\n<!-- end of layers -->`
  })
