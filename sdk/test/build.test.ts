import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { build } from "../src/tools/build.ts"
import { ToolError } from "../src/tools/tool-error.ts"

let root = ""
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), "lockstep-sdk-build-"))))
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(root, { recursive: true, force: true })
})

const MANIFEST = `name = "watcher"
version = "0.1.0"
description = "Counts blocks."
entry_point = "run-it"
capabilities = []
`

/** A module with sources; none: without `src/main.ts`. */
const aModule = (main: string | undefined, more = ""): string => {
  mkdirSync(join(root, "src"))
  writeFileSync(join(root, "module.toml"), MANIFEST + more)
  if (main !== undefined) writeFileSync(join(root, "src", "main.ts"), main)
  return root
}

const warnings = (): ReadonlyArray<string> => {
  const lines: Array<string> = []
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    lines.push(String(text))
    return true
  })
  return lines
}

const refusal = (directory: string): Promise<unknown> =>
  build(directory).then(() => undefined, (error: unknown) => error)

describe("the program of a module", () => {
  it("is one executable file without a licence, which stands for all that it imports", async () => {
    const directory = aModule(
      "/*! a licence */\nimport { two } from \"./two.ts\"\nexport const four: number = two * 2\n"
    )
    writeFileSync(join(directory, "src", "two.ts"), "export const two: number = Number(\"2\")\n")
    const lines = warnings()
    const program = await build(directory)
    assert.strictEqual(program, join(directory, "target", "release", "run-it"))
    assert.strictEqual(statSync(program).mode & 0o777, 0o755)
    const text = readFileSync(program, "utf8")
    assert.match(text, /^#!\/usr\/bin\/env node\n/)
    assert.notInclude(text, "a licence")
    assert.notMatch(text, /from "\.\/two/)
    const { four } = await import(`data:text/javascript,${encodeURIComponent(text)}`) as { readonly four: number }
    assert.deepStrictEqual([four, lines], [4, []])
    writeFileSync(join(directory, "src", "two.ts"), "export const two: number = 3\n")
    assert.strictEqual(await build(directory), program)
    assert.include(readFileSync(program, "utf8"), "3")
  })

  it("has this SDK and its test kit within, and what Node.js has without", async () => {
    const directory = aModule(
      "import { NodeError } from \"@lockstep/sdk\"\nimport { fakeNode } from \"@lockstep/sdk/test-kit\"\n" +
        "import { readFileSync } from \"node:fs\"\nconsole.log(NodeError, fakeNode, readFileSync)\n"
    )
    const text = readFileSync(await build(directory), "utf8")
    assert.notInclude(text, "from \"@lockstep")
    assert.include(text, "the fake node has no answer to")
    assert.match(text, /from "node:fs"/)
  })

  it("is not built without its beginning, from what is no TypeScript, or below what is no module", async () => {
    const directory = aModule(undefined)
    const missing = await refusal(directory)
    assert.instanceOf(missing, ToolError)
    assert.strictEqual(
      (missing as Error).message,
      `there is no ${join(directory, "src", "main.ts")}: the program of a module begins there`
    )
    assert.isFalse(existsSync(join(directory, "target")))
    const lines = warnings()
    for (const text of ["const = 1\n", "import { a } from \"./none.ts\"\nconsole.log(a)\n"]) {
      writeFileSync(join(directory, "src", "main.ts"), text)
      const error = await refusal(directory)
      assert.instanceOf(error, ToolError)
      assert.match((error as Error).message, /main\.ts/)
      assert.isFalse(existsSync(join(directory, "target", "release", "run-it")))
    }
    assert.deepStrictEqual(lines, [])
    assert.instanceOf(await refusal(join(directory, "src")), ToolError)
  })

  it("is built where maintainers have not signed yet, and says on standard error what is doubtful", async () => {
    const directory = aModule(
      "const it: unknown = process.argv\nconsole.log(typeof it === \"nothing\", it === -0)\n",
      `[binary]\nhash = "sha256:${
        "00".repeat(32)
      }"\nsize = 7\n[signatures]\nthreshold = "1-of-1"\n[[signatures.maintainers]]\nname = "ann"\nkey = "02${
        "11".repeat(32)
      }"\n`
    )
    const lines = warnings()
    await build(directory)
    assert.lengthOf(lines, 2)
    for (const line of lines) assert.match(line, /\n$/)
  })
})
