import type { SuiteName } from "../runners/table.ts"
import { CLAIMS, COMPANIONS, EXCLUSIONS, STILL_TO_COME, type Unread } from "./claims.ts"
import { matches } from "./glob.ts"
import type { VectorFile } from "./source.ts"

/** What becomes of a file that was found. */
export type Fate =
  | { readonly kind: "claimed"; readonly suites: ReadonlyArray<SuiteName> }
  | { readonly kind: "companion" | "excluded" | "still to come"; readonly why: string }
  | { readonly kind: "unclaimed" }

const LISTS: ReadonlyArray<readonly ["companion" | "excluded" | "still to come", ReadonlyArray<Unread>]> = [
  ["companion", COMPANIONS],
  ["excluded", EXCLUSIONS],
  ["still to come", STILL_TO_COME]
]

/** The fate of `file`: one suite or several read it, a list says why none does, or it is unclaimed. */
export const fateOf = (file: VectorFile): Fate => {
  const fits = (entry: { source: string; files: string }): boolean =>
    entry.source === file.source.kind && matches(entry.files, file.path)
  const suites = CLAIMS.filter(fits).map(({ suite }) => suite)
  if (suites.length > 0) return { kind: "claimed", suites }
  for (const [kind, list] of LISTS) {
    const entry = list.find(fits)
    if (entry !== undefined) return { kind, why: entry.why }
  }
  return { kind: "unclaimed" }
}
