import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parse as parseYaml } from "yaml"
import type { Fate } from "./experiment.ts"
import { type Mutant, mutantKey, squeezed } from "./mutant.ts"

/** The list of reviewed equivalent mutants. */
export const EQUIVALENTS_FILE = "conformance/mutation-equivalents.yml"

/** Mutants of one expression that are shown to be equivalent: no case can kill them. */
export interface Equivalent {
  readonly file: string
  readonly within: string
  readonly original: string
  readonly mutated: ReadonlyArray<string>
  /** Which of the places in the declaration that look the same; nothing stands for all of them. */
  readonly occurrence: number | undefined
  readonly reason: string
}

const TEXTS = ["file", "within", "original", "reason"] as const

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== ""

const readEntry = (entry: unknown, place: number): Equivalent => {
  const fields: Readonly<Record<string, unknown>> = typeof entry === "object" && entry !== null ? { ...entry } : {}
  const fail = (what: string): never => {
    throw new Error(`${EQUIVALENTS_FILE}: entry ${place + 1} ${what}`)
  }
  const text = (name: typeof TEXTS[number]): string => {
    const value = fields[name]
    return isText(value) ? value : fail(`has no ${name}`)
  }
  const [file, within, original, reason] = TEXTS.map(text) as [string, string, string, string]
  const mutated = Array.isArray(fields["mutated"]) ? fields["mutated"] : [fields["mutated"]]
  if (mutated.length === 0 || !mutated.every(isText)) fail("has no mutated, a text or a list of texts")
  const occurrence = fields["occurrence"] ?? 1
  if (occurrence !== "all" && !Number.isInteger(occurrence)) {
    fail("has an occurrence that is neither a whole number nor all")
  }
  return { file, within, original, mutated, occurrence: occurrence === "all" ? undefined : Number(occurrence), reason }
}

/** Reads the list below `root`; no file is an empty list. */
export const readEquivalents = (root: string): ReadonlyArray<Equivalent> => {
  const path = join(root, EQUIVALENTS_FILE)
  const entries: unknown = existsSync(path) ? parseYaml(readFileSync(path, "utf8")) : []
  if (entries === null || entries === undefined) return []
  if (!Array.isArray(entries)) {
    throw new Error(`${EQUIVALENTS_FILE}: must be a list of { ${TEXTS.join(", ")}, mutated }`)
  }
  return entries.map(readEntry)
}

/** Equivalents by the number of their mutant, and what is wrong with the list. */
export interface MatchedEquivalents {
  readonly byMutant: ReadonlyMap<number, Equivalent>
  readonly faults: ReadonlyArray<string>
}

const entryLine = ({ file, within, original }: Equivalent, mutated: string): string =>
  `${EQUIVALENTS_FILE}: ${file}, ${within}: ${squeezed(original)} → ${squeezed(mutated)}`

/** A place and what is put there, without distinguishing places that look the same. */
const changeKey = (file: string, within: string, original: string, mutated: string): string =>
  mutantKey({ file, within, original, mutated, occurrence: 0 })

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
  const alike = new Map<string, Array<Mutant>>()
  for (const mutant of mutants) {
    const key = changeKey(mutant.file, mutant.within, mutant.original, mutant.mutated)
    alike.set(key, [...alike.get(key) ?? [], mutant])
  }
  const files = new Set(mutants.map(({ file }) => file))
  const byMutant = new Map<number, Equivalent>()
  const faults: Array<string> = []
  const match = (equivalent: Equivalent, mutated: string): void => {
    const report = (what: string) => faults.push(`${entryLine(equivalent, mutated)}: ${what}`)
    const found = (alike.get(changeKey(equivalent.file, equivalent.within, equivalent.original, mutated)) ?? [])
      .filter(({ occurrence }) => equivalent.occurrence === undefined || occurrence === equivalent.occurrence)
    if (found.length === 0 && !(isPart && !files.has(equivalent.file))) report("there is no such mutant")
    for (const { id, line } of found) {
      const fate = fates.get(id)
      if (fate?.kind === "killed") report(`is not equivalent in line ${line}, ${fate.by} kills it`)
      else if (byMutant.has(id)) report("is listed twice")
      else byMutant.set(id, equivalent)
    }
  }
  for (const equivalent of equivalents) for (const mutated of equivalent.mutated) match(equivalent, mutated)
  return { byMutant, faults }
}
