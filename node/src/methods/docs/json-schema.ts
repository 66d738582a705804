import type * as SchemaAST from "effect/SchemaAST"

/** A JSON Schema, limited to the keywords that methods need. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

const annotation = (ast: SchemaAST.AST, name: string): string | undefined => {
  const value = ast.annotations?.[name]
  return typeof value === "string" ? value : undefined
}

const described = (ast: SchemaAST.AST, schema: JsonSchema): JsonSchema => {
  const description = annotation(ast, "description")
  return description === undefined || "description" in schema ? schema : { ...schema, description }
}

const keyDescription = (ast: SchemaAST.AST): JsonSchema => {
  const description = ast.context?.annotations?.["description"]
  return typeof description === "string" ? { description } : {}
}

const objectSchema = ({ indexSignatures, propertySignatures }: SchemaAST.Objects): JsonSchema => {
  const required = propertySignatures.filter(({ type }) => type.context?.isOptional !== true).map(({ name }) =>
    String(name)
  )
  const rest = indexSignatures[0]?.type
  return {
    type: "object",
    ...(propertySignatures.length === 0 ? {} : {
      properties: Object.fromEntries(
        propertySignatures.map(({ name, type }) => [String(name), { ...jsonSchema(type), ...keyDescription(type) }])
      )
    }),
    ...(required.length === 0 ? {} : { required }),
    ...(rest === undefined ? { additionalProperties: false } : { additionalProperties: jsonSchema(rest) })
  }
}

const arraySchema = ({ elements, rest }: SchemaAST.Arrays): JsonSchema => {
  if (rest[0] !== undefined) return { type: "array", items: jsonSchema(rest[0]) }
  return { type: "array", prefixItems: elements.map(jsonSchema), minItems: elements.length, maxItems: elements.length }
}

const unionSchema = ({ types }: SchemaAST.Union): JsonSchema => {
  const present = types.filter(({ _tag }) => _tag !== "Undefined")
  if (present.length === 1) return jsonSchema(present[0]!)
  if (present.every((type) => type._tag === "Literal")) {
    return { enum: present.map((type) => (type as SchemaAST.Literal).literal) }
  }
  return { anyOf: present.map(jsonSchema) }
}

const bare = (ast: SchemaAST.AST): JsonSchema => {
  switch (ast._tag) {
    case "String":
      return annotation(ast, "jsonType") === "hex"
        ? { type: "string", pattern: "^([0-9a-fA-F]{2})*$" }
        : { type: "string" }
    case "Number":
      return { type: "number" }
    case "Boolean":
      return { type: "boolean" }
    case "Null":
      return { type: "null" }
    case "Literal":
      return { const: ast.literal }
    case "Union":
      return unionSchema(ast)
    case "Arrays":
      return arraySchema(ast)
    case "Objects":
      return objectSchema(ast)
    default:
      return annotation(ast, "jsonType") === "number" ? { type: "number" } : {}
  }
}

/** Converts a schema to the JSON Schema of its values on the wire. */
export const jsonSchema = (ast: SchemaAST.AST): JsonSchema => {
  const when = annotation(ast, "when")
  const schema = described(ast, bare(ast))
  return when === undefined ? schema : { title: when, ...schema }
}
