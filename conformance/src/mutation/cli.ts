import { existsSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { runCommand, UserError } from "../trace/command-line.ts"
import { AREAS } from "./areas/all-areas.ts"
import { areaCommand } from "./areas/area-command.ts"
import { type Equivalent, matchEquivalents, readEquivalents } from "./equivalents.ts"
import { type Experiment, experiment, type Progress } from "./experiment.ts"
import { mutantsOf, readKernel } from "./kernel-sources.ts"
import { folderOf, mutantLine } from "./mutant.ts"
import { type Findings, mutationDocument, reachOf, scoreLine, scores, survivors } from "./report.ts"

const ROOT = join(import.meta.dirname, "../../..")
const REPORT = "docs/audit/mutation.md"
const WANTED_PERCENT = 90
const MAX_FAULTS_SHOWN = 20

/** Names with commas between them, in lines that begin with `indent`. */
const listed = (names: ReadonlyArray<string>, indent: string, width: number): string => {
  const lines: Array<string> = []
  for (const name of names) {
    const line = lines.at(-1)
    if (line === undefined || line.length + name.length + 3 > width) lines.push(`${indent}${name}`)
    else lines[lines.length - 1] = `${line}, ${name}`
  }
  return lines.join(",\n")
}

const USAGE = `Usage: pnpm mutation [options]
Changes the kernel in thousands of small ways and lists the changes that no vector kills. With --area, plants a sample of
faults in a copy of the workspace instead and runs the tests nearest to each.
Exit code 1 when a folder or area scores below ${WANTED_PERCENT} %, conformance/mutation-equivalents.yml is out of date, or a
case fails in the kernel as it is.
  --folder NAME    only this folder of kernel/src, such as script
  --file FILE      only this file, such as sigops/script.ts
  --vectors DIR    a root of reference vectors (default: LOCKSTEP_VECTORS, if set)
  --jobs N         processes to use (default: 2)
  --json FILE      write every mutant and what became of it to FILE
  --report         write ${REPORT}; of the whole kernel only.
                   With --area: write docs/audit/mutation-runs/AREA-SEED.md
  --area NAME      one of these:
${listed(AREAS.map(({ name }) => name), "                   ", 120)}
  --faults N       with --area: how many faults (default: 30)
  --seed N         with --area: repeats a run, or goes on with one that has ended early (default: another each time; printed)
  --seconds N      with --area: begin no fault after so long (default: 3600)
  --limit N        with --area: seconds of tests for one fault (default: 30)
  --help           this text`

const OPTIONS = {
  folder: { type: "string" },
  file: { type: "string" },
  vectors: { type: "string" },
  jobs: { type: "string" },
  json: { type: "string" },
  report: { type: "boolean", default: false },
  area: { type: "string" },
  faults: { type: "string" },
  seed: { type: "string" },
  seconds: { type: "string" },
  limit: { type: "string" }
} as const

/** Redraws one line on a terminal; writes nothing where there is no terminal. */
const showProgress: Progress = (done, all, survived) => {
  if (!process.stderr.isTTY || (done % 20 !== 0 && done !== all)) return
  process.stderr.write(`\r${done}/${all} mutants tried, ${survived} survived${done === all ? "\n" : ""}`)
}

const jsonReport = (findings: Findings): string =>
  JSON.stringify(
    {
      scores: scores(findings),
      mutants: findings.mutants.map(({ id, ...mutant }) => ({
        ...mutant,
        folder: folderOf(mutant),
        ...findings.experiment.fates.get(id),
        equivalent: findings.equivalents.get(id)?.reason
      }))
    },
    null,
    2
  )

const jobsOf = (text = "2"): number => {
  const jobs = Number(text)
  if (!Number.isInteger(jobs) || jobs < 1 || jobs > 64) throw new UserError("--jobs takes a number from 1 to 64")
  return jobs
}

const vectorRoot = (given: string | undefined): string | undefined => {
  const root = given ?? process.env["LOCKSTEP_VECTORS"] ?? ""
  if (root === "") return undefined
  if (!existsSync(root)) throw new UserError(`there is no directory ${root}`)
  return resolve(root)
}

/** Cases that fail without any mutant cannot kill one. */
const baselineFaults = ({ survey }: Experiment): ReadonlyArray<string> =>
  survey.cases.flatMap(({ label, fault }) =>
    fault === undefined ? [] : [`${label} fails in the kernel as it is, so it judges nothing: ${fault}`]
  )

const show = (findings: Findings, faults: ReadonlyArray<string>): void => {
  for (const survivor of survivors(findings)) console.log(`${mutantLine(survivor.mutant)} (${reachOf(survivor)})`)
  for (const score of scores(findings)) console.log(scoreLine(score))
  for (const fault of faults.slice(0, MAX_FAULTS_SHOWN)) console.error(fault)
  if (faults.length > MAX_FAULTS_SHOWN) console.error(`and ${faults.length - MAX_FAULTS_SHOWN} more`)
}

/** The entries of the list that speak of the kernel; those of areas are matched by runs with --area. */
const kernelEquivalents = (): ReadonlyArray<Equivalent> =>
  readEquivalents(ROOT).filter(({ file }) => file.startsWith("kernel/"))

const DEFAULTS = { faults: "30", seconds: "3600", limit: "30" } as const

/** The options that were typed. */
const given = (options: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(options).flatMap(([name, value]) => value === undefined ? [] : [[name, value]]))

/** Refuses an option that the chosen kind of run does not know, so that none is typed in vain. */
const refuseOthers = (kind: string, others: Readonly<Record<string, string | undefined>>): void => {
  for (const [name, value] of Object.entries(others)) {
    if (value !== undefined) throw new UserError(`--${name} is not for ${kind}`)
  }
}

await runCommand(
  USAGE,
  OPTIONS,
  async ({ folder, file, vectors, jobs, json, report, area, seed, faults, seconds, limit }) => {
    if (area !== undefined) {
      refuseOthers("a run with --area", { folder, file, vectors, jobs, json })
      const output = { line: (text: string) => console.log(text), fault: (text: string) => console.error(text) }
      return areaCommand(
        ROOT,
        { ...DEFAULTS, area, seed, report, ...given({ faults, seconds, limit }) },
        WANTED_PERCENT,
        output
      )
    }
    refuseOthers("a run without --area", { seed, faults, seconds, limit })
    const choice = { folder, file }
    const isPart = folder !== undefined || file !== undefined
    if (report && isPart) throw new UserError("--report is about the whole kernel: leave --folder and --file out")
    const mutants = mutantsOf(readKernel(ROOT, choice))
    if (mutants.length === 0) {
      throw new UserError(
        "there is no such folder or file in kernel/src, or nothing in it can be changed"
      )
    }
    const order = { root: ROOT, vectors: vectorRoot(vectors), choice }
    const done = await experiment(order, mutants, jobsOf(jobs), showProgress)
    const { byMutant, faults: listFaults } = matchEquivalents(kernelEquivalents(), mutants, done.fates, isPart)
    const findings = { mutants, experiment: done, equivalents: byMutant }
    const complaints = [...baselineFaults(done), ...listFaults]
    show(findings, complaints)
    if (json !== undefined) writeFileSync(json, `${jsonReport(findings)}\n`)
    if (report) writeFileSync(join(ROOT, REPORT), mutationDocument(findings))
    return complaints.length === 0 && scores(findings).every(({ percent }) => percent >= WANTED_PERCENT) ? 0 : 1
  }
)
