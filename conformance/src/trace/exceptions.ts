import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parse as parseYaml } from "yaml"
import type { Finding } from "./finding.ts"

const FILE = "conformance/trace-exceptions.yml"
const FIELDS = ["id", "check", "reason", "issue", "expiry"] as const

/** A finding that is let pass for a while: which one, why, where it is being dealt with, until when (`YYYY-MM-DD`). */
export type Exception = Readonly<Record<typeof FIELDS[number], string>>

/** The exceptions, and what is wrong with the list itself. */
export interface Exceptions {
  readonly exceptions: ReadonlyArray<Exception>
  readonly findings: ReadonlyArray<Finding>
}

const finding = (id: string, what: string): Finding => ({ check: "exceptions", id, where: FILE, what })

const readEntry = (entry: unknown, place: number): Exception | Finding => {
  const fields: Readonly<Record<string, unknown>> = typeof entry === "object" && entry !== null ? { ...entry } : {}
  const missing = FIELDS.filter((field) => typeof fields[field] !== "string" || fields[field] === "")
  const id = typeof fields["id"] === "string" ? fields["id"] : `entry ${place + 1}`
  if (missing.length > 0) return finding(id, `has no ${missing.join(", no ")}`)
  if (!/^\d{4}-\d{2}-\d{2}$/.test(String(fields["expiry"]))) return finding(id, "expiry must be a day: YYYY-MM-DD")
  return Object.fromEntries(FIELDS.map((field) => [field, String(fields[field])])) as Exception
}

/** Reads the list of exceptions below `root`; no file is an empty list. */
export const readExceptions = (root: string): Exceptions => {
  const path = join(root, FILE)
  // Days stay text: a YAML date would become a moment in some time zone.
  const entries: unknown = existsSync(path) ? parseYaml(readFileSync(path, "utf8"), { schema: "failsafe" }) : []
  if (entries === null || entries === "") return { exceptions: [], findings: [] }
  if (!Array.isArray(entries)) {
    return { exceptions: [], findings: [finding("list", "must be a list of { id, check, reason, issue, expiry }")] }
  }
  const read = entries.map(readEntry)
  return {
    exceptions: read.filter((each): each is Exception => "reason" in each),
    findings: read.filter((each): each is Finding => "what" in each)
  }
}

/** `findings` less what an exception lets pass, plus exceptions that are over or let nothing pass. */
export const applyExceptions = (
  findings: ReadonlyArray<Finding>,
  { exceptions, findings: ownFindings }: Exceptions,
  today: string
): ReadonlyArray<Finding> => {
  const unused = new Set(exceptions)
  const left = findings.filter(({ id, check }) => {
    const exception = exceptions.find((each) => each.id === id && each.check === check)
    if (exception !== undefined) unused.delete(exception)
    return exception === undefined
  })
  return [
    ...left,
    ...ownFindings,
    ...[...unused].map(({ id, check }) => finding(id, `the exception for ${check} lets nothing pass: remove it`)),
    ...exceptions.filter(({ expiry }) => expiry < today).map(({ id, check, expiry }) =>
      finding(id, `the exception for ${check} ended on ${expiry}`)
    )
  ]
}
