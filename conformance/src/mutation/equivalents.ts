import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parse as parseYaml } from "yaml"
import type { Fate } from "./experiment.ts"
import { type Mutant, mutantKey, type MutantName } from "./mutant.ts"

/** The list of reviewed equivalent mutants. */
export const EQUIVALENTS_FILE = "conformance/mutation-equivalents.yml"

/** A mutant that somebody has shown to be no other program: nothing can tell it from the kernel. */
export interface Equivalent extends MutantName {
  readonly reason: string
}

const TEXTS = ["file", "within", "original", "mutated", "reason"] as const

const readEntry = (entry: unknown, place: number): Equivalent => {
  const fields: Readonly<Record<string, unknown>> = typeof entry === "object" && entry !== null ? { ...entry } : {}
  const text = (name: typeof TEXTS[number]): string => {
    const value = fields[name]
    if (typeof value === "string" && value.trim() !== "") return value
    throw new Error(`${EQUIVALENTS_FILE}: entry ${place + 1} has no ${name}`)
  }
  const occurrence = fields["occurrence"] ?? 1
  if (typeof occurrence !== "number" || !Number.isInteger(occurrence)) {
    throw new Error(`${EQUIVALENTS_FILE}: entry ${place + 1}: occurrence must be a whole number`)
  }
  return { file: text("file"), within: text("within"), original: text("original"), mutated: text("mutated"), reason: text("reason"), occurrence }
}

/** Reads the list below `root`; no file is an empty list. */
export const readEquivalents = (root: string): ReadonlyArray<Equivalent> => {
  const path = join(root, EQUIVALENTS_FILE)
  const entries: unknown = existsSync(path) ? parseYaml(readFileSync(path, "utf8")) : []
  if (entries === null || entries === undefined) return []
  if (!Array.isArray(entries)) throw new Error(`${EQUIVALENTS_FILE}: must be a list of { ${TEXTS.join(", ")} }`)
  return entries.map(readEntry)
}

/** Equivalents by the number of their mutant, and what is wrong with the list. */
export interface MatchedEquivalents {
  readonly byMutant: ReadonlyMap<number, Equivalent>
  readonly faults: ReadonlyArray<string>
}

const entryLine = ({ file, within, original, mutated, occurrence }: Equivalent): string =>
  `${EQUIVALENTS_FILE}: ${file}, ${within}: ${original} → ${mutated}${occurrence === 1 ? "" : ` (occurrence ${occurrence})`}`

/**
 * Finds the mutants that `equivalents` speak of; an entry without its mutant, or whose mutant was killed, is a fault.
 * `isPart`: the run was about a part of the kernel and says nothing about entries elsewhere.
 */
export const matchEquivalents = (
  equivalents: ReadonlyArray<Equivalent>,
  mutants: ReadonlyArray<Mutant>,
  fates: ReadonlyMap<number, Fate>,
  isPart: boolean
): MatchedEquivalents => {
  const byKey = new Map(mutants.map((mutant) => [mutantKey(mutant), mutant]))
  const files = new Set(mutants.map(({ file }) => file))
  const byMutant = new Map<number, Equivalent>()
  const faults: Array<string> = []
  for (const equivalent of equivalents) {
    const mutant = byKey.get(mutantKey(equivalent))
    const fate = mutant && fates.get(mutant.id)
    const isElsewhere = isPart && !files.has(equivalent.file)
    if (mutant === undefined && !isElsewhere) faults.push(`${entryLine(equivalent)}: there is no such mutant`)
    if (mutant === undefined || fate === undefined) continue
    if (fate.kind === "killed") faults.push(`${entryLine(equivalent)}: is not equivalent, ${fate.by} tells it`)
    else if (byMutant.has(mutant.id)) faults.push(`${entryLine(equivalent)}: is listed twice`)
    else byMutant.set(mutant.id, equivalent)
  }
  return { byMutant, faults }
}
