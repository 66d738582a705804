import { isNode, type SyntaxNode } from "../../trace/syntax.ts"
import type { TextOf } from "../operators.ts"

const DURATION = /^(\d+) (millis|seconds|minutes|hours|days)$/
const COMPUTED = /^(`\$\{[^}]+\} )(millis|seconds|minutes|hours|days)`$/
const MADE = /^Duration\.(millis|seconds|minutes|hours|days)$/

const OTHER_UNIT: Readonly<Record<string, string>> = {
  millis: "seconds",
  seconds: "minutes",
  minutes: "seconds",
  hours: "minutes",
  days: "hours"
}

/** Numbers that lead from one unit to another. */
const FACTORS = new Set(
  ["1000", "1_000", "1000n", "1_000n", "1024", "60", "3600", "3_600", "60_000", "86_400", "1_000_000"]
)

/** Whether a text says how long something takes. */
export const isDuration = (text: string): boolean => DURATION.test(text)

const literal = ({ value }: SyntaxNode): ReadonlyArray<string> => {
  if (typeof value === "number") return value >= 1000 && value % 1000 === 0 ? [String(value / 1000)] : []
  const [, count, unit] = typeof value === "string" ? DURATION.exec(value) ?? [] : []
  return unit === undefined ? [] : [JSON.stringify(`${count} ${OTHER_UNIT[unit]}`)]
}

const template = (node: SyntaxNode, textOf: TextOf): ReadonlyArray<string> => {
  const [, start, unit] = COMPUTED.exec(textOf(node)) ?? []
  return unit === undefined ? [] : [`${start}${OTHER_UNIT[unit]}\``]
}

const product = (node: SyntaxNode, textOf: TextOf): ReadonlyArray<string> => {
  const isConversion = /^[*/]$/.test(String(node["operator"])) && FACTORS.has(textOf(node["right"] as SyntaxNode))
  return isConversion ? [textOf(node["left"] as SyntaxNode)] : []
}

const made = (node: SyntaxNode, textOf: TextOf): ReadonlyArray<string> => {
  const callee = node["callee"]
  const [name, unit] = isNode(callee) ? MADE.exec(textOf(callee)) ?? [] : []
  return unit === undefined ? [] : [textOf(node).replace(name!, `Duration.${OTHER_UNIT[unit]}`)]
}

const BY_TYPE: Readonly<Record<string, (node: SyntaxNode, textOf: TextOf) => ReadonlyArray<string>>> = {
  Literal: literal,
  TemplateLiteral: template,
  BinaryExpression: product,
  CallExpression: made
}

/** Texts in place of `node` in which a number has another unit. */
export const unitConfused = (node: SyntaxNode, textOf: TextOf): ReadonlyArray<string> =>
  BY_TYPE[node.type]?.(node, textOf) ?? []
