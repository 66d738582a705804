import type { Equivalent } from "../equivalents.ts"
import { squeezed, type Mutant } from "../mutant.ts"
import type { AreaFate } from "./area-trial.ts"
import type { Fault } from "./fault.ts"
import { KINDS } from "./forgotten.ts"

/** A finished run with what is known about it. */
export interface AreaResults {
  readonly area: string
  readonly seed: number
  /** How many faults the area has in all. */
  readonly population: number
  readonly sample: ReadonlyArray<Fault>
  readonly fates: ReadonlyMap<number, AreaFate>
  readonly equivalents: ReadonlyMap<number, Equivalent>
  readonly secondsPerFault: number
}

/** Counts of a run. */
export interface AreaScore {
  readonly tried: number
  readonly killed: number
  readonly timeout: number
  readonly refused: number
  readonly equivalent: number
  readonly survived: number
  /** Noticed out of those that can be noticed, in percent. */
  readonly percent: number
}

const isKind = ({ fates }: AreaResults, { id }: Fault, kind: AreaFate["kind"]): boolean => fates.get(id)?.kind === kind

export const survivorsOf = (results: AreaResults): ReadonlyArray<Fault> =>
  results.sample.filter((fault) => isKind(results, fault, "survived") && !results.equivalents.has(fault.id))

export const areaScore = (results: AreaResults): AreaScore => {
  const count = (kind: AreaFate["kind"]): number =>
    results.sample.filter((fault) => isKind(results, fault, kind)).length
  const [killed, timeout, refused] = [count("killed"), count("timeout"), count("refused")]
  const survived = survivorsOf(results).length
  const noticeable = killed + timeout + survived
  return {
    tried: results.sample.filter(({ id }) => results.fates.has(id)).length,
    killed,
    timeout,
    refused,
    equivalent: count("survived") - survived,
    survived,
    percent: noticeable === 0 ? 100 : Math.floor((killed + timeout) / noticeable * 1000) / 10
  }
}

/** The score in one line. */
export const areaScoreLine = (results: AreaResults): string => {
  const { tried, killed, timeout, refused, equivalent, survived, percent } = areaScore(results)
  return `${results.area}, seed ${results.seed}: ${tried} of ${results.population} faults tried: ${killed} killed, ${timeout} timeouts, ` +
    `${refused} refused by the type check, ${equivalent} equivalent, ${survived} survived: ${percent.toFixed(1)} %`
}

/** Text as code inside a sentence, whatever quotes it holds. */
const code = (text: string): string => {
  const line = squeezed(text)
  return line.includes("`") ? `\`\` ${line} \`\`` : `\`${line}\``
}

const change = ({ file, line, within, original, mutated }: Mutant): string =>
  `${file}, ${line}, \`${within}\`: ${code(original)} → ${code(mutated)}`

const list = (items: ReadonlyArray<string>): string =>
  items.length === 0 ? "None.\n" : items.map((item) => `- ${item}\n`).join("")

/** What became of each kind of fault, as a table. */
const kindLines = (results: AreaResults): string => {
  const rows = KINDS.flatMap((kind) => {
    const { tried, killed, timeout, survived } = areaScore({
      ...results,
      sample: results.sample.filter((fault) => fault.kind === kind)
    })
    return tried === 0 ? [] : [`| ${kind} | ${tried} | ${killed + timeout} | ${survived} |`]
  })
  return ["| kind | tried | noticed | survived |", "| --- | --: | --: | --: |", ...rows].join("\n")
}

/** One page about one run. */
export const areaDocument = (results: AreaResults): string => {
  const { tried, killed, timeout, refused, equivalent, survived, percent } = areaScore(results)
  const reached = (fault: Fault): string => {
    const fate = results.fates.get(fault.id)
    return fate?.kind === "survived" ? `${fate.tests} of the ${fate.of} test files that reach it were run` : ""
  }
  return `# Mutation run: ${results.area}, seed ${results.seed}

Written by \`pnpm mutation --area ${results.area} --faults ${results.sample.length} --seed ${results.seed} --report\`; do not edit.

| | |
| --- | --: |
| faults in the area | ${results.population} |
| sampled | ${results.sample.length} |
| tried | ${tried} |
| killed | ${killed} |
| timeout: tests that end without the fault did not | ${timeout} |
| refused by the type check, not counted | ${refused} |
| equivalent, not counted | ${equivalent} |
| survived | ${survived} |
| **score** | **${percent.toFixed(1)} %** |

${kindLines(results)}

Each fault is tried on the test files that reach it, nearest first, as many as take ${results.secondsPerFault} s without it.

## Survivors

${list(survivorsOf(results).map((fault) => `${change(fault)} (${reached(fault)})`))}
## Equivalent

${
    list(results.sample.flatMap((fault) => {
      const entry = results.equivalents.get(fault.id)
      return entry === undefined ? [] : [`${change(fault)}: ${squeezed(entry.reason)}`]
    }))
  }`
}
