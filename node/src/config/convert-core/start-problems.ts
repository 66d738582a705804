import { effectiveOf } from "../given/effective.ts"
import type { Given } from "../given/given.ts"
import { refusals } from "../not-built.ts"
import { resolveConfig } from "../resolve/resolve-config.ts"

/** A neutral machine: the draft is not judged by the machine that it is made on. */
const ANYWHERE = { home: "/", directory: "/", processors: 1 }

/** Returns the errors of a start with these values, whatever is on the disk. */
export const startProblems = (values: ReadonlyMap<string, unknown>): ReadonlyArray<string> => {
  const given = [...values].map(([key, value]): Given => ({ key, value, origin: "file", source: "the draft" }))
  const effective = effectiveOf(given)
  const around = { machine: ANYWHERE, file: undefined, tokens: undefined, isCoreDirectory: () => false }
  return [...refusals(effective), ...resolveConfig(effective, around).problems]
}
