import type { Finding } from "./finding.ts"
import { isNode, parseSource, type SyntaxNode } from "./syntax.ts"

/** A row of the constants table. */
export interface Constant {
  readonly id: string
  /** The kernel's exported constant. */
  readonly name: string
  readonly value: number | bigint
  readonly unit: string
  readonly file: string
  readonly line: number
  readonly where: string
}

const NUMBERS: Readonly<Record<string, (a: number, b: number) => number>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "**": (a, b) => a ** b
}

const BIGINTS: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "**": (a, b) => a ** b
}

type Value = number | bigint | undefined

const combine = (operator: string, a: Value, b: Value): Value => {
  if (typeof a === "number" && typeof b === "number") return NUMBERS[operator]?.(a, b)
  if (typeof a === "bigint" && typeof b === "bigint") return BIGINTS[operator]?.(a, b)
  return undefined
}

const valueOf = (node: SyntaxNode): Value => {
  switch (node.type) {
    case "ExpressionStatement":
    case "ParenthesizedExpression":
      return valueOf(node["expression"] as SyntaxNode)
    case "Literal":
      return typeof node["value"] === "number" || typeof node["value"] === "bigint" ? node["value"] : undefined
    case "UnaryExpression": {
      const value = node["operator"] === "-" ? valueOf(node["argument"] as SyntaxNode) : undefined
      return value === undefined ? undefined : -value
    }
    case "BinaryExpression":
      return combine(
        node["operator"] as string,
        valueOf(node["left"] as SyntaxNode),
        valueOf(node["right"] as SyntaxNode)
      )
    default:
      return undefined
  }
}

/**
 * The value of a number expression (`0x02000000`, `21_000_000n * 100_000_000n`, `2 ** 25`), or nothing when it is none.
 */
export const evaluate = (expression: string): Value => {
  try {
    const statements = parseSource("value.ts", expression).program["body"]
    const only = Array.isArray(statements) && statements.length === 1 ? statements[0] : undefined
    return isNode(only) ? valueOf(only) : undefined
  } catch {
    return undefined
  }
}

/** The rows of every table in `text` whose first cell is a `CST` id; columns are id, name, value, unit. */
export const readConstants = (file: string, text: string, findings: Array<Finding>): ReadonlyArray<Constant> => {
  const constants: Array<Constant> = []
  for (const [i, row] of text.split("\n").entries()) {
    if (!/^\|\s*`?CST-\d{3}`?\s*\|/.test(row)) continue
    const [id = "", name = "", written = "", unit = ""] = row.split("|").slice(1).map((cell) =>
      cell.replaceAll("`", "").trim()
    )
    const where = `${file}:${i + 1}`
    const value = evaluate(written)
    if (value === undefined) {
      findings.push({ check: "spec", id, where, what: `${JSON.stringify(written)} is no number expression` })
    } else constants.push({ id, name, value, unit, file, line: i + 1, where })
  }
  return constants
}
