import { JsonMembers, type JsonRead } from "../../json/json-value.ts"
import { readJson } from "../../json/read-json.ts"
import type { TypedParameter, TypedParameters } from "../../methods/definition/typed-parameters.ts"

const NAMED = /^([a-z_]\w*)=([\s\S]*)$/i

/** Splits `name=value`, whether a parameter of that name exists or not. */
export const namedValue = (given: string): { readonly name: string; readonly text: string } | undefined => {
  const [, name, text] = NAMED.exec(given) ?? []
  return name === undefined || text === undefined ? undefined : { name, text }
}

/** Reads a value. A hash may consist of digits only, so a parameter that is a text is never read as a number. */
const valueOf = (given: string, parameter: TypedParameter | undefined): JsonRead => {
  if (parameter?.kind === "string") return given
  const read = readJson(given)
  return read === undefined ? given : read
}

interface Named {
  readonly name: string
  readonly text: string
  readonly parameter: TypedParameter
}

/** Reads `name=value` if a parameter of that name exists. */
const namedIn = (given: string, parameters: TypedParameters): Named | undefined => {
  const { name, text } = namedValue(given) ?? { name: "", text: "" }
  const found = Object.entries(parameters).find(([own, { aliases }]) => own === name || aliases.includes(name))
  return found && { name, text, parameter: found[1] }
}

/** Reports whether every `name=value` has the name of a parameter. */
export const allNamesAreKnown = (given: ReadonlyArray<string>, parameters: TypedParameters): boolean =>
  given.every((each) => namedValue(each) === undefined || namedIn(each, parameters) !== undefined)

/** Makes parameters in the form that the node accepts: a list, or members with unnamed ones in `args`. */
export const paramsOf = (given: ReadonlyArray<string>, parameters: TypedParameters = {}): JsonRead => {
  const inOrder = Object.values(parameters)
  const named: Array<Named> = []
  const positional: Array<JsonRead> = []
  for (const each of given) {
    const found = namedIn(each, parameters)
    if (found === undefined) positional.push(valueOf(each, inOrder[positional.length]))
    else named.push(found)
  }
  if (named.length === 0) return positional
  const names = named.map(({ name }) => name)
  const values = named.map(({ parameter, text }) => valueOf(text, parameter))
  return positional.length === 0
    ? new JsonMembers(names, values)
    : new JsonMembers(["args", ...names], [positional, ...values])
}
