import type * as SchemaAST from "effect/SchemaAST"
import { JsonMembers, JsonNumber, type JsonRead } from "../../src/rpc/json/json-value.ts"
import { Anything } from "../../src/rpc/method/result-schema.ts"

const isNumber = (ast: SchemaAST.AST): boolean =>
  ast._tag === "Number" || ast._tag === "BigInt" ||
  (ast._tag === "Declaration" && ast.annotations?.["jsonType"] === "number")

const objectFits = (ast: SchemaAST.Objects, value: JsonMembers): boolean => {
  const known = new Map(ast.propertySignatures.map(({ name, type }) => [String(name), type]))
  const rest = ast.indexSignatures[0]?.type
  const isComplete = [...known].every(([name, type]) => type.context?.isOptional === true || value.keys.includes(name))
  return isComplete && value.keys.every((key, i) => {
    const type = known.get(key) ?? rest
    return type !== undefined && fits(type, value.values[i]!)
  })
}

/**
 * Whether an answer is what the schema of the method's result says: every member of it is documented, none is missing.
 */
export const fits = (ast: SchemaAST.AST, value: JsonRead): boolean => {
  if (ast === Anything.ast) return true
  if (ast._tag === "Union") return ast.types.some((type) => fits(type, value))
  // A document of its own kind.
  if (value instanceof JsonMembers && ast._tag === "Declaration") return !isNumber(ast)
  if (value instanceof JsonMembers) return ast._tag === "Objects" && objectFits(ast, value)
  if (Array.isArray(value)) return ast._tag === "Arrays" && value.every((each: JsonRead) => fits(ast.rest[0]!, each))
  if (value instanceof JsonNumber) return isNumber(ast)
  if (value === null) return ast._tag === "Null"
  if (typeof value === "boolean") return ast._tag === "Boolean"
  return ast._tag === "String" || (ast._tag === "Literal" && ast.literal === value)
}
