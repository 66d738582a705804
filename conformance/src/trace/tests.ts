import { globSync, readFileSync } from "node:fs"
import { isAbsolute, join, relative } from "node:path"
import { PROPERTY_ID, RULE_ID, RULE_IDS_IN_TEXT } from "./rule-id.ts"
import { lineAt, parseSource, type SyntaxNode, walk } from "./syntax.ts"
import type { CitedId } from "./vectors.ts"

/** A test whose title starts with the id of a property. */
export interface PropertyTest {
  readonly id: string
  readonly where: string
  readonly file: string
  /** What the test run said; unknown when tests are only read. */
  readonly passed: boolean | undefined
  /** Read from a title whose rule comes from a table, so the table may not hold it. */
  readonly guessed: boolean
}

/** What test sources speak of. */
export interface Tests {
  readonly properties: ReadonlyArray<PropertyTest>
  readonly cited: ReadonlyArray<CitedId>
}

/** Look like rule ids and are names of something else. */
const OTHER_NAMES = new Set(["SHA", "BIP", "ISO", "UTF"])

const stringsIn = (node: SyntaxNode): ReadonlyArray<string> => {
  if (node.type === "Literal" && typeof node["value"] === "string") return [node["value"]]
  if (node.type !== "TemplateLiteral") return []
  const quasis = node["quasis"] as ReadonlyArray<{ readonly value: { readonly cooked: string } }>
  return [quasis.map(({ value }) => value.cooked).join("%s")]
}

/** A title made in a table: `%s/P1 …`, `$rule/P1 …`, or a template that begins with a value. */
const TABLE_TITLE = /^(?:%s|\$\w+)\/(P\d+)\b/

/**
 * Reads one test file. A title whose rule comes from a table counts for every id that stands alone in a string of the
 * file; which of them the table really holds is known to the test run alone.
 */
const readTestFile = (file: string, text: string): Tests => {
  const properties = new Map<string, PropertyTest>()
  const cited: Array<CitedId> = []
  const ids = new Set<string>()
  const suffixes: Array<{ readonly suffix: string; readonly where: string }> = []
  const add = (id: string, where: string, guessed: boolean) => {
    if (!properties.has(id)) properties.set(id, { id, where, file, passed: undefined, guessed })
  }
  walk(parseSource(file, text).program, (node) => {
    for (const string of stringsIn(node)) {
      const where = `${file}:${lineAt(text, node.start)}`
      const id = PROPERTY_ID.exec(string)?.[0]
      if (id !== undefined) add(id, where, false)
      const suffix = TABLE_TITLE.exec(string)?.[1]
      if (suffix !== undefined) suffixes.push({ suffix, where })
      if (RULE_ID.test(string)) ids.add(string)
      for (const [match] of string.matchAll(RULE_IDS_IN_TEXT)) {
        if (!OTHER_NAMES.has(match.slice(0, 3))) cited.push({ id: match, where, in: "a test" })
      }
    }
  })
  for (const { suffix, where } of suffixes) for (const id of ids) add(`${id}/${suffix}`, where, true)
  return { properties: [...properties.values()], cited }
}

/** Reads the tests below `root`. The judge's own tests are left out: they make rules up. */
export const readTests = (root: string): Tests => {
  const files = globSync("{kernel,crypto,property-tests}/**/*.test.ts", {
    cwd: root,
    exclude: (path) => path.includes("node_modules")
  })
  const read = files.sort().map((file) => readTestFile(file, readFileSync(join(root, file), "utf8")))
  return { properties: read.flatMap((each) => each.properties), cited: read.flatMap((each) => each.cited) }
}

interface VitestReport {
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly assertionResults: ReadonlyArray<{ readonly title: string; readonly status: string }>
  }>
}

const isVitestReport = (value: unknown): value is VitestReport =>
  typeof value === "object" && value !== null && "testResults" in value && Array.isArray(value.testResults)

/** The property tests of a run, from the report of vitest's JSON reporter. */
export const readTestReport = (root: string, reportFile: string): ReadonlyArray<PropertyTest> => {
  const report: unknown = JSON.parse(readFileSync(reportFile, "utf8"))
  if (!isVitestReport(report)) throw new Error(`${reportFile}: is no report of vitest's JSON reporter`)
  return report.testResults.flatMap(({ name, assertionResults }) => {
    const file = isAbsolute(name) ? relative(root, name) : name
    return assertionResults.flatMap(({ title, status }) => {
      const id = PROPERTY_ID.exec(title)?.[0]
      return id === undefined ? [] : [{ id, where: file, file, passed: status === "passed", guessed: false }]
    })
  })
}
