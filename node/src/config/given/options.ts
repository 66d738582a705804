import * as Result from "effect/Result"
import { type CatalogueKey, FILE_KEYS, KEYS, keyCalled, shownKey } from "../catalogue.ts"
import { nearest } from "@lockstep/protocol/nearest-name.ts"
import { withoutAlias } from "./aliases.ts"
import { withoutQuotes } from "../schema/written-value.ts"
import { problemFound, type Reading, readingOf, valueGiven } from "./given.ts"
import { describeValue, judgeText } from "./judge-value.ts"

/** An option of the command line, as texts: the option, its key, the value. */
export interface OptionGiven {
  /** Option such as `--data-dir`. */
  readonly option: string
  readonly key: string
  readonly text: string
}

const judged = (option: string, key: CatalogueKey, text: string): Reading => {
  const result = judgeText(key, text)
  if (Result.isFailure(result)) return problemFound(`${option}: ${result.failure}`)
  return valueGiven({ key: key.name, value: result.success, origin: "command line", source: option })
}

const withoutBrackets = (name: string): string => name.replaceAll(/[[\]\s]/g, "")

/** Reads one `--set key=value`. The value is written as in a file, or without the quotes. */
const readSet = (assignment: string): Reading => {
  const equals = assignment.indexOf("=")
  if (equals < 1) return problemFound(`--set: expected key=value, found ${describeValue(assignment, false)}`)
  const name = withoutBrackets(assignment.slice(0, equals))
  const key = KEYS.get(withoutAlias(name))
  if (key !== undefined && key.inFile) {
    return judged(`--set ${name}`, key, withoutQuotes(assignment.slice(equals + 1).trim()))
  }
  const near = nearest(name, FILE_KEYS.map((known) => known.name))
  const hint = near === undefined ? "" : `; did you mean ${shownKey(near)}?`
  return problemFound(`--set: ${shownKey(name)} is not a known key${hint}`)
}

const contradictions = (options: ReadonlyArray<OptionGiven>): Reading =>
  readingOf(options.flatMap(({ key, option }, index) => {
    const other = options.slice(index + 1).find((later) => later.key === key && later.option !== option)
    return other === undefined ? [] : [problemFound(`${option} and ${other.option} exclude each other`)]
  }))

/** Reads the options. `--set` is stronger than other options, and its last occurrence wins. */
export const readOptions = (options: ReadonlyArray<OptionGiven>, assignments: ReadonlyArray<string>): Reading =>
  readingOf([
    contradictions(options),
    ...options.map(({ key, option, text }) => judged(option, keyCalled(key), text)),
    ...assignments.map(readSet)
  ])
