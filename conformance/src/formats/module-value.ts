import type { VectorFile } from "../sources/source.ts"
import { MalformedVector } from "./malformed.ts"
import { readText } from "./read-file.ts"

interface Node {
  readonly type: string
  readonly [name: string]: unknown
}

const keyOf = (key: Node): string => String(key.type === "Identifier" ? key["name"] : key["value"])

/** The value a literal stands for. Whatever would have to be run to be known is refused. */
const valueOf = (node: Node): unknown => {
  if (node.type === "Literal") return node["value"]
  if (node.type === "ArrayExpression") return (node["elements"] as ReadonlyArray<Node>).map(valueOf)
  if (node.type !== "ObjectExpression") throw new TypeError(`holds a ${node.type}, which is no data`)
  return Object.fromEntries((node["properties"] as ReadonlyArray<Node>).map((property) => {
    if (property.type !== "Property" || property["computed"] === true) {
      throw new TypeError("holds a computed member, which is no data")
    }
    return [keyOf(property["key"] as Node), valueOf(property["value"] as Node)]
  }))
}

const exported = (statement: Node): Node | undefined => {
  const expression = statement["expression"] as Node | undefined
  return expression?.type === "AssignmentExpression" ? expression["right"] as Node : undefined
}

/** What a CommonJS module of pure data exports, read from its syntax: nothing of the package is run. */
export const moduleValue = async (file: VectorFile): Promise<unknown> => {
  const { parseSync } = await import("oxc-parser")
  const { program, errors } = parseSync(file.path, readText(file), { sourceType: "commonjs" })
  if (errors.length > 0) throw new MalformedVector(file.display, "", `is no JavaScript: ${errors[0]!.message}`)
  const value = (program.body as unknown as ReadonlyArray<Node>).map(exported).find((node) => node !== undefined)
  if (value === undefined) throw new MalformedVector(file.display, "", "assigns nothing to module.exports")
  try {
    return valueOf(value)
  } catch (error) {
    throw new MalformedVector(file.display, "", error instanceof Error ? error.message : String(error))
  }
}
