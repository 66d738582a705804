import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Code, readCode } from "./code.ts"
import { runCommand } from "./command-line.ts"
import { readSpec, type Rule, type Spec } from "./spec.ts"

const TARGET = "kernel/src/generated/rule-ids.ts"

const ruleLine = ({ id, title, reject }: Rule): string =>
  `  ${JSON.stringify(id)}: { title: ${JSON.stringify(title)}, reject: ${JSON.stringify(reject)} }`

/** The generated module: what the kernel needs to know about the specification. */
export const ruleIdsModule = (spec: Spec): string => {
  const rules = [...spec.rules.values()]
  return `// Written by \`pnpm spec:gen\` from spec/; do not edit.

/** Title and reject reason of every rule, ordered by id. @internal */
export const RULES = {
${rules.map(ruleLine).join(",\n")}
} as const

/** Names one rule of the specification. */
export type RuleId = keyof typeof RULES

/** Ids by number; entry 0 is none, so that a fault is never 0. @internal */
export const RULE_IDS: ReadonlyArray<RuleId> = [undefined as never, ...(Object.keys(RULES) as Array<RuleId>)]

/** The number of each id, written out because an object literal keeps its properties in fast slots. @internal */
export const RULE_INDEX: Readonly<Record<RuleId, number>> = {
${rules.map(({ id }, i) => `  ${JSON.stringify(id)}: ${i + 1}`).join(",\n")}
}
`
}

/** Ids the kernel cites, in tags or in code, that the specification does not have. */
export const citedWithoutSpec = (code: Code, spec: Spec): ReadonlyArray<string> => {
  const cited = code.declarations.flatMap((d) => [...d.tags, ...d.raises].map((each) => each.id))
  return [...new Set(cited)].filter((id) => !spec.rules.has(id) && !spec.constants.has(id)).sort()
}

const USAGE = `Usage: pnpm spec:gen [--check]
Writes ${TARGET} from spec/.
  --check   write nothing; fail when the file is not what spec/ gives
  --help    this text`

/**
 * Brings the generated module below `root` up to date (or, with `check`, compares it); answers complaints, none when
 * all is well.
 */
export const generate = (root: string, check: boolean): ReadonlyArray<string> => {
  const spec = readSpec(root)
  if (spec.findings.length > 0) return spec.findings.map((finding) => `${finding.where}: ${finding.id} ${finding.what}`)
  const missing = citedWithoutSpec(readCode(root), spec)
  if (missing.length > 0) {
    return [`The kernel cites rules that spec/ does not have, so ${TARGET} is left as it is: ${missing.join(" ")}`]
  }
  const path = join(root, TARGET)
  const wanted = ruleIdsModule(spec)
  if (readFileSync(path, "utf8") === wanted) return []
  if (check) return [`${TARGET} differs from spec/; run: pnpm spec:gen`]
  writeFileSync(path, wanted)
  return []
}

if (import.meta.main) {
  await runCommand(USAGE, { check: { type: "boolean", default: false } }, ({ check }) => {
    const complaints = generate(join(import.meta.dirname, "../../.."), check)
    for (const complaint of complaints) console.error(complaint)
    if (complaints.length > 0) return 1
    console.log(`${TARGET} is what spec/ says`)
    return 0
  })
}
