import { layOut } from "./json.ts"

/** One case of a rule's vectors; the subject is `spend` or `call`. */
export interface VectorCase {
  readonly name: string
  readonly rules?: ReadonlyArray<string>
  readonly spend?: unknown
  readonly call?: unknown
  readonly expect: unknown
}

/** The vectors of one rule. */
export interface RuleVectors {
  readonly rule: string
  readonly cases: ReadonlyArray<VectorCase>
}

/** What a broken rule answers. */
export const breaks = (violation: string, error: string) => ({ violation, error })

/** Where the vectors of a rule live below `vectors/`. */
export const pathOf = (rule: string): string => `rules/${rule.slice(0, 3).toLowerCase()}/${rule}.json`

/** The file that holds `vectors`. */
export const fileText = ({ rule, cases }: RuleVectors): string =>
  `{\n  "rule": ${JSON.stringify(rule)},\n  "cases": [\n${
    cases.map((c) => `    ${layOut(c, 4, 4)}`).join(",\n")
  }\n  ]\n}\n`
