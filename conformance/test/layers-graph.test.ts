import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { directImports, layersGraph } from "../src/layers/layers-graph.ts"
import { LAYERS_PAGE, TABLES, withGraphs } from "../src/layers/layers-page.ts"

const LAYERS = { shared: [], folders: { low: [], middle: ["low"], high: ["low", "middle"], apart: [] } }

describe("the graph of a package's folders", () => {
  it("has an arrow for each import that does not follow from others", () => {
    assert.deepStrictEqual(directImports(LAYERS.folders, "high"), ["middle"])
    assert.strictEqual(
      layersGraph(LAYERS),
      "```mermaid\ngraph TD\n  low\n  middle --> low\n  high --> middle\n  apart\n```"
    )
  })

  it("stands in the page of the architecture as the linter's table has it (pnpm docs:layers draws it anew)", () => {
    const page = readFileSync(join(import.meta.dirname, "../..", LAYERS_PAGE), "utf8")
    assert.strictEqual(page, withGraphs(page, TABLES))
    for (const name of ["packages", "kernel/src", "node/src"]) {
      assert.include(page, `<!-- layers: ${name} -->\n\`\`\`mermaid`)
    }
  })

  it("is refused for a package without a table", () => {
    assert.throws(
      () => withGraphs("<!-- layers: nowhere/src -->\n<!-- end of layers -->", TABLES),
      /no layers of nowhere\/src/
    )
  })
})
