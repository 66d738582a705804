import * as Result from "effect/Result"
import { JsonMembers, type JsonRead } from "../../json/json-value.ts"
import type { Parameters } from "./method-facts.ts"
import { invalidParameter, type CallError } from "../../queries/call-error.ts"

/** Member that holds positional parameters besides the named ones. */
const POSITIONAL = "args"

const repeated = ({ keys }: JsonMembers): string | undefined => keys.find((key, i) => keys.indexOf(key) !== i)

interface Ordered {
  readonly values: Array<JsonRead>
  /** All names of the first named parameter, and the number of positions before it. */
  readonly first: string | undefined
  readonly gap: number
}

/**
 * Removes the named parameters that are members of an object parameter and returns them as that object, or returns
 * `undefined` if none is given.
 */
const takeMembers = (given: Map<string, JsonRead>, members: ReadonlyArray<string>): JsonMembers | undefined => {
  const names = members.filter((name) => given.has(name))
  if (names.length === 0) return undefined
  const values = names.map((name) => given.get(name)!)
  for (const name of names) given.delete(name)
  return new JsonMembers(names, values)
}

/** Orders named parameters by position, with null in gaps and nothing after the last one. */
const inOrder = (given: Map<string, JsonRead>, parameters: Parameters): Result.Result<Ordered, CallError> => {
  const values: Array<JsonRead> = []
  let first: string | undefined
  let gap = 0
  let position = 0
  for (const [declared, { aliases, members }] of Object.entries(parameters)) {
    const name = [declared, ...aliases].find((each) => given.has(each))
    const named = takeMembers(given, members)
    if (name !== undefined && named !== undefined) {
      return Result.fail(invalidParameter(`Parameter ${name} conflicts with parameter ${named.keys[0]!}`))
    }
    if (name !== undefined || named !== undefined) {
      while (values.length < position) values.push(null)
      values.push(named ?? given.get(name!)!)
      if (name !== undefined) given.delete(name)
      if (first === undefined) {
        first = [declared, ...aliases].join("|")
        gap = position
      }
    }
    position++
  }
  return Result.succeed({ values, first, gap })
}

/**
 * Returns parameters by position. Named ones are put in their positions, with null in gaps; a list under `args` gives
 * the first positions.
 */
export const positionalParams = (
  params: ReadonlyArray<JsonRead> | JsonMembers,
  parameters: Parameters
): Result.Result<ReadonlyArray<JsonRead>, CallError> => {
  if (!("keys" in params && "get" in params)) return Result.succeed(params)
  const twice = repeated(params)
  if (twice !== undefined) return Result.fail(invalidParameter(`Parameter ${twice} specified multiple times`))
  const given = new Map(params.keys.map((key, i) => [key, params.values[i]!]))
  const ordered = inOrder(given, parameters)
  if (Result.isFailure(ordered)) return Result.fail(ordered.failure)
  const { first, gap, values } = ordered.success
  const positional = given.get(POSITIONAL)
  given.delete(POSITIONAL)
  if (Array.isArray(positional)) {
    if (first !== undefined && gap < positional.length) {
      return Result.fail(invalidParameter(`Parameter ${first} specified twice both as positional and named argument`))
    }
    values.splice(0, positional.length, ...positional)
  } else if (positional !== undefined) {
    given.set(POSITIONAL, positional)
  }
  for (const unknown of given.keys()) return Result.fail(invalidParameter(`Unknown named parameter ${unknown}`))
  return Result.succeed(values)
}
