import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parseSource } from "../../trace/syntax.ts"
import type { Mutant } from "../mutant.ts"
import { HOLDS_NAME } from "../operators.ts"
import { DELETED, sitesOf } from "../sites.ts"
import { type Area, filesOfArea } from "./area.ts"
import { leftOutSpans, type Span } from "./left-out-spans.ts"

/** A mutant with the stretch of its file that it replaces. */
export interface Fault extends Mutant {
  readonly span: Span
}

/** Every fault that can be planted in `file`; numbers start at `firstId`. */
export const faultsOf = (file: string, text: string, firstId: number): ReadonlyArray<Fault> => {
  const source = parseSource(file, text)
  const leftOut = leftOutSpans(source)
  return sitesOf(source, firstId).flatMap(({ node, mutants }) => {
    const span = { start: node.start, end: node.end }
    if (leftOut.some(({ start, end }) => start <= span.start && span.end <= end)) return []
    return mutants.filter(({ mutated }) => mutated !== HOLDS_NAME).map((mutant) => ({ ...mutant, span }))
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

/** The text of a file with `fault` planted in it. Lines keep their numbers. */
export const planted = (text: string, { mutated, original, span }: Fault): string => {
  const put = mutated === DELETED ? "{}" : `(${mutated})`
  const lost = original.split("\n").length - put.split("\n").length
  return `${text.slice(0, span.start)}${put}${"\n".repeat(Math.max(0, lost))}${text.slice(span.end)}`
}
