import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, beforeAll, describe, it } from "vitest"
import { matrixDocument } from "../src/trace/matrix.ts"
import { readTestReport } from "../src/trace/tests.ts"
import { CODE, type Edit, edited, EXCEPTIONS, FITS, linesOf, SPEC, TEST, traceOf, WORKSPACE } from "./trace-fixture.ts"

describe("trace", () => {
  it("finds nothing in a workspace where everything fits", async () => {
    assert.deepEqual(await linesOf(FITS), [])
  })

  it("says that functions are not pinned before their hashes were written", async () => {
    assert.strictEqual((await linesOf(WORKSPACE)).filter((line) => line.includes("[meaning]")).length, 3)
  })

  it.each<readonly [string, Edit]>([
    ["prose", [SPEC, "Unripe fruit is sour.", "Unripe fruit is hard and sour."]],
    ["a reference", [SPEC, "[\"a gardener\"]", "[\"two gardeners\"]"]],
    ["white space of a formula", [SPEC, "$$day - fruit.picked", "$$ day  -\n  fruit.picked"]],
    ["the order of fields", [
      SPEC,
      "since: genesis\ninputs: { fruit: Fruit, day: Day }\nconstants",
      "inputs: { fruit: Fruit, day: Day }\nsince: genesis\nconstants"
    ]],
    ["a property's words", [SPEC, "Monotone: ripe", "Ripe"]]
  ])("says nothing when %s is edited", async (_, [path, from, to]) => {
    assert.deepEqual(await linesOf(edited(FITS, path, from, to)), [])
  })

  it("reports rules that no run accepted or rejected", async () => {
    const coverage = new Map([["FRT-001", { accepted: 3, rejected: 0 }], ["FRT-002", { accepted: 0, rejected: 2 }]])
    assert.deepEqual(await linesOf(FITS, { coverage }), [
      "vectors/rules/frt/FRT-001.json: FRT-001: no vector breaks it [vectors]",
      `${SPEC}:27: FRT-002: no vector satisfies it [vectors]`,
      `${SPEC}:43: FRT-003: no vector satisfies it [vectors]`,
      `${SPEC}:43: FRT-003: no vector breaks it [vectors]`
    ])
  })
})

describe("trace with a test run", () => {
  const report = (...tests: ReadonlyArray<readonly [title: string, status: string]>) => {
    const directory = mkdtempSync(join(tmpdir(), "trace-"))
    const file = join(directory, "tests.json")
    const assertionResults = tests.map(([title, status]) => ({ title, status }))
    writeFileSync(file, JSON.stringify({ testResults: [{ name: join(directory, TEST), assertionResults }] }))
    try {
      return readTestReport(directory, file)
    } finally {
      rmSync(directory, { recursive: true })
    }
  }
  const ALL = ["FRT-001/P1 a", "FRT-001/P2 b", "FRT-002/P1 c", "FRT-003/P1 d"].map((title) =>
    [title, "passed"] as const
  )

  it("accepts properties whose tests passed", async () => {
    assert.deepEqual(await linesOf(FITS, { ran: report(...ALL, ["other", "failed"]) }), [])
  })

  it.each([
    ["one failed", report(...ALL, ["FRT-002/P1 again", "failed"]), /FRT-002\/P1: its property test did not pass/],
    [
      "one was skipped",
      report(...ALL.slice(1), ["FRT-001/P1 a", "skipped"]),
      /FRT-001\/P1: its property test did not pass/
    ],
    ["one did not run", report(...ALL.slice(1)), /FRT-001\/P1: no property test ran/],
    [
      "one tests an unknown property",
      report(...ALL, ["FRT-003/P2 e", "passed"]),
      /FRT-003\/P2: tested but not in the spec/
    ]
  ])("reports when %s", async (_, ran, said) => {
    const lines = await linesOf(FITS, { ran })
    assert.strictEqual(lines.filter((line) => said.test(line)).length, 1, lines.join("\n"))
  })
})

describe("trace exceptions", () => {
  const broken = edited(FITS, TEST, "it(\"FRT-001/P2 stays ripe\", () => {})", "{}")
  const entry = (more = "") =>
    `- id: FRT-001/P2\n  check: properties\n  reason: takes a summer\n  issue: "#7"\n  expiry: 2030-06-30\n${more}`

  it("let pass what they name, and are counted", async () => {
    const result = await traceOf({ ...broken, [EXCEPTIONS]: entry() })
    assert.deepEqual(result.findings, [])
    assert.strictEqual(result.exceptions.exceptions.length, 1)
    assert.include(matrixDocument(result), "- FRT-001/P2, properties, until 2030-06-30: takes a summer (#7)")
  })

  it.each([
    ["one is over", broken, entry(), "2030-07-01", /ended on 2030-06-30/],
    ["one lets nothing pass", FITS, entry(), "2030-01-01", /lets nothing pass: remove it/],
    ["one has no reason", broken, entry().replace(/ {2}reason.*\n/, ""), "2030-01-01", /has no reason/],
    ["one has no day", broken, entry().replace("2030-06-30", "soon"), "2030-01-01", /expiry must be a day/],
    ["the list is none", broken, "id: FRT-001", "2030-01-01", /must be a list/]
  ])("are reported when %s", async (_, files, list, today, said) => {
    const lines = await linesOf({ ...files, [EXCEPTIONS]: list }, { today })
    assert.isTrue(lines.some((line) => said.test(line)), lines.join("\n"))
  })
})

describe("matrix", () => {
  let document = ""
  beforeAll(async () => {
    document = matrixDocument(await traceOf(FITS))
  })

  it("joins each rule with function, hash, vectors and properties", () => {
    const hash = FITS[CODE]!.match(/FRT-001 #(\w+)/)![1]!
    assert.include(
      document,
      "| [FRT-001](../../spec/rules/fruit.md#frt-001--fruit-is-ripe) | Fruit is ripe | judgement | " +
        `[\`fruitIsRipe\`](../../kernel/src/fruit.ts) | \`${hash}\` | [1 / 1](../../vectors/rules/frt/FRT-001.json) | ` +
        "[P1](../../property-tests/src/fruit.test.ts) [P2](../../property-tests/src/fruit.test.ts) |"
    )
    assert.include(document, "| [CST-900](../../spec/rules/constants.md) | `RIPENING` | 7 | days |")
    assert.include(document, "3 rules, 1 constants, 4 properties, 0 exceptions.")
  })

  it("is the same wherever the workspace lies", async () => {
    assert.strictEqual(matrixDocument(await traceOf(FITS)), document)
  })
})
