import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { MethodFacts } from "./method-facts.ts"
import type { Parameter } from "./parameter.ts"

/** What decides how a typed value is read. */
export type TypedParameter = Pick<Parameter<unknown>, "aliases" | "kind"> & {
  /** None: it has no members that may be given by name alone. */
  readonly members?: ReadonlyArray<string>
}

/** The parameters of a method by their names, in the order of their positions. */
export type TypedParameters = Readonly<Record<string, TypedParameter>>

/** Loading all methods takes longer than a call: what a call needs of them is in this file. `pnpm docs:rpc` writes it. */
export const TYPED_PARAMETERS = join(import.meta.dirname, "typed-parameters.json")

/** The text of that file. */
export const typedParametersText = (methods: Iterable<MethodFacts>): string => {
  const lines = [...methods].map(({ name, parameters }) => {
    const typed = Object.entries(parameters).map(([own, { aliases, kind, members }]) =>
      [own, { aliases, kind, ...members.length > 0 && { members } }] as const
    )
    return `  ${JSON.stringify(name)}: ${JSON.stringify(Object.fromEntries(typed))}`
  })
  return `{\n${lines.join(",\n")}\n}\n`
}

/** The parameters of a method, read from that file; none: there is no such method. */
export const typedParameters = (method: string): TypedParameters | undefined => {
  const all = JSON.parse(readFileSync(TYPED_PARAMETERS, "utf8")) as Readonly<Record<string, TypedParameters>>
  return Object.hasOwn(all, method) ? all[method] : undefined
}
