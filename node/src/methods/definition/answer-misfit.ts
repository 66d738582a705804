import type * as SchemaAST from "effect/SchemaAST"
import { JsonBytes, JsonMembers, JsonNumber, type JsonValue } from "../../json/json-value.ts"
import { Anything } from "../../answers/result-schema.ts"

const isNumber = (ast: SchemaAST.AST): boolean =>
  ast._tag === "Number" || ast._tag === "BigInt" ||
  (ast._tag === "Declaration" && ast.annotations?.["jsonType"] === "number")

type Members = ReadonlyArray<readonly [name: string, value: JsonValue]>

const membersOf = (value: object): Members =>
  value instanceof JsonMembers
    ? value.keys.map((key, i) => [key, value.values[i]!] as const)
    : Object.entries(value as Readonly<Record<string, JsonValue | undefined>>).flatMap(([key, each]) =>
      each === undefined ? [] : [[key, each] as const]
    )

const objectMisfit = (ast: SchemaAST.Objects, members: Members, place: string): string | undefined => {
  const known = new Map(ast.propertySignatures.map(({ name, type }) => [String(name), type]))
  const rest = ast.indexSignatures[0]?.type
  const given = new Set(members.map(([name]) => name))
  const under = (name: string): string => `${place}.${name}`
  for (const [name, type] of known) {
    if (type.context?.isOptional !== true && !given.has(name)) return under(name)
  }
  for (const [name, value] of members) {
    const type = known.get(name) ?? rest
    const misfit = type === undefined ? under(name) : answerMisfit(type, value, under(name))
    if (misfit !== undefined) return misfit
  }
  return undefined
}

const arrayMisfit = (
  { elements, rest }: SchemaAST.Arrays,
  values: ReadonlyArray<JsonValue>,
  place: string
): string | undefined => {
  for (const [i, value] of values.entries()) {
    const type = elements[i] ?? rest[0]
    const under = `${place}[${i}]`
    const misfit = type === undefined ? under : answerMisfit(type, value, under)
    if (misfit !== undefined) return misfit
  }
  return values.length < elements.length ? place : undefined
}

const isOfSimpleKind = (ast: SchemaAST.AST, value: JsonValue): boolean => {
  if (value instanceof JsonNumber || typeof value === "number" || typeof value === "bigint") {
    return isNumber(ast) || (ast._tag === "Literal" && typeof ast.literal === "number")
  }
  if (value === null) return ast._tag === "Null"
  if (typeof value === "boolean") return ast._tag === "Boolean"
  return ast._tag === "String" || (ast._tag === "Literal" && ast.literal === value)
}

/** Returns the path of a mismatch inside one of the alternatives if possible, which is more specific than `place`. */
const unionMisfit = ({ types }: SchemaAST.Union, value: JsonValue, place: string): string | undefined => {
  let inside: string | undefined
  for (const type of types) {
    const misfit = answerMisfit(type, value, place)
    if (misfit === undefined) return undefined
    if (misfit !== place) inside ??= misfit
  }
  return inside ?? place
}

const hasMembers = (value: JsonValue): value is object & JsonValue =>
  typeof value === "object" && value !== null && !(value instanceof JsonNumber) && !(value instanceof JsonBytes)

const membersMisfit = (ast: SchemaAST.AST, value: object, place: string): string | undefined => {
  // A declared kind other than a number accepts any members.
  if (ast._tag === "Declaration") return isNumber(ast) ? place : undefined
  return ast._tag === "Objects" ? objectMisfit(ast, membersOf(value), place) : place
}

/**
 * Returns the path of the first part of an answer that the schema of its method's result does not allow. That part is
 * undocumented, missing, or of another kind. Returns `undefined` if the answer matches.
 */
export const answerMisfit = (ast: SchemaAST.AST, value: JsonValue, place = "result"): string | undefined => {
  if (ast === Anything.ast) return undefined
  if (ast._tag === "Union") return unionMisfit(ast, value, place)
  if (Array.isArray(value)) return ast._tag === "Arrays" ? arrayMisfit(ast, value, place) : place
  if (hasMembers(value)) return membersMisfit(ast, value, place)
  return isOfSimpleKind(ast, value) ? undefined : place
}
