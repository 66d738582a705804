import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { Coverage } from "../src/trace/coverage.ts"
import { type Trace, trace } from "../src/trace/trace.ts"
import type { PropertyTest } from "../src/trace/tests.ts"
import { readCode } from "../src/trace/code.ts"
import { findingLine } from "../src/trace/finding.ts"
import { readSpec } from "../src/trace/spec.ts"
import { updateHashes } from "../src/trace/update-hashes.ts"

export const SPEC = "spec/rules/fruit.md"
export const CODE = "kernel/src/fruit.ts"
export const TEST = "property-tests/src/fruit.test.ts"
export const VECTORS = "vectors/rules/frt/FRT-001.json"
export const EXCEPTIONS = "conformance/trace-exceptions.yml"

/** Files of a workspace, by path. */
export type Files = Readonly<Record<string, string>>

/** A small workspace in which everything fits: a judgement, a computation, a composition of them, and a constant. */
export const WORKSPACE: Files = {
  "spec/rules/fruit.md": `# Fruit (FRT)

A line of text.

## FRT-001 · Fruit is ripe

\`\`\`rule
id: FRT-001
kind: judgement
since: genesis
inputs: { fruit: Fruit, day: Day }
constants: [CST-900]
errors: [UNRIPE]
reject: unripe
symbol: fruitIsRipe
refs: ["a gardener"]
\`\`\`

$$day - fruit.picked \\ge 7$$

Unripe fruit is sour.

- **P1** The verdict equals the statement,
  for all fruits and days.
- **P2** Monotone: ripe stays ripe.

## FRT-002 · Sweetness

\`\`\`rule
id: FRT-002
kind: computation
since: genesis
inputs: { fruit: Fruit }
yields: number
requires: [FRT-001]
symbol: sweetness
\`\`\`

$$sweetness(fruit) = 2 \\cdot fruit.sugar$$

- **P1** The value equals the statement.

## FRT-003 · Eating

\`\`\`rule
id: FRT-003
kind: composition
since: genesis
inputs: { fruit: Fruit, day: Day }
order: [FRT-001, FRT-002]
symbol: eat
\`\`\`

$$eat = fruitIsRipe \\land sweetness$$

- **P1** The order is the one stated.
`,
  "spec/rules/constants.md": `# Constants

| id | name | value | unit |
| --- | --- | --- | --- |
| CST-900 | \`RIPENING\` | \`2 ** 3 - 1\` | days |
`,
  "kernel/src/constants.ts": `/** Days until fruit is ripe. @spec CST-900 */
export const RIPENING = 7
`,
  "kernel/src/fruit.ts": `import { RIPENING } from "./constants.ts"

/** A fruit. */
export interface Fruit { readonly picked: number; readonly sugar: number }

/**
 * Fruit has ripened.
 *
 * @spec FRT-001 #aaaaaaaa
 */
export const fruitIsRipe = (fruit: Fruit, day: Day): number => day - fruit.picked < RIPENING ? UNRIPE : 0

const UNRIPE = fault("FRT-001", ScriptError.UNRIPE)

/**
 * How sweet it is.
 *
 * @spec FRT-002 #bbbbbbbb
 */
export function sweetness(fruit: Fruit): number {
  return half(fruit.sugar) * 4
}

/** Half of it. @internal */
export const half = (sugar: number): number => sugar / 2
`,
  "kernel/src/eat.ts": `/** All of it. @spec FRT-003 #cccccccc */
export const eat = (fruit: Fruit, day: Day): number => fruitIsRipe(fruit, day) || sweetness(fruit)
`,
  "kernel/src/basket.ts": `/** What fruit is carried in. */
export const basket = (): number => 1
`,
  "kernel/src/index.ts": `export { basket } from "./basket.ts"
`,
  "kernel/package.json": `{ "exports": { ".": "./src/index.ts", "./internal/*": "./src/*" } }`,
  "vectors/rules/frt/FRT-001.json": `{ "rule": "FRT-001", "cases": [
  { "name": "a week", "rules": ["FRT-002"], "expect": "holds" },
  { "name": "six days", "expect": { "violation": "FRT-001", "error": "UNRIPE" } }
] }`,
  "property-tests/src/fruit.test.ts": `
it("FRT-001/P1 agrees with SHA-256", () => {})
it.each(["FRT-002"])("%s/P1 agrees", () => {})
for (const id of ["FRT-003"]) it(\`\${id}/P1 keeps the order\`, () => {})
describe("FRT-001", () => it("FRT-001/P2 stays ripe", () => {}))
`
}

const SEEN: Coverage = { accepted: 1, rejected: 1 }
const COVERAGE = new Map(["FRT-001", "FRT-002", "FRT-003"].map((id) => [id, SEEN]))

/** A directory with `files`; the caller removes it. */
export const directoryOf = (files: Files): string => {
  const directory = mkdtempSync(join(tmpdir(), "trace-"))
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), content)
  }
  return directory
}

/** What a trace of `files` is given besides them. */
export interface Given {
  readonly coverage?: ReadonlyMap<string, Coverage>
  readonly ran?: ReadonlyArray<PropertyTest>
  readonly today?: string
}

/** Traces a workspace that consists of `files`. */
export const traceOf = async (
  files: Files,
  { coverage = COVERAGE, ran, today = "2030-01-01" }: Given = {}
): Promise<Trace> => {
  const directory = directoryOf(files)
  try {
    return await trace(directory, { coverage, ran, today })
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** `files` with one text replaced; the text must be there. */
export const edited = (files: Files, path: string, from: string, to: string): Files => {
  const content = files[path]
  if (content === undefined || !content.includes(from)) throw new Error(`${path} has no ${JSON.stringify(from)}`)
  return { ...files, [path]: content.replace(from, () => to) }
}

/** The workspace with its tags pinned, as `--update-hashes` leaves it. */
const pinned = (files: Files): Files => {
  const directory = directoryOf(files)
  try {
    updateHashes(directory, readSpec(directory), readCode(directory))
    return Object.fromEntries(Object.keys(files).map((path) => [path, readFileSync(join(directory, path), "utf8")]))
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** What the trace finds in a workspace, as lines. */
export const linesOf = async (files: Files, given?: Given): Promise<ReadonlyArray<string>> =>
  (await traceOf(files, given)).findings.map(findingLine)

/** The workspace in which everything fits, pinned. */
export const FITS = pinned(WORKSPACE)

/** A change of a file of the workspace: `from`, which stands there, becomes `to`. */
export type Edit = readonly [path: string, from: string, to: string]
