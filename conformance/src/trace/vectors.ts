import { globSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import type { Finding } from "./finding.ts"
import { RULE_ID } from "./rule-id.ts"

/** A rule id in a vector file. `expected`: it must be named as broken; else it is only exercised. */
export interface CitedId {
  readonly id: string
  readonly where: string
  readonly in: string
}

/** Our own vectors, as far as tracing looks at them: which rules they speak of. */
export interface Vectors {
  readonly cited: ReadonlyArray<CitedId>
  /** Rules that have a file of their own. */
  readonly files: ReadonlyMap<string, string>
  readonly findings: ReadonlyArray<Finding>
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const idsOfCase = (vector: Readonly<Record<string, unknown>>): ReadonlyArray<string> => {
  const rules = Array.isArray(vector["rules"]) ? vector["rules"] : []
  const expect = vector["expect"]
  return [...rules, isRecord(expect) ? expect["violation"] : undefined].filter((id) => typeof id === "string")
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Reads `vectors/rules` below `root`. */
export const readVectors = (root: string): Vectors => {
  const cited: Array<CitedId> = []
  const files = new Map<string, string>()
  const findings: Array<Finding> = []
  for (const file of globSync("vectors/rules/**/*.json", { cwd: root }).sort()) {
    const content = parse(readFileSync(join(root, file), "utf8"))
    const name = basename(file, ".json")
    const rule = isRecord(content) ? content["rule"] : undefined
    const cases = isRecord(content) && Array.isArray(content["cases"]) ? content["cases"] : undefined
    if (rule !== name || !RULE_ID.test(name) || cases === undefined) {
      findings.push({ check: "vectors", id: name, where: file, what: `is not { "rule": "${name}", "cases": [ … ] }` })
      continue
    }
    files.set(name, file)
    cited.push({ id: name, where: file, in: "the file's rule" })
    for (const [i, each] of cases.entries()) {
      if (isRecord(each)) { for (const id of idsOfCase(each)) cited.push({ id, where: file, in: `case ${i}` }) }
    }
  }
  return { cited, files, findings }
}
