import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { UserError } from "../../trace/command-line.ts"
import { matchEquivalents, readEquivalents } from "../equivalents.ts"
import type { Fate } from "../experiment.ts"
import { mutantLine } from "../mutant.ts"
import { areaCalled, AREAS } from "./all-areas.ts"
import { type Area, filesOfArea, isOfArea, otherFiles, testsOfArea } from "./area.ts"
import { areaDocument, areaScore, areaScoreLine, type AreaResults } from "./area-report.ts"
import { runArea } from "./area-run.ts"
import type { AreaFate } from "./area-trial.ts"
import { openBaselineRecord } from "./baseline-record.ts"
import { drawFaults } from "./draw-faults.ts"
import { faultsOfArea } from "./fault.ts"
import { openRunRecord } from "./run-record.ts"

/** Options of `pnpm mutation --area`, as they were typed. */
export interface AreaOptions {
  readonly area: string
  readonly faults: string
  readonly seed: string | undefined
  readonly seconds: string
  readonly limit: string
  readonly report: boolean
}

/** What of a run can be shown while it goes on. */
export interface AreaOutput {
  readonly line: (text: string) => void
  readonly fault: (text: string) => void
}

const MOST_SEED = 0x7fffffff

const wholeNumber = (option: string, text: string, most: number): number => {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1 || number > most) {
    throw new UserError(`--${option} takes a number from 1 to ${most}`)
  }
  return number
}

const areaOf = (name: string): Area => {
  const area = areaCalled(name)
  if (area === undefined) throw new UserError(`there is no area ${name}: ${AREAS.map((each) => each.name).join(", ")}`)
  return area
}

/** As the list of equivalents sees it: whatever notices a fault shows that it is not equivalent. */
const fateForList = (fate: AreaFate): Fate =>
  fate.kind === "survived"
    ? { kind: "survived", reached: true, seen: true }
    : { kind: "killed", by: fate.by, how: "answers differently" }

/** Where the page about a run is written. */
export const reportOf = ({ area, seed }: { readonly area: string; readonly seed: number }): string =>
  `docs/audit/mutation-runs/${area}-${seed}.md`

/** Plants a sample of an area's faults and says what became of each; answers the exit code. */
export const areaCommand = async (
  root: string,
  options: AreaOptions,
  wantedPercent: number,
  { line, fault: complain }: AreaOutput
): Promise<number> => {
  const area = areaOf(options.area)
  const seed = options.seed === undefined ? Date.now() % MOST_SEED + 1 : wholeNumber("seed", options.seed, MOST_SEED)
  const count = wholeNumber("faults", options.faults, 100_000)
  const untilAfter = wholeNumber("seconds", options.seconds, 1_000_000) * 1000
  const secondsPerFault = wholeNumber("limit", options.limit, 3_600)
  const faults = faultsOfArea(root, area)
  const sample = drawFaults(faults, count, seed)
  const tests = testsOfArea(root, area)
  line(`${area.name}: ${sample.length} of ${faults.length} faults, seed ${seed}`)
  if (process.env["LOCKSTEP_VECTORS"] === undefined) {
    process.stderr.write("without LOCKSTEP_VECTORS no test of recordings runs\n")
  }
  const record = openRunRecord(root, { area: area.name, seed }, { sources: filesOfArea(root, area), tests })
  const others = otherFiles(root)
  const { fates, failing } = await runArea({
    root,
    area: area.name,
    seed,
    sample,
    tests,
    record,
    known: openBaselineRecord(root, others),
    others,
    perFault: secondsPerFault * 1000,
    untilAfter,
    reaching: (test) => line(`reach    ${test}`),
    progress: (each, fate) =>
      line(`${fate.kind.padEnd(8)} ${mutantLine(each)}${fate.kind === "survived" ? "" : ` (${fate.by})`}`)
  })
  const equivalents = readEquivalents(root).filter(({ file }) => isOfArea(area, file))
  const { byMutant, faults: listFaults } = matchEquivalents(
    equivalents,
    faults,
    new Map([...fates].map(([id, fate]) => [id, fateForList(fate)])),
    false
  )
  const results: AreaResults = {
    area: area.name,
    seed,
    population: faults.length,
    sample,
    fates,
    equivalents: byMutant,
    secondsPerFault
  }
  for (const [file, failure] of failing) complain(`${file} fails without a fault, so it judges nothing: ${failure}`)
  for (const each of listFaults) complain(each)
  line(areaScoreLine(results))
  if (options.report) {
    const path = join(root, reportOf(results))
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, areaDocument(results))
  }
  return listFaults.length === 0 && areaScore(results).percent >= wantedPercent ? 0 : 1
}
