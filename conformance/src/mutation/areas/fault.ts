import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parseSource, type SyntaxNode, walk } from "../../trace/syntax.ts"
import type { Mutant } from "../mutant.ts"
import { HOLDS_NAME } from "../operators.ts"
import { DELETED, sitesOf } from "../sites.ts"
import { type Area, filesOfArea } from "./area.ts"
import { forgottenAt, type Kind, kindOfDeleted } from "./forgotten.ts"
import { leftOutSpans, type Span } from "./left-out-spans.ts"

/** A mutant with the stretch of its file that it replaces. */
export interface Fault extends Mutant {
  readonly span: Span
  readonly kind: Kind
  /** Whether a statement without a keyword begins where it does: a parenthesis there would go on with the line before. */
  readonly beginsStatement: boolean
}

/** Every fault that can be planted in `file`; numbers start at `firstId`. */
export const faultsOf = (file: string, text: string, firstId: number): ReadonlyArray<Fault> => {
  const source = parseSource(file, text)
  const leftOut = leftOutSpans(source)
  const textOf = (node: SyntaxNode): string => text.slice(node.start, node.end)
  const statements = new Set<number>()
  walk(source.program, ({ start, type }) => {
    if (type === "ExpressionStatement") statements.add(start)
  })
  const kinds = new Map<SyntaxNode, ReadonlyMap<string, Kind>>()
  const forgotten = (node: SyntaxNode, parent: SyntaxNode): ReadonlyArray<string> => {
    const found = forgottenAt(node, parent, textOf)
    if (found.length > 0) kinds.set(node, new Map(found.map((each) => [each.text, each.kind])))
    return found.map((each) => each.text)
  }
  return sitesOf(source, firstId, forgotten).flatMap(({ node, mutants }) => {
    const span = { start: node.start, end: node.end }
    if (leftOut.some(({ start, end }) => start <= span.start && span.end <= end)) return []
    const kindOf = (mutated: string): Kind =>
      kinds.get(node)?.get(mutated) ?? (mutated === DELETED ? kindOfDeleted(node, textOf) : "value")
    return mutants
      .filter(({ mutated }) => mutated !== HOLDS_NAME)
      .map((mutant) => ({ ...mutant, span, kind: kindOf(mutant.mutated), beginsStatement: statements.has(span.start) }))
  })
}

/** Every fault of an area, in order of files and places. */
export const faultsOfArea = (root: string, area: Area): ReadonlyArray<Fault> => {
  let nextId = 1
  return filesOfArea(root, area).flatMap((file) => {
    const faults = faultsOf(file, readFileSync(join(root, file), "utf8"), nextId)
    nextId = (faults.at(-1)?.id ?? nextId - 1) + 1
    return faults
  })
}

const isTry = ({ original }: Fault): boolean => /^try\b/.test(original)

/** Whether the fault replaces a statement, and no expression. */
export const isStatement = (fault: Fault): boolean => fault.mutated === DELETED || isTry(fault)

/** The text of a file with `fault` planted in it. Lines keep their numbers. */
export const planted = (text: string, fault: Fault): string => {
  const { mutated, original, span } = fault
  const put = mutated === DELETED ? "{}" : isTry(fault) ? mutated : `(${mutated})`
  const lost = original.split("\n").length - put.split("\n").length
  return `${text.slice(0, span.start)}${put}${"\n".repeat(Math.max(0, lost))}${text.slice(span.end)}`
}

/** The text of a file with all of `faults` planted in it, none of which is inside another. */
export const allPlanted = (text: string, faults: ReadonlyArray<Fault>): string =>
  // From the end on, so that the places of those before stay what they are.
  faults.toSorted((a, b) => b.span.start - a.span.start).reduce(planted, text)
