import type { SyntaxNode } from "../trace/syntax.ts"

/** One change of the kernel, switched on by its number. Numbers start at 1: 0 is the kernel as it is. */
export interface Mutant {
  readonly id: number
  readonly file: string
  readonly line: number
  /** The top-level declaration it is in. */
  readonly within: string
  readonly original: string
  readonly mutated: string
  /** Which one it is, counted from 1, of those in its declaration that look the same. */
  readonly occurrence: number
}

/** A mutant while its file is being rewritten. */
export interface PlacedMutant extends Mutant {
  readonly isPure: boolean
}

/** A place with its mutants, which have consecutive numbers. */
export interface Site {
  readonly node: SyntaxNode
  readonly mutants: ReadonlyArray<PlacedMutant>
}

/** `text` in one line. */
export const squeezed = (text: string): string => text.replace(/\s+/g, " ").trim()

/** One line for a person. */
export const mutantLine = ({ file, line, original, mutated }: Mutant): string =>
  `${file}:${line}: ${squeezed(original)} → ${squeezed(mutated)}`

/** What names a mutant as long as its declaration is not rewritten: no number, no line. */
export type MutantName = Pick<Mutant, "file" | "within" | "original" | "mutated" | "occurrence">

/** {@link MutantName} as text; white space does not matter. */
export const mutantKey = ({ file, within, original, mutated, occurrence }: MutantName): string =>
  JSON.stringify([file, within, squeezed(original), squeezed(mutated), occurrence])

const TOP = "top"

/** The folder of `kernel/src` a mutant is in; files that are in none go together as `top`. */
export const folderOf = ({ file }: Pick<Mutant, "file">): string => {
  const [, , first = TOP, ...rest] = file.split("/")
  return rest.length === 0 ? TOP : first
}
