import * as Result from "effect/Result"
import type { JsonMembers, JsonRead } from "../json/json-value.ts"
import type { Parameters } from "../method/method-facts.ts"
import { invalidParameter, type RpcError } from "../rpc-error.ts"

/** The member that holds parameters by position, beside those that are named. */
const POSITIONAL = "args"

const repeated = ({ keys }: JsonMembers): string | undefined => keys.find((key, i) => keys.indexOf(key) !== i)

interface Ordered {
  readonly values: Array<JsonRead>
  /** All names of the first one given, and how many are missing before it. */
  readonly first: string | undefined
  readonly gap: number
}

/**
 * Named parameters in the order of their positions; gaps and everything behind the last one given are left out or null.
 */
const inOrder = (given: Map<string, JsonRead>, parameters: Parameters): Ordered => {
  const values: Array<JsonRead> = []
  let first: string | undefined
  let gap = 0
  let position = 0
  for (const [declared, { aliases }] of Object.entries(parameters)) {
    const name = [declared, ...aliases].find((each) => given.has(each))
    if (name !== undefined) {
      while (values.length < position) values.push(null)
      values.push(given.get(name)!)
      given.delete(name)
      if (first === undefined) {
        first = [declared, ...aliases].join("|")
        gap = position
      }
    }
    position++
  }
  return { values, first, gap }
}

/**
 * Parameters by position. Those that come by name are put where they belong, nulls in the gaps; a list under `args`
 * gives the first ones by position.
 */
export const positionalParams = (
  params: ReadonlyArray<JsonRead> | JsonMembers,
  parameters: Parameters
): Result.Result<ReadonlyArray<JsonRead>, RpcError> => {
  if (!("keys" in params && "get" in params)) return Result.succeed(params)
  const twice = repeated(params)
  if (twice !== undefined) return Result.fail(invalidParameter(`Parameter ${twice} specified multiple times`))
  const given = new Map(params.keys.map((key, i) => [key, params.values[i]!]))
  const { first, gap, values } = inOrder(given, parameters)
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
