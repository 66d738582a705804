import type { Experiment, Fate } from "./experiment.ts"
import type { Equivalent } from "./equivalents.ts"
import { folderOf, type Mutant, squeezed } from "./mutant.ts"

/** Counts for one folder. */
export interface Score {
  readonly folder: string
  readonly mutants: number
  readonly killed: number
  readonly equivalent: number
  readonly survived: number
  /** Killed out of those that can be killed, in percent. */
  readonly percent: number
}

/** A finished experiment with what is known about it. */
export interface Findings {
  readonly mutants: ReadonlyArray<Mutant>
  readonly experiment: Experiment
  readonly equivalents: ReadonlyMap<number, Equivalent>
}

const scoreOf = (
  folder: string,
  mutants: ReadonlyArray<Mutant>,
  { experiment: { fates }, equivalents }: Findings
): Score => {
  const killed = mutants.filter(({ id }) => fates.get(id)?.kind === "killed").length
  const equivalent = mutants.filter(({ id }) => equivalents.has(id)).length
  const killable = mutants.length - equivalent
  return {
    folder,
    mutants: mutants.length,
    killed,
    equivalent,
    survived: killable - killed,
    percent: killable === 0 ? 100 : Math.floor(killed / killable * 1000) / 10
  }
}

/** One score a folder, in order of names. */
export const scores = (findings: Findings): ReadonlyArray<Score> => {
  const folders = [...new Set(findings.mutants.map(folderOf))].sort()
  return folders.map((folder) =>
    scoreOf(folder, findings.mutants.filter((mutant) => folderOf(mutant) === folder), findings)
  )
}

/** A survivor that is not listed as equivalent. */
export interface Survivor {
  readonly mutant: Mutant
  readonly fate: Extract<Fate, { readonly kind: "survived" }>
}

/** Survivors in order of file and line. */
export const survivors = ({ mutants, experiment: { fates }, equivalents }: Findings): ReadonlyArray<Survivor> =>
  mutants.flatMap((mutant) => {
    const fate = fates.get(mutant.id)
    return fate?.kind === "survived" && !equivalents.has(mutant.id) ? [{ mutant, fate }] : []
  })

/** How far a survivor got: what has to be looked for to kill it. */
export const reachOf = ({ fate }: Survivor): string =>
  !fate.reached ? "no case runs it" : !fate.seen ? "no case sees another value" : "no case ends differently"

/** One line for a person. */
export const scoreLine = ({ folder, mutants, killed, equivalent, survived, percent }: Score): string =>
  `${folder.padEnd(10)} ${String(mutants).padStart(5)} mutants  ${String(killed).padStart(5)} killed  ` +
  `${String(equivalent).padStart(4)} equivalent  ${String(survived).padStart(4)} survived  ${
    percent.toFixed(1).padStart(5)
  } %`

const byFile = <T>(
  items: ReadonlyArray<T>,
  fileOf: (item: T) => string
): ReadonlyArray<readonly [string, ReadonlyArray<T>]> => {
  const files = [...new Set(items.map(fileOf))]
  return files.map((file) => [file, items.filter((item) => fileOf(item) === file)])
}

/** Text as code inside a sentence, whatever quotes it holds. */
const code = (text: string): string => {
  const line = squeezed(text)
  return line.includes("`") ? `\`\` ${line} \`\`` : `\`${line}\``
}

const change = ({ line, within, original, mutated }: Mutant): string =>
  `${line}, \`${within}\`: ${code(original)} → ${code(mutated)}`

const list = <T>(items: ReadonlyArray<T>, mutantOf: (item: T) => Mutant, line: (item: T) => string): string =>
  items.length === 0 ? "None.\n" : byFile(items, (item) => mutantOf(item).file)
    .map(([file, those]) => `### ${file}\n\n${those.map((item) => `- ${line(item)}\n`).join("")}`).join("\n")

const casesBySuite = ({ survey: { cases } }: Experiment): ReadonlyArray<readonly [string, number]> =>
  [...new Set(cases.map(({ suite }) => suite))].map((
    suite
  ) => [suite, cases.filter((each) => each.suite === suite).length])

/** The report as a document: the same for the same kernel and vectors, whatever the machine. */
export const mutationDocument = (findings: Findings): string => {
  const equivalents = findings.mutants.filter(({ id }) => findings.equivalents.has(id))
  return `# Mutation testing

Written by \`pnpm mutation --report\`; do not edit.

Every operator, number, condition, rule id, error, answer and statement of the kernel is changed, one at a time. The vectors are
run until one kills it. A survivor is a missing vector, unless it changes nothing: those are reviewed and listed with a reason
in \`conformance/mutation-equivalents.yml\`. The score is the share of the others that was killed.

| folder | mutants | killed | equivalent | survived | score |
| --- | --: | --: | --: | --: | --: |
${
    scores(findings).map((s) =>
      `| ${s.folder} | ${s.mutants} | ${s.killed} | ${s.equivalent} | ${s.survived} | ${s.percent.toFixed(1)} % |`
    ).join("\n")
  }

Judged by ${findings.experiment.survey.cases.length} cases: ${
    casesBySuite(findings.experiment).map(([suite, cases]) => `${suite} ${cases}`).join(", ")
  }.

## Survivors

${list(survivors(findings), ({ mutant }) => mutant, (survivor) => `${change(survivor.mutant)} (${reachOf(survivor)})`)}
## Equivalent

${
    list(equivalents, (mutant) =>
      mutant, (mutant) =>
      `${change(mutant)}: ${squeezed(findings.equivalents.get(mutant.id)!.reason)}`)
  }`
}
