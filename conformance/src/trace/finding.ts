/** What the trace check looks at; an exception names one of these. */
export type Check =
  | "spec"
  | "code"
  | "meaning"
  | "parameters"
  | "errors"
  | "constants"
  | "references"
  | "vectors"
  | "properties"
  | "exceptions"

/** Something that does not fit together. */
export interface Finding {
  readonly check: Check
  /** The rule, property or name it is about; exceptions are looked up by it. */
  readonly id: string
  /** File and line, relative to the root, where a reader should look first. */
  readonly where: string
  readonly what: string
}

/** One line for a person. */
export const findingLine = (finding: Finding): string =>
  `${finding.where}: ${finding.what.startsWith(finding.id) ? "" : `${finding.id}: `}${finding.what} [${finding.check}]`
