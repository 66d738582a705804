import * as Result from "effect/Result"
import { JsonNumber } from "../json/json-value.ts"
import { RestProblem } from "./rest-problem.ts"
import { type Input, makeInput, type Page, type RequestInputs } from "./route.ts"

export const DEFAULT_LIMIT = 25
export const MAX_LIMIT = 100

/** Inputs that select a part of a list. */
export const PAGE_INPUTS: ReadonlyArray<Input> = [
  makeInput("offset", "query", "number", "How many to leave out before the first", "0"),
  makeInput("limit", "query", "number", `How many at most: 1 to ${MAX_LIMIT}`, String(DEFAULT_LIMIT))
]

const numberOf = (given: RequestInputs, name: string, standard: number): number => {
  const value = given.get(name)
  return value instanceof JsonNumber ? Number(value.text) : standard
}

/** Returns the requested part of a list of `total` elements. A part beyond the end is empty, which is no error. */
export const pageOf = (given: RequestInputs, total: number): Result.Result<Page, RestProblem> => {
  const offset = numberOf(given, "offset", 0)
  const limit = numberOf(given, "limit", DEFAULT_LIMIT)
  if (!Number.isSafeInteger(offset) || offset < 0) {
    return Result.fail(new RestProblem(400, "offset must not be negative"))
  }
  if (limit < 1 || limit > MAX_LIMIT) return Result.fail(new RestProblem(400, `limit must be 1 to ${MAX_LIMIT}`))
  return Result.succeed({ offset, limit, total })
}

/** Returns the path of the resource with another offset and limit. */
const at = (path: string, query: URLSearchParams, offset: number, limit: number): string => {
  const changed = new URLSearchParams(query)
  changed.set("offset", String(offset))
  changed.set("limit", String(limit))
  return `${path}?${changed}`
}

/** Returns links to this part of a list and to the parts before and after it. */
export const pageLinks = (
  path: string,
  query: URLSearchParams,
  { limit, offset, total }: Page
): Readonly<Record<string, string>> => ({
  self: at(path, query, offset, limit),
  ...(offset > 0 ? { prev: at(path, query, Math.max(0, Math.min(offset, total) - limit), limit) } : {}),
  ...(offset + limit < total ? { next: at(path, query, offset + limit, limit) } : {})
})
