import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { readCode } from "./code.ts"
import { runCommand } from "./command-line.ts"
import { readCoverage, recordCoverage } from "./coverage.ts"
import { findingLine } from "./finding.ts"
import { matrixDocument, matrixRows } from "./matrix.ts"
import { readSpec } from "./spec.ts"
import { readTestReport } from "./tests.ts"
import { type Trace, trace } from "./trace.ts"
import { updateHashes } from "./update-hashes.ts"

const ROOT = join(import.meta.dirname, "../../..")
const MATRIX = "docs/audit/traceability.md"

const USAGE = `Usage: pnpm trace [options]
Joins spec, code, vectors and property tests in both directions and writes ${MATRIX}.
  --check           do not write the matrix; fail when it is not what the joins give
  --report FILE     take rule coverage from this report of pnpm conformance --source ours instead of running it
  --tests FILE      take property tests from this report of vitest's JSON reporter instead of reading the sources
  --json FILE       write everything that was joined, and every fault, to FILE
  --update-hashes   pin every @spec tag to its statement as it is now (read the functions first), and stop
  --help            this text`

const OPTIONS = {
  check: { type: "boolean", default: false },
  report: { type: "string" },
  tests: { type: "string" },
  json: { type: "string" },
  "update-hashes": { type: "boolean", default: false }
} as const

const summary = (result: Trace): string => {
  const rows = matrixRows(result)
  const { spec, code, exceptions } = result
  const exported = code.declarations.filter(({ form }) => form !== "type")
  const tagged = exported.filter(({ tags }) => tags.length > 0).length
  const both = rows.filter(({ accepted, rejected }) => accepted > 0 && rejected > 0).length
  const tested =
    rows.filter(({ rule: { id } }) =>
      !result.findings.some((f) => f.check === "properties" && f.id.startsWith(`${id}/`))
    ).length
  return [
    `rules        ${rows.length}: ${
      rows.filter(({ functions }) => functions.length === 1).length
    } with one function, ` +
    `${both} accepted and rejected by vectors, ${tested} with their properties tested`,
    `properties   ${rows.reduce((sum, { properties }) => sum + properties.length, 0)}`,
    `constants    ${spec.constants.size}`,
    `exports      ${exported.length}: ${tagged} tied to a rule or constant, ${
      exported.filter(({ internal }) => internal).length
    } internal, ` +
    `${exported.filter(({ isPublic }) => isPublic).length} on a public face`,
    `exceptions   ${exceptions.exceptions.length}`
  ].join("\n")
}

const jsonReport = (result: Trace): string =>
  JSON.stringify(
    {
      rules: matrixRows(result).map(({ rule, ...joined }) => ({
        id: rule.id,
        title: rule.title,
        kind: rule.kind,
        symbol: rule.symbol,
        hash: rule.hash,
        file: rule.file,
        line: rule.line,
        ...joined
      })),
      constants: [...result.spec.constants.values()].map(({ id, name, value, unit }) => ({
        id,
        name,
        value: String(value),
        unit
      })),
      exceptions: result.exceptions.exceptions,
      findings: result.findings
    },
    null,
    2
  )

const saveMatrix = (document: string, check: boolean): ReadonlyArray<string> => {
  const path = join(ROOT, MATRIX)
  if (existsSync(path) && readFileSync(path, "utf8") === document) return []
  if (check) return [`${MATRIX} is not what the joins give; run: pnpm trace`]
  writeFileSync(path, document)
  return []
}

await runCommand(USAGE, OPTIONS, async (options) => {
  if (options["update-hashes"]) {
    const changes = updateHashes(ROOT, readSpec(ROOT), readCode(ROOT))
    for (const change of changes) console.log(change)
    console.log(`${changes.length} tags rewritten`)
    return 0
  }
  const coverage = options.report === undefined ? await recordCoverage(ROOT) : readCoverage(options.report)
  const ran = options.tests === undefined ? undefined : readTestReport(ROOT, options.tests)
  const result = await trace(ROOT, { coverage, ran, today: new Date().toISOString().slice(0, 10) })
  if (options.json !== undefined) writeFileSync(options.json, `${jsonReport(result)}\n`)
  const faults = [...result.findings.map(findingLine), ...saveMatrix(matrixDocument(result), options.check)]
  for (const line of faults) console.error(line)
  console.log(summary(result))
  console.log(faults.length === 0 ? "traced both ways" : `${faults.length} ${faults.length === 1 ? "fault" : "faults"}`)
  return faults.length === 0 ? 0 : 1
})
