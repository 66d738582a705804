import type { Plan } from "../../src/bitcoind/plan/plan.ts"

/** A value of the plan, the words that change it, and what it is then; no words: what it is by default. */
type Row = readonly [name: string, of: (made: Plan) => unknown, ...cases: ReadonlyArray<readonly [string, unknown]>]

/** The rows that a test is made of. */
export const rows = (
  ...all: ReadonlyArray<Row>
): ReadonlyArray<readonly [string, string, (made: Plan) => unknown, unknown]> =>
  all.flatMap(([name, of, ...cases]) => cases.map(([words, value]) => [name, words, of, value] as const))
