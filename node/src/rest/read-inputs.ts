import * as Result from "effect/Result"
import { readBody } from "../json/read-body.ts"
import { JsonMembers, JsonNumber, type JsonRead } from "../json/json-value.ts"
import { hexOf } from "../hex.ts"
import { BINARY_TYPE, HEX_TYPE, JSON_TYPE } from "./negotiate.ts"
import { RestProblem } from "./rest-problem.ts"
import type { RequestInputs, Input, Route } from "./route.ts"

const bad = (message: string, ...suggestions: ReadonlyArray<string>): Result.Result<never, RestProblem> =>
  Result.fail(new RestProblem(400, message, suggestions))

const INTEGER = /^-?\d{1,16}$/

/** Converts a text in a path or a query to a value. */
const valueOf = ({ kind, name }: Input, text: string): Result.Result<JsonRead, RestProblem> => {
  if (kind === "text") return Result.succeed(text)
  if (kind === "list") return Result.succeed(text.split(",").filter((each) => each !== ""))
  if (kind === "number") {
    return INTEGER.test(text) ? Result.succeed(new JsonNumber(text)) : bad(`${name} must be an integer, not '${text}'`)
  }
  return text === "true" || text === "false"
    ? Result.succeed(text === "true")
    : bad(`${name} must be true or false, not '${text}'`)
}

const namesAt = (route: Route, place: Input["place"]): string =>
  route.inputs.filter((input) => input.place === place).map(({ name }) => name).join(", ") || "nothing"

const readQuery = (route: Route, query: URLSearchParams, given: Map<string, JsonRead>): RestProblem | undefined => {
  for (const [name, text] of query) {
    const input = route.inputs.find((each) => each.name === name && each.place === "query")
    if (input === undefined) {
      return new RestProblem(400, `There is no query parameter ${name} here`, [
        `Known here: ${namesAt(route, "query")}`
      ])
    }
    if (given.has(name)) return new RestProblem(400, `The query parameter ${name} is given twice`)
    const value = valueOf(input, text)
    if (Result.isFailure(value)) return value.failure
    given.set(name, value.success)
  }
  return undefined
}

const wrongType = (type: string, route: Route): RestProblem => {
  const taken = route.bytesInput === undefined ? JSON_TYPE : `${JSON_TYPE}, ${BINARY_TYPE} or ${HEX_TYPE}`
  return new RestProblem(415, `A body of type ${type} is not taken here`, [`Send ${taken}`])
}

const readMembers = (
  route: Route,
  body: JsonRead | undefined,
  given: Map<string, JsonRead>
): RestProblem | undefined => {
  if (!(body instanceof JsonMembers)) return new RestProblem(400, "The body must be a JSON object")
  for (const [i, name] of body.keys.entries()) {
    if (!route.inputs.some((each) => each.name === name && each.place === "body")) {
      return new RestProblem(400, `There is no member ${name} in the body here`, [
        `Known here: ${namesAt(route, "body")}`
      ])
    }
    if (given.has(name)) return new RestProblem(400, `The member ${name} is given twice`)
    given.set(name, body.values[i]!)
  }
  return undefined
}

const readRequestBody = (
  route: Route,
  bytes: Uint8Array,
  contentType: string | undefined,
  given: Map<string, JsonRead>
): RestProblem | undefined => {
  if (bytes.length === 0) return undefined
  const [written = ""] = (contentType ?? JSON_TYPE).split(";", 1)
  const type = written.trim().toLowerCase()
  if (type === JSON_TYPE) return readMembers(route, readBody(bytes), given)
  if (route.bytesInput === undefined || (type !== BINARY_TYPE && type !== HEX_TYPE)) return wrongType(type, route)
  given.set(route.bytesInput, type === BINARY_TYPE ? hexOf(bytes) : Buffer.from(bytes).toString("latin1").trim())
  return undefined
}

/** Received parts of a request. */
export interface Sent {
  readonly segments: ReadonlyMap<string, string>
  readonly query: URLSearchParams
  readonly body: Uint8Array
  readonly contentType: string | undefined
}

/** Returns the inputs that a request gives to a route, or the problem with them. */
export const readInputs = (
  route: Route,
  { body, contentType, query, segments }: Sent
): Result.Result<RequestInputs, RestProblem> => {
  const given = new Map<string, JsonRead>()
  for (const [name, text] of segments) {
    const value = valueOf(route.inputs.find((each) => each.name === name)!, text)
    if (Result.isFailure(value)) return Result.fail(value.failure)
    given.set(name, value.success)
  }
  const problem = readQuery(route, query, given) ?? readRequestBody(route, body, contentType, given)
  if (problem !== undefined) return Result.fail(problem)
  const missing = route.inputs.find(({ name, required }) => required && !given.has(name))
  if (missing === undefined) return Result.succeed(given)
  const where = missing.place === "body" ? "The body has no member" : "The query has no parameter"
  return bad(`${where} ${missing.name}`, missing.description)
}
