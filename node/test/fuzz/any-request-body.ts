import { METHODS } from "../../src/methods/table.ts"
import type { Random } from "@lockstep/property-tests/fuzz/random.ts"
import type { RecordedCall } from "./recorded-calls.ts"
import { mutateBytes } from "@lockstep/property-tests/fuzz/mutate/bytes.ts"
import { anyValue, changedValue, looseText, Members, Raw } from "./loose-json.ts"

/** Every text in a value. */
const textsIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : []
}

const LONGEST_TEXT = 4_000

const textsOf = new WeakMap<ReadonlyArray<RecordedCall>, ReadonlyArray<string>>()

/** What recorded calls have in their parameters, each text once. */
export const knownTexts = (calls: ReadonlyArray<RecordedCall>): ReadonlyArray<string> => {
  const known = textsOf.get(calls) ?? [
    ...new Set(calls.flatMap(({ params }) => textsIn(params)).filter(({ length }) => length <= LONGEST_TEXT))
  ]
  textsOf.set(calls, known)
  return known
}

const NAMES = [...METHODS.keys()]

const valueOfKind = (kind: string | undefined, random: Random, known: ReadonlyArray<string>): unknown => {
  if (kind === undefined || random.oneIn(5)) return anyValue(random, known)
  for (let tries = 0; tries < 20; tries++) {
    const value = anyValue(random, known)
    if (
      kind === "string"
        ? typeof value === "string"
        : kind === "bool"
        ? typeof value === "boolean"
        : value instanceof Raw
    ) return value
    if (kind === "array" && Array.isArray(value)) return value
    if (kind === "object" && value instanceof Members) return value
  }
  return anyValue(random, known)
}

/** A call of any method with parameters of about the right kinds, by position or by name. */
const inventedCall = (random: Random, known: ReadonlyArray<string>): readonly [string, unknown] => {
  const name = random.pick(NAMES)
  const parameters = Object.entries(METHODS.get(name)!.parameters)
  const count = random.oneIn(6) ? random.below(parameters.length + 2) : random.below(parameters.length + 1)
  const values = Array.from({ length: count }, (_, i) => valueOfKind(parameters[i]?.[1].kind, random, known))
  if (!random.oneIn(4)) return [name, values]
  const names = parameters.flatMap(([own, { aliases }]) => [own, ...aliases])
  return [
    name,
    new Members(
      values.map((
        value,
        i
      ) => [random.oneIn(10) ? "args" : (names[random.oneIn(5) ? random.below(names.length) : i] ?? "x"), value])
    )
  ]
}

const IDS: ReadonlyArray<unknown> = [
  1,
  "id",
  null,
  0,
  -1,
  true,
  [],
  {},
  [1],
  new Raw("1e5"),
  new Raw("1.50"),
  new Raw("12345678901234567890"),
  ""
]

const call = (random: Random, calls: ReadonlyArray<RecordedCall>): unknown => {
  const known = knownTexts(calls)
  const recorded = calls.length > 0 && random.oneIn(2) ? random.pick(calls) : undefined
  const [method, made] = recorded === undefined ? inventedCall(random, known) : [recorded.method, recorded.params]
  let params: unknown = made
  for (let left = random.pick([0, 0, 0, 1, 1, 2, 3]); left > 0; left--) params = changedValue(params, random, known)
  const entries: Array<readonly [string, unknown]> = [
    ["id", random.oneIn(3) ? random.pick(IDS) : 1],
    ["method", random.oneIn(60) ? anyValue(random, known) : method],
    ["params", params]
  ]
  if (random.oneIn(2)) {
    entries.unshift(["jsonrpc", random.oneIn(12) ? anyValue(random, known) : random.pick(["2.0", "1.0", "2.0"])])
  }
  if (random.oneIn(15)) entries.splice(random.below(entries.length), 1)
  if (random.oneIn(30)) entries.push([random.pick(["id", "method", "params", "x"]), anyValue(random, known)])
  return new Members(entries)
}

/** The text of one call or of a batch of them. */
export const anyRequestBodyText = (random: Random, calls: ReadonlyArray<RecordedCall>): string => {
  if (random.oneIn(60)) return looseText(anyValue(random, knownTexts(calls)))
  if (!random.oneIn(8)) return looseText(call(random, calls))
  const batch = Array.from(
    { length: random.below(6) },
    () => (random.oneIn(10) ? anyValue(random, knownTexts(calls)) : call(random, calls))
  )
  return looseText(batch)
}

/** What a client may send as a body: calls that are right, about right, and damaged. */
export const anyRequestBody = (random: Random, calls: ReadonlyArray<RecordedCall>): Uint8Array => {
  const bytes = new Uint8Array(Buffer.from(anyRequestBodyText(random, calls)))
  return random.oneIn(6) ? mutateBytes(bytes, random) : bytes
}
