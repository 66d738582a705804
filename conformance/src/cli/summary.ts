import { describeProvider } from "@lockstep/crypto/select.ts"
import type { AvailableProvider } from "@lockstep/crypto/provider.ts"
import type { Plan } from "../run/plan.ts"
import type { Failure } from "../run/result.ts"
import { RUN_PNPM } from "../workspace.ts"
import type { Options } from "./options.ts"
import type { RunTotal } from "./totals.ts"
import { print } from "./print.ts"

const MAX_FAILURES_SHOWN = 20

const number = (value: number): string => value.toLocaleString("en-US")

const quoted = (text: string): string => /^[\w./:@=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** The command that runs only the failed case again. */
const again = ({ file, index }: Failure, provider: string, options: Options): string => {
  const roots = options.vectors.map((directory) => ` --vectors ${quoted(directory)}`).join("")
  const forced = options.provider === undefined ? "" : ` --provider ${provider}`
  return `${RUN_PNPM} conformance --case ${quoted(`${file}:${index}`)}${roots}${forced}`
}

const printFailure = (failure: Failure, provider: string, options: Options): void => {
  const place = failure.index === "" ? failure.file : `${failure.file}:${failure.index}`
  print(`\nFAILED ${failure.suite}  ${place}`)
  if (failure.name !== "") print(`  case      ${failure.name}`)
  print(`  expected  ${failure.expected}`)
  print(`  actual    ${failure.actual}`)
  if (failure.index === "") return
  print(`  rule      ${failure.rule ?? "none named"}`)
  print(`  again     ${again(failure, provider, options)}`)
}

/** Prints the first failures of a run, with what it takes to see each again. */
export const printFailures = ({ failures, failed, provider }: RunTotal, options: Options): void => {
  for (const failure of failures.slice(0, MAX_FAILURES_SHOWN)) printFailure(failure, provider, options)
  if (failed > MAX_FAILURES_SHOWN) print(`\n… and ${number(failed - MAX_FAILURES_SHOWN)} more; --json FILE lists them.`)
}

/** Prints what is wrong with the vector files themselves; each counts as one failure. */
export const printFileFaults = (plan: Plan): void => {
  for (const { file, problem } of plan.damaged) print(`\nFAILED ${file.display} ${problem}`)
  for (const file of plan.unclaimed) {
    print(`\nFAILED ${file.display} is read by no suite and stands in no list of conformance/src/sources/claims.ts`)
  }
}

const row = (cells: ReadonlyArray<string>, widths: ReadonlyArray<number>): string =>
  cells.map((cell, i) => i < 2 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)).join("  ").trimEnd()

/** Prints the table of suites, the provider and why, and the time. */
export const printSummary = (total: RunTotal, provider: AvailableProvider, options: Options): void => {
  const head = ["suite", "source", "cases", "passed", "failed", "seconds"]
  const rows = total.suites.map((
    { name, from, cases, passed, failed, seconds }
  ) => [name, from, number(cases), number(passed), number(failed), seconds.toFixed(1)])
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((cells) => cells[i]!.length)))
  print(`\n${row(head, widths)}`)
  for (const cells of rows) print(row(cells, widths))
  const why = options.provider === undefined ? "the fastest one here" : "as asked for"
  print(
    `\nProvider ${describeProvider(provider)}: ${why}. Node ${process.versions.node}. ${
      total.seconds.toFixed(1)
    } seconds.`
  )
}
