import type * as SchemaAST from "effect/SchemaAST"

/** One line of a result's description: a part of the answer, and words about it. */
export interface SchemaLine {
  readonly text: string
  readonly words: string
}

interface Place {
  /** Text before the value, such as its indentation and its key. */
  readonly before: string
  readonly indent: string
  readonly words: string
  readonly isOptional: boolean
}

const SIMPLE: Readonly<Record<string, readonly [sign: string, kind: string]>> = {
  hex: ["\"hex\"", "string"],
  time: ["xxx", "numeric"],
  number: ["n", "numeric"],
  String: ["\"str\"", "string"],
  Number: ["n", "numeric"],
  Boolean: ["true|false", "boolean"],
  Null: ["null", "json null"]
}

const annotation = (ast: SchemaAST.AST, name: string): string | undefined => {
  const value = ast.annotations?.[name]
  return typeof value === "string" ? value : undefined
}

/** Returns a schema without `undefined`, which only marks an optional value. */
const present = (ast: SchemaAST.AST): SchemaAST.AST => {
  if (ast._tag !== "Union") return ast
  const types = ast.types.filter(({ _tag }) => _tag !== "Undefined")
  return types.length === 1 ? types[0]! : ast
}

const simple = (ast: SchemaAST.AST): readonly [sign: string, kind: string] => {
  if (ast._tag === "Literal") {
    return [JSON.stringify(ast.literal), typeof ast.literal === "string" ? "string" : "numeric"]
  }
  if (ast._tag === "Union") {
    const members = ast.types.map(simple)
    return [members.map(([sign]) => sign).join("|"), [...new Set(members.map(([, kind]) => kind))].join(" or ")]
  }
  return SIMPLE[annotation(ast, "jsonType") ?? ast._tag] ?? ["value", "any"]
}

const words = (kind: string, place: Place): string =>
  `(${kind}${place.isOptional ? ", optional" : ""})${place.words === "" ? "" : ` ${place.words}`}`

/** Returns the lines of a value with a comma after the last one. */
const followed = (lines: ReadonlyArray<SchemaLine>): ReadonlyArray<SchemaLine> =>
  lines.map((line, i) => i === lines.length - 1 ? { ...line, text: `${line.text},` } : line)

const inside = (place: Place): string => `${place.indent}  `

const arrayLines = (element: SchemaAST.AST, place: Place): ReadonlyArray<SchemaLine> => {
  const indent = inside(place)
  const elementPlace = { before: indent, indent, words: annotation(element, "description") ?? "", isOptional: false }
  return [
    { text: `${place.before}[`, words: words("json array", place) },
    ...followed(schemaLines(element, elementPlace)),
    { text: `${indent}...`, words: "" },
    { text: `${place.indent}]`, words: "" }
  ]
}

const memberLines = ({ name, type }: SchemaAST.PropertySignature, indent: string): ReadonlyArray<SchemaLine> => {
  const described = type.context?.annotations?.["description"]
  return schemaLines(type, {
    before: `${indent}"${String(name)}" : `,
    indent,
    words: typeof described === "string" ? described : "",
    isOptional: type.context?.isOptional ?? false
  })
}

const objectLines = (
  { indexSignatures, propertySignatures }: SchemaAST.Objects,
  place: Place
): ReadonlyArray<SchemaLine> => {
  const indent = inside(place)
  const members = propertySignatures.map((each) => memberLines(each, indent))
  const keyed = indexSignatures.flatMap(({ type }) => [
    ...followed(schemaLines(type, { before: `${indent}"key" : `, indent, words: "", isOptional: false })),
    { text: `${indent}...`, words: "" }
  ])
  return [
    { text: `${place.before}{`, words: words("json object", place) },
    ...members.flatMap((lines, i) => i === members.length - 1 && keyed.length === 0 ? lines : followed(lines)),
    ...keyed,
    { text: `${place.indent}}`, words: "" }
  ]
}

/** Returns the lines that describe a value of this schema. */
const schemaLines = (schema: SchemaAST.AST, place: Place): ReadonlyArray<SchemaLine> => {
  const ast = present(schema)
  if (ast._tag === "Arrays") return arrayLines(ast.rest[0] ?? ast.elements[0]!, place)
  if (ast._tag === "Objects") return objectLines(ast, place)
  if (ast._tag === "Union") {
    const nested = ast.types.find(({ _tag }) => _tag === "Objects" || _tag === "Arrays")
    if (nested !== undefined) return schemaLines(nested, { ...place, words: `${place.words} (null: none)`.trim() })
  }
  const [sign, kind] = simple(ast)
  return [{ text: place.before + sign, words: words(kind, place) }]
}

/** Returns the lines of an object's members that may also be named parameters. */
export const namedMembers = (ast: SchemaAST.AST, names: ReadonlyArray<string>): ReadonlyArray<SchemaLine> => {
  const object = present(ast)
  if (object._tag !== "Objects") return []
  return object.propertySignatures
    .filter(({ name }) => names.includes(String(name)))
    .map((each) => ({ text: String(each.name), words: memberLines(each, "")[0]!.words }))
}

/** One case of a result, with its condition. */
export interface ResultCase {
  readonly when: string | undefined
  readonly lines: ReadonlyArray<SchemaLine>
}

export const resultCases = (ast: SchemaAST.AST): ReadonlyArray<ResultCase> => {
  const cases = ast._tag === "Union" && ast.types.some((each) => annotation(each, "when") !== undefined)
    ? ast.types
    : [ast]
  return cases.map((each) => ({
    when: annotation(each, "when"),
    lines: schemaLines(each, {
      before: "",
      indent: "",
      words: annotation(each, "description") ?? "",
      isOptional: false
    })
  }))
}
