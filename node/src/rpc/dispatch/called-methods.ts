import { JsonMembers, type JsonRead } from "../../json/json-value.ts"

/** The names of the methods that a body calls. */
export const calledMethods = (body: JsonRead | undefined): ReadonlyArray<string> => {
  const calls = Array.isArray(body) ? body : [body]
  return calls.flatMap((call) => {
    const name = call instanceof JsonMembers ? call.get("method") : undefined
    return typeof name === "string" ? [name] : []
  })
}
