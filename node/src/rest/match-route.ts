import { decodedText } from "../http/decoded-text.ts"
import type { Route } from "./route.ts"

/** Result of matching a path. */
export type MatchedRoute =
  | { readonly _tag: "Route"; readonly route: Route; readonly segments: ReadonlyMap<string, string> }
  /** The resource exists, but not for this verb. */
  | { readonly _tag: "OtherVerbs"; readonly verbs: ReadonlyArray<string> }
  | { readonly _tag: "Nothing" }

const NAME = /^\{(\w+)\}$/

const segmentsOf = ({ path }: Route, parts: ReadonlyArray<string>): ReadonlyMap<string, string> | undefined => {
  const pattern = path.slice(1).split("/")
  if (pattern.length !== parts.length) return undefined
  const segments = new Map<string, string>()
  for (const [i, expected] of pattern.entries()) {
    const name = NAME.exec(expected)?.[1]
    if (name === undefined ? parts[i] !== expected : parts[i] === "") return undefined
    if (name !== undefined) segments.set(name, parts[i]!)
  }
  return segments
}

/** Returns the route for a verb and a path after `/api/v1`. The first match in the table counts. */
export const matchRoute = (routes: ReadonlyArray<Route>, verb: string, path: string): MatchedRoute => {
  const parts = path.slice(1).split("/").map(decodedText)
  const verbs: Array<string> = []
  for (const route of routes) {
    const segments = segmentsOf(route, parts)
    if (segments === undefined) continue
    if (route.verb === verb || (route.verb === "GET" && verb === "HEAD")) return { _tag: "Route", route, segments }
    verbs.push(route.verb)
  }
  return verbs.length === 0 ? { _tag: "Nothing" } : { _tag: "OtherVerbs", verbs }
}
