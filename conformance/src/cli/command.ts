import type { AvailableProvider } from "@lockstep/crypto/provider.ts"
import { execute } from "../run/execute.ts"
import { type Plan, planRun, type Selection } from "../run/plan.ts"
import { suiteCalled } from "../runners/table.ts"
import { sourcesOf } from "../sources/discover.ts"
import type { Source } from "../sources/source.ts"
import { caseFiles } from "./case-files.ts"
import { HELP } from "./help.ts"
import { printList } from "./list.ts"
import { type Options, optionsOf } from "./options.ts"
import { progressOf } from "./progress.ts"
import { providersFor } from "./providers.ts"
import { writeReport } from "./report.ts"
import { ruleFiles } from "./rule-files.ts"
import { type PropertyTotal, runProperties } from "./rule-properties.ts"
import { printRulePage } from "./rule-page.ts"
import { printFailures, printFileFaults, printSummary } from "./summary.ts"
import { type RunTotal, totalOf } from "./totals.ts"
import { UsageError } from "./usage-error.ts"
import { print, printError } from "./print.ts"

const selectionOf = (options: Options, sources: ReadonlyArray<Source>): Selection => {
  const { suites, small, slow, rule, cases } = options
  const ours = sources.find(({ kind }) => kind === "ours")
  if (rule !== undefined && ours !== undefined) {
    const files = ruleFiles(ours, rule)
    printRulePage(rule, files)
    return { suites, small, slow, files }
  }
  return { suites, small, slow, files: cases.length === 0 ? undefined : caseFiles(sources, cases) }
}

const runOn = async (provider: AvailableProvider, plan: Plan, options: Options): Promise<RunTotal> => {
  const started = performance.now()
  const progress = progressOf(plan)
  const results = await execute(plan, provider, options.jobs, progress)
  progress.end()
  const total = totalOf(provider.name, plan, results, (performance.now() - started) / 1000)
  if (total.suites.every(({ cases }) => cases === 0)) return total
  printFailures(total, options)
  printSummary(total, provider, options)
  return total
}

/** What a run that judged nothing was asked for. */
const nothingToDo = ({ suites, cases }: Options, sources: ReadonlyArray<Source>): UsageError => {
  const where = sources.map(({ label }) => label).join(", ") || "no source"
  const what = cases.length > 0
    ? `case ${cases.join(", ")}`
    : suites.length > 0
    ? `suite ${suites.join(", ")}`
    : "anything"
  return new UsageError(
    `No vectors of ${what} in ${where}. Reference vectors that are not installed are found through --vectors DIR or LOCKSTEP_VECTORS.`
  )
}

const NO_PROPERTIES: PropertyTotal = { passed: 0, failed: 0 }

/** The property tests of the rule that was asked for. */
const propertiesOf = ({ rule }: Options): PropertyTotal => {
  if (rule === undefined) return NO_PROPERTIES
  const total = runProperties(rule)
  print(`\nrules (properties): ${total.passed} passed, ${total.failed} failed`)
  return total
}

const finalLine = (totals: ReadonlyArray<RunTotal>, faults: number, properties: PropertyTotal): string => {
  const sum = (of: (total: RunTotal) => number): number => totals.reduce((all, total) => all + of(total), 0)
  const skipped = sum((total) => total.skipped)
  return `${sum((t) => t.passed) + properties.passed} passed, ${
    sum((t) => t.failed) + faults + properties.failed
  } failed${skipped === 0 ? "" : `, ${skipped} skipped`}`
}

const printLeftOut = ({ leftOut }: Plan, { slow, small }: Options): void => {
  const slowOnes = leftOut.filter((name) => !slow && suiteCalled(name).slow === true)
  const others = leftOut.filter((name) => !slowOnes.includes(name))
  if (others.length > 0 && small) print(`Left out by --small: ${others.join(", ")}.`)
  if (slowOnes.length > 0) print(`Left out because slow: ${slowOnes.join(", ")} (--slow, or --suite with the name).`)
}

const judge = async (options: Options): Promise<number> => {
  const sources = sourcesOf(options.rule === undefined ? options.sources : ["ours"], options.vectors)
  const plan = planRun(sources, selectionOf(options, sources), options.jobs)
  const faults = plan.damaged.length + plan.unclaimed.length
  if (plan.units.length === 0 && faults === 0 && options.rule === undefined) throw nothingToDo(options, sources)
  const totals: Array<RunTotal> = []
  for (const provider of providersFor(options.provider)) totals.push(await runOn(provider, plan, options))
  printFileFaults(plan)
  if (options.suites.length === 0) printLeftOut(plan, options)
  if (options.json !== undefined) writeReport(options.json, plan, totals)
  const judged = totals.reduce((all, total) => all + total.passed + total.failed, 0)
  if (options.cases.length > 0 && judged === 0 && faults === 0) throw nothingToDo(options, sources)
  const properties = propertiesOf(options)
  print(`\n${finalLine(totals, faults, properties)}`)
  return faults > 0 || properties.failed > 0 || totals.some(({ failed }) => failed > 0) ? 1 : 0
}

/** Runs the command with `args` and answers its exit code. */
export const command = async (args: ReadonlyArray<string>): Promise<number> => {
  try {
    const options = optionsOf(args)
    if (options.help) {
      print(HELP)
      return 0
    }
    if (options.list) {
      printList(sourcesOf(options.sources, options.vectors))
      return 0
    }
    return await judge(options)
  } catch (error) {
    if (error instanceof UsageError) {
      printError(`${error.message}\nSee pnpm conformance --help.`)
      return 2
    }
    // A defect of this tool: there is no input to blame, so the message alone has to do.
    printError(`The run broke off: ${error instanceof Error ? error.message : String(error)}`)
    return 1
  }
}
