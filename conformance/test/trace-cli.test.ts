import { spawnSync } from "node:child_process"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterEach, assert, describe, it } from "vitest"
import { generate, ruleIdsModule } from "../src/trace/generate.ts"
import { readSpec } from "../src/trace/spec.ts"
import { directoryOf, edited, WORKSPACE } from "./trace-fixture.ts"

const SOURCE = join(import.meta.dirname, "../src/trace")
const TARGET = "kernel/src/generated/rule-ids.ts"

const run = (script: string, ...args: ReadonlyArray<string>) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(SOURCE, script), ...args], { encoding: "utf8" })
  return { status, stdout, stderr }
}

describe.each(["cli.ts", "generate.ts"])("trace/%s", (script) => {
  it("explains itself", () => {
    const { status, stdout, stderr } = run(script, "--help")
    assert.deepEqual([status, stderr], [0, ""])
    assert.match(stdout, /^Usage: pnpm/)
  })

  it("refuses an unknown option in one line", () => {
    const { status, stdout, stderr } = run(script, "--colour")
    assert.deepEqual([status, stdout], [2, ""])
    assert.match(stderr, /^Unknown option '--colour'\n\nUsage: pnpm/)
  })
})

describe("trace/cli.ts", () => {
  it("names a report that is not there, without a stack", () => {
    const { status, stderr } = run("cli.ts", "--report", "nowhere.json")
    assert.strictEqual(status, 1)
    assert.match(stderr, /nowhere\.json/)
    assert.notMatch(stderr, /\n\s+at /)
  })

  it("refuses a report that counts more than our own vectors", () => {
    const directory = directoryOf({
      "report.json": JSON.stringify({ suites: [{ source: "ours" }, { source: "npm" }], rules: [] })
    })
    try {
      const { status, stderr } = run("cli.ts", "--report", join(directory, "report.json"))
      assert.strictEqual(status, 1)
      assert.match(stderr, /report\.json: counts more than our own vectors; leave --report out/)
    } finally {
      rmSync(directory, { recursive: true })
    }
  })

  it("names a report that is none", () => {
    const { status, stderr } = run("cli.ts", "--report", join(SOURCE, "../../package.json"))
    assert.strictEqual(status, 1)
    assert.match(stderr, /package\.json: is no conformance report/)
  })
})

describe("spec:gen", () => {
  let directory = ""
  afterEach(() => rmSync(directory, { recursive: true }))

  it("writes the ids in order, with title, reject reason and number", () => {
    directory = directoryOf({ ...WORKSPACE, [TARGET]: "" })
    assert.deepEqual(generate(directory, true), [`${TARGET} differs from spec/; run: pnpm spec:gen`])
    assert.deepEqual(generate(directory, false), [])
    assert.deepEqual(generate(directory, true), [])
    const written = readFileSync(join(directory, TARGET), "utf8")
    assert.strictEqual(written, ruleIdsModule(readSpec(directory)))
    assert.include(
      written,
      "\"FRT-001\": { title: \"Fruit is ripe\", reject: \"unripe\" },\n  \"FRT-002\": { title: \"Sweetness\", reject: \"\" }"
    )
    assert.include(written, "\"FRT-001\": 1,\n  \"FRT-002\": 2,\n  \"FRT-003\": 3\n")
  })

  it("leaves the file alone while the kernel cites what the spec does not have", () => {
    directory = directoryOf({ ...edited(WORKSPACE, "kernel/src/eat.ts", "FRT-003", "FRT-777"), [TARGET]: "as it was" })
    assert.match(generate(directory, false).join(), /left as it is: FRT-777$/)
    assert.strictEqual(readFileSync(join(directory, TARGET), "utf8"), "as it was")
  })

  it("says what is wrong with the spec", () => {
    directory = directoryOf({
      ...edited(WORKSPACE, "spec/rules/fruit.md", "kind: judgement", "kind: wish"),
      [TARGET]: ""
    })
    assert.match(generate(directory, false).join(), /^spec\/rules\/fruit\.md:5: FRT-001 kind must be one of/)
  })
})
