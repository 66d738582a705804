import { globSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { AREAS } from "../src/mutation/areas/all-areas.ts"
import { filesOfArea, isOfArea, testsOfArea } from "../src/mutation/areas/area.ts"

const ROOT = join(import.meta.dirname, "../..")

/** Packages that judge others, or only hold what runs them; the kernel has a command of its own. */
const NO_SOURCES = new Set([
  "kernel",
  "conformance",
  "property-tests",
  "bench",
  "scripts",
  "spec",
  "vectors",
  "runtime"
])

/** What no fault is planted in, and why. */
const LEFT_OUT: ReadonlyArray<readonly [RegExp, string]> = [
  [/^[a-z]+\/src\/index\.ts$/, "only passes on"],
  [/\/fixed-seeds\.ts$/, "a table of addresses"],
  [/\/transport\/virtual\//, "only tests run on it"],
  [/^node\/src\/[a-z-]+\/docs\//, "writes pages of docs"]
]

const below = (pattern: string): ReadonlyArray<string> =>
  globSync(pattern, { cwd: ROOT, exclude: (path) => path.includes("node_modules") })

const packages = below("*/package.json").map((file) => file.split("/")[0]!).filter((name) => !NO_SOURCES.has(name))

const sources = [
  ...packages.flatMap((name) => below(`${name}/src/**/*.ts`)),
  ...below("modules/**/*.ts").filter((file) => !file.startsWith("modules/test/"))
]

describe("the areas of pnpm mutation", () => {
  it("have each source file outside the kernel once, or its being left out has a reason", () => {
    assert.isAbove(sources.length, 1_000)
    const wrong = sources.flatMap((file) => {
      const names = AREAS.filter((area) => isOfArea(area, file)).map(({ name }) => name)
      const wanted = LEFT_OUT.some(([pattern]) => pattern.test(file)) ? 0 : 1
      return names.length === wanted ? [] : [`${file}: ${names.join(", ") || "none"}`]
    })
    assert.deepStrictEqual(wrong, [])
  })

  it("know every package that has sources", () => {
    for (const name of ["node", "crypto", "protocol", "descriptors", "txgraph", "sdk", "zmq", "modules"]) {
      assert.include(packages, name)
    }
    for (const name of packages) {
      assert.isTrue(AREAS.some(({ sources: [first] }) => first!.split("/")[0] === name), name)
    }
  })

  it.each(AREAS)("$name has sources that are there, and test files, each once", (area) => {
    for (const source of area.sources) assert.isNotEmpty(below(source), source)
    for (const folder of area.tests) assert.isNotEmpty(below(`${folder}/**/*.test.ts`), folder)
    assert.isNotEmpty(filesOfArea(ROOT, area))
    const tests = testsOfArea(ROOT, area)
    assert.strictEqual(new Set(tests).size, tests.length)
  })
})
