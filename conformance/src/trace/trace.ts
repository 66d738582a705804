import { existsSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { type Code, readCode } from "./code.ts"
import type { Coverage } from "./coverage.ts"
import { applyExceptions, type Exceptions, readExceptions } from "./exceptions.ts"
import type { Finding } from "./finding.ts"
import { codeFindings } from "./joins/code.ts"
import { constantFindings } from "./joins/constants.ts"
import { propertyFindings } from "./joins/properties.ts"
import { referenceFindings } from "./joins/references.ts"
import { vectorFindings } from "./joins/vectors.ts"
import { readSpec, type Spec } from "./spec.ts"
import { type PropertyTest, readTests, type Tests } from "./tests.ts"
import { readVectors, type Vectors } from "./vectors.ts"

/** Everything that is joined, and what does not fit together. */
export interface Trace {
  readonly spec: Spec
  readonly code: Code
  readonly vectors: Vectors
  readonly tests: Tests
  readonly coverage: ReadonlyMap<string, Coverage>
  readonly exceptions: Exceptions
  readonly findings: ReadonlyArray<Finding>
}

/** Evidence that comes from running something: rule counts of a conformance run, property tests of a test run. */
export interface Evidence {
  readonly coverage: ReadonlyMap<string, Coverage>
  readonly ran: ReadonlyArray<PropertyTest> | undefined
  /** `YYYY-MM-DD`, against which exceptions expire. */
  readonly today: string
}

/** What the kernel exports as constants: those of consensus, and those of policy where there is any. */
const constantsOf = async (root: string): Promise<Readonly<Record<string, unknown>>> => {
  const files = ["kernel/src/constants.ts", "kernel/src/relay/constants.ts"].filter((file) =>
    existsSync(join(root, file))
  )
  const modules = await Promise.all(files.map((file) => import(pathToFileURL(join(root, file)).href)))
  return Object.assign({}, ...modules)
}

/** Joins specification, code, vectors and tests below `root`, in both directions. */
export const trace = async (root: string, { coverage, ran, today }: Evidence): Promise<Trace> => {
  const spec = readSpec(root)
  const code = readCode(root)
  const vectors = readVectors(root)
  const tests = readTests(root)
  const exceptions = readExceptions(root)
  const constants = await constantsOf(root)
  const findings = [
    ...spec.findings,
    ...referenceFindings(spec),
    ...codeFindings(spec, code),
    ...constantFindings(spec, code, constants),
    ...vectorFindings(spec, vectors, coverage),
    ...propertyFindings(spec, tests, ran)
  ]
  return { spec, code, vectors, tests, coverage, exceptions, findings: applyExceptions(findings, exceptions, today) }
}
