import type { Route } from "../../src/rest/route.ts"
import { ROUTES } from "../../src/rest/routes/table.ts"
import { mutateBytes } from "@lockstep/property-tests/fuzz/mutate/bytes.ts"
import type { Random } from "@lockstep/property-tests/fuzz/random.ts"
import type { RecordedCall } from "./recorded-calls.ts"
import { knownTexts } from "./any-request-body.ts"
import { anyValue, looseText, Members } from "./loose-json.ts"

/** A request of REST; the path stands behind the prefix, with what is behind its question mark. */
export interface AskedRest {
  readonly verb: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

const VERBS = ["GET", "GET", "GET", "GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "get"]

const SEGMENTS = [
  "",
  "0",
  "1",
  "-1",
  "322",
  "99999999999999999999",
  "%",
  "%ff",
  "%00",
  "%2f",
  "..",
  ".",
  "a b",
  "é",
  "null",
  "0".repeat(64),
  "{hash}",
  "*"
]

const OTHER_PATHS = [
  "/",
  "",
  "//",
  "/chain",
  "/chain/tip/",
  "/chain//tip",
  "/CHAIN/TIP",
  "/blocks/",
  "/blocks/height/",
  "/openapi.json",
  "/addresses/x",
  "/mempool",
  "/network/peers",
  "/fees/estimate",
  "/transactions",
  "/payments",
  "/__proto__",
  "/constructor",
  "/../chain/tip",
  "/%2e%2e/chain/tip"
]

const ACCEPTS = [
  "*/*",
  "application/json",
  "application/octet-stream",
  "text/plain",
  "text/*",
  "application/*;q=0.1, text/plain;q=0.9",
  "*/*;q=0",
  "text/html",
  "",
  ",",
  ";",
  "q=1",
  "application/json;q=2",
  "application/json; q=0.5; q=0.1",
  "application/octet-stream;q=0.0001",
  "*",
  "a/b/c",
  "text/plain;charset=utf-8"
]

const TYPES = [
  "application/json",
  "application/octet-stream",
  "text/plain",
  "application/json; charset=utf-8",
  "text/html",
  ";",
  "",
  "APPLICATION/JSON"
]

const TAGS = ["*", "\"\"", "W/\"x\"", ",", "\"a\", \"b\"", "W/", "\"", "0".repeat(4_000)]

/** Hashes and ids that the chain knows come from `known`; nearly all else is unknown to it. */
const segment = (random: Random, known: ReadonlyArray<string>): string => {
  if (random.oneIn(8)) return random.pick(SEGMENTS)
  return encodeURIComponent(random.oneIn(10) ? looseText(anyValue(random, known)) : wellFormed(random.pick(known)))
}

const wellFormed = (text: string): string => Buffer.from(text).toString()

const hashes = (known: ReadonlyArray<string>): ReadonlyArray<string> => {
  const found = known.filter((text) => /^[0-9a-f]{64}$/.test(text))
  return found.length === 0 ? ["00".repeat(32)] : found
}

const pathOf = ({ inputs, path }: Route, random: Random, known: ReadonlyArray<string>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const kind = inputs.find((each) => each.name === name)?.kind
    if (random.oneIn(6)) return segment(random, known)
    return kind === "number" ? String(random.below(400) - (random.oneIn(9) ? 10 : 0)) : random.pick(hashes(known))
  })

const queryOf = ({ inputs }: Route, random: Random, known: ReadonlyArray<string>): string => {
  const names = [...inputs.filter(({ place }) => place === "query"), ...(random.oneIn(6) ? inputs : [])].filter(() =>
    random.oneIn(2)
  )
  const parts = names.map(({ kind, name }) => {
    if (random.oneIn(8)) return `${name}=${segment(random, known)}`
    if (kind === "number") {
      return `${name}=${
        random.pick(["0", "1", "25", "100", "101", "-1", "322", "1e3", "9007199254740993", "2147483648"])
      }`
    }
    return `${name}=${kind === "boolean" ? random.pick(["true", "false", "1", ""]) : segment(random, known)}`
  })
  if (random.oneIn(15)) {
    parts.push(random.pick(["x=1", "=", "&", "%", "offset=1&offset=2", "a[]=1", "__proto__=1", "?"]))
  }
  return parts.length === 0 ? "" : `?${parts.join("&")}`
}

const bodyOf = (route: Route, random: Random, known: ReadonlyArray<string>): Uint8Array => {
  if (random.oneIn(4)) return random.bytes(random.below(200))
  const members = route.inputs.filter(({ place }) => place === "body" || random.oneIn(12))
  const body = new Members(members.filter(() => !random.oneIn(5)).map(({ name }) => [name, anyValue(random, known)]))
  const text = new Uint8Array(Buffer.from(random.oneIn(12) ? looseText(anyValue(random, known)) : looseText(body)))
  return random.oneIn(6) ? mutateBytes(text, random) : text
}

const headersOf = (random: Random): Record<string, string> => {
  const headers: Record<string, string> = {}
  if (random.oneIn(3)) headers["accept"] = random.pick(random.oneIn(3) ? ACCEPTS : ACCEPTS.slice(0, 4))
  if (random.oneIn(4)) headers["content-type"] = random.pick(TYPES)
  if (random.oneIn(8)) headers["if-none-match"] = random.pick(TAGS)
  if (random.oneIn(12)) headers["x-request-id"] = random.pick(["a-b_c.1", "", "a b", "x".repeat(65), "é"])
  return headers
}

const routes = ROUTES.filter(({ privilege }) => privilege !== "admin")

/** What a caller may ask REST: for resources that there are, that there nearly are, and for nonsense. */
export const anyRestRequest = (random: Random, calls: ReadonlyArray<RecordedCall>): AskedRest => {
  const known = knownTexts(calls)
  const route = random.pick(random.oneIn(8) ? ROUTES : routes)
  const whole = random.oneIn(12) ? random.pick(OTHER_PATHS) : pathOf(route, random, known)
  const path = random.oneIn(15) ? Buffer.from(mutateBytes(Buffer.from(whole), random)).toString("latin1") : whole
  const verb = random.oneIn(8) ? random.pick(VERBS) : route.verb
  return {
    verb,
    target: path + queryOf(route, random, known),
    headers: headersOf(random),
    body: verb === "POST" || random.oneIn(20) ? bodyOf(route, random, known) : new Uint8Array(0)
  }
}
