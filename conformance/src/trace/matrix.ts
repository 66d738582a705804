import { implementationsOf } from "./code.ts"
import type { Rule } from "./spec.ts"
import type { Trace } from "./trace.ts"

/** One rule with all that is joined to it. */
export interface MatrixRow {
  readonly rule: Rule
  readonly functions: ReadonlyArray<{ readonly name: string; readonly file: string }>
  readonly vectors: string | undefined
  readonly accepted: number
  readonly rejected: number
  /** Property numbers with the file of their test, where one was found by reading. */
  readonly properties: ReadonlyArray<{ readonly id: string; readonly text: string; readonly file: string | undefined }>
}

/** The rows of the matrix, in order of rule ids. */
export const matrixRows = ({ spec, code, vectors, tests, coverage }: Trace): ReadonlyArray<MatrixRow> =>
  [...spec.rules.values()].map((rule) => ({
    rule,
    functions: implementationsOf(code, rule.id).map(({ name, file }) => ({ name, file })),
    vectors: vectors.files.get(rule.id),
    accepted: coverage.get(rule.id)?.accepted ?? 0,
    rejected: coverage.get(rule.id)?.rejected ?? 0,
    properties: rule.properties.map(({ id, text }) => ({
      id,
      text,
      file: tests.properties.find((test) => test.id === id)?.file
    }))
  }))

const FROM_AUDIT = "../../"

const link = (text: string, file: string | undefined, anchor = ""): string =>
  file === undefined ? text : `[${text}](${FROM_AUDIT}${file}${anchor})`

/** The anchor that a Markdown viewer gives the heading of a rule. */
const anchorOf = ({ id, title }: Rule): string =>
  `#${`${id} · ${title}`.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-")}`

const row = ({ rule, functions, vectors, accepted, rejected, properties }: MatrixRow): string => {
  const cells = [
    link(rule.id, rule.file, anchorOf(rule)),
    rule.title,
    rule.kind,
    functions.map(({ name, file }) => link(`\`${name}\``, file)).join(" ") || "none",
    `\`${rule.hash}\``,
    link(`${accepted} / ${rejected}`, vectors),
    properties.map(({ id, file }) => link(id.split("/")[1]!, file)).join(" ") || "none"
  ]
  return `| ${cells.join(" | ")} |`
}

/** The matrix as a document. It names no line, date or duration, so it changes only when something joined does. */
export const matrixDocument = (trace: Trace): string => {
  const rows = matrixRows(trace)
  const files = [...new Set(rows.map(({ rule }) => rule.file))].sort()
  const { constants } = trace.spec
  const { exceptions } = trace.exceptions
  const sections = files.map((file) =>
    `## ${link(file, file)}

| rule | title | kind | function | statement | accept / reject | properties |
| --- | --- | --- | --- | --- | --- | --- |
${rows.filter(({ rule }) => rule.file === file).map(row).join("\n")}
`
  )
  return `# Traceability

Written by \`pnpm trace\`; do not edit. How to read it: [README](README.md).

${rows.length} rules, ${constants.size} constants, ${
    rows.reduce((sum, { properties }) => sum + properties.length, 0)
  } properties, ${exceptions.length} exceptions.
*Statement* is the hash that pins the function to the normative part of its rule. *Accept / reject* counts the cases of our own
vectors in which the kernel found the rule to hold, or named it as broken. For a rule that yields a value, they are the cases
in which it gave the value stated, or differed from a value that a misreading would give.

${sections.join("\n")}
## Constants

| id | name | value | unit |
| --- | --- | --- | --- |
${
    [...constants.values()].map(({ id, name, value, unit, file }) =>
      `| ${link(id, file)} | \`${name}\` | ${value} | ${unit} |`
    ).join("\n")
  }

## Exceptions

${
    exceptions.length === 0
      ? "None."
      : exceptions.map(({ id, check, reason, issue, expiry }) =>
        `- ${id}, ${check}, until ${expiry}: ${reason} (${issue})`
      ).join("\n")
  }
`
}
