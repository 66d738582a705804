import type { VectorFile } from "../sources/source.ts"
import type { Bench } from "../judge/bench.ts"
import type { Outcome } from "../judge/outcome.ts"

/** One thing a vector file asks. `index` finds it again in its file, on any run. */
export interface Case {
  readonly index: string
  readonly name: string
  readonly judge: (bench: Bench) => Outcome
}

/** The cases of one file of a format. Nothing is judged, and little decoded, before a case is asked to. */
export type Runner = (file: VectorFile) => Iterable<Case> | AsyncIterable<Case>
