import { effectiveOf } from "../given/effective.ts"
import type { Given } from "../given/given.ts"
import { refusals } from "../not-built.ts"
import { resolveConfig } from "../resolve/resolve-config.ts"

/** Nothing of a draft is judged by the machine it is made on. */
const ANYWHERE = { home: "/", directory: "/", processors: 1 }

/** What a start would say against these values, whatever is on the disk. */
export const startProblems = (values: ReadonlyMap<string, unknown>): ReadonlyArray<string> => {
  const given = [...values].map(([key, value]): Given => ({ key, value, origin: "file", source: "the draft" }))
  const effective = effectiveOf(given)
  const around = { machine: ANYWHERE, file: undefined, tokens: undefined, isCoreDirectory: () => false }
  return [...refusals(effective), ...resolveConfig(effective, around).problems]
}
