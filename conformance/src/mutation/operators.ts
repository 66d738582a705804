import { RULE_ID } from "../trace/rule-id.ts"
import { childrenOf, isNode, isTypeOnly, type SyntaxNode } from "../trace/syntax.ts"

/** What may stand in place of an expression. `isPure`: it can be evaluated on the side without changing anything. */
export interface Replacement {
  readonly text: string
  readonly isPure: boolean
}

/** Gives the source text of a node. */
export type TextOf = (node: SyntaxNode) => string

/** How a mutant answers that everything is in order, where the kernel answers with a verdict. */
export const HOLDS_NAME = "$HOLDS"

const RELATIONS: Readonly<Record<string, ReadonlyArray<string>>> = {
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "===": ["!=="],
  "!==": ["==="],
  "+": ["-"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
  "%": ["*"],
  "**": ["*"],
  "&": ["|"],
  "|": ["&"],
  "^": ["&"],
  "<<": [">>>"],
  ">>": ["<<"],
  ">>>": ["<<"]
}

const ASSIGNMENTS: Readonly<Record<string, string>> = {
  "+=": "-=",
  "-=": "+=",
  "*=": "/=",
  "/=": "*=",
  "|=": "&=",
  "&=": "|=",
  "^=": "|=",
  "<<=": ">>>=",
  ">>=": "<<=",
  ">>>=": "<<="
}

const METHODS: Readonly<Record<string, string>> = { min: "max", max: "min", floor: "ceil", ceil: "floor" }

/** Calls that change nothing and end soon, whatever they are given. */
const PURE_CALLS = new Set([
  "Number.isNaN",
  "Math.min",
  "Math.max",
  "Math.floor",
  "Math.abs",
  "BigInt",
  "Number",
  "peek",
  "compactSizeLength"
])

const PURE_NODES = new Set([
  "Literal",
  "Identifier",
  "MemberExpression",
  "TSNonNullExpression",
  "TSAsExpression",
  "BinaryExpression",
  "LogicalExpression",
  "ConditionalExpression",
  "ChainExpression",
  "ParenthesizedExpression"
])

const isPureCall = (node: SyntaxNode, textOf: TextOf): boolean =>
  node.type === "CallExpression" && PURE_CALLS.has(textOf(node["callee"] as SyntaxNode))

/** Whether evaluating `node` once more would change nothing. */
const isPure = (node: SyntaxNode, textOf: TextOf): boolean => {
  if (isTypeOnly(node)) return true
  const pure = PURE_NODES.has(node.type) || (node.type === "UnaryExpression" && node["operator"] !== "delete") ||
    isPureCall(node, textOf)
  return pure && childrenOf(node).every((child) => isPure(child, textOf))
}

const COMPOUND = new Set(["BinaryExpression", "LogicalExpression", "ConditionalExpression", "ArrowFunctionExpression"])

/** The text of an operand that another operator must not tear apart. */
const operandText = (node: SyntaxNode, textOf: TextOf): string =>
  COMPOUND.has(node.type) ? `(${textOf(node)})` : textOf(node)

/** The numbers next to the one that stands there. */
const neighbours = (node: SyntaxNode): ReadonlyArray<string> => {
  const value = node["value"]
  const raw = String(node["raw"])
  if (typeof value === "bigint") return [`${value + 1n}n`, `${value - 1n}n`]
  const shown = (n: number): string => raw.startsWith("0x") && n >= 0 ? `0x${n.toString(16)}` : String(n)
  return [shown(Number(value) + 1), shown(Number(value) - 1)]
}

const isNumber = (node: unknown): node is SyntaxNode =>
  isNode(node) && node.type === "Literal" && (typeof node["value"] === "number" || typeof node["value"] === "bigint")

const numbersIn = (operand: unknown): ReadonlyArray<string> => isNumber(operand) ? neighbours(operand) : []

/** A number beside an operator is replaced together with it: what counts is whether the result differs. */
export const isOperandNumber = (node: SyntaxNode, parent: SyntaxNode): boolean =>
  parent.type === "BinaryExpression" && isNumber(node)

const binary = (node: SyntaxNode, textOf: TextOf): ReadonlyArray<string> => {
  const left = operandText(node["left"] as SyntaxNode, textOf)
  const right = operandText(node["right"] as SyntaxNode, textOf)
  const operator = node["operator"] as string
  return [
    ...(RELATIONS[operator] ?? []).map((other) => `${left} ${other} ${right}`),
    ...numbersIn(node["left"]).map((number) => `${number} ${operator} ${right}`),
    ...numbersIn(node["right"]).map((number) => `${left} ${operator} ${number}`)
  ]
}

const logical = (node: SyntaxNode, textOf: TextOf): ReadonlyArray<string> => {
  const [left, right] = [node["left"] as SyntaxNode, node["right"] as SyntaxNode]
  const alone = [textOf(left), textOf(right)]
  if (node["operator"] === "??") return alone
  return [
    `${operandText(left, textOf)} ${node["operator"] === "&&" ? "||" : "&&"} ${operandText(right, textOf)}`,
    ...alone
  ]
}

const UNARY = new Set(["!", "-", "~"])

const literal = (node: SyntaxNode): ReadonlyArray<string> => {
  const value = node["value"]
  if (isNumber(node)) return neighbours(node)
  if (typeof value === "boolean") return [String(!value)]
  if (typeof value !== "string") return []
  if (RULE_ID.test(value)) return [JSON.stringify(value === "SCR-013" ? "SCR-014" : "SCR-013")]
  return [JSON.stringify(value === "" ? "other" : "")]
}

const member = (node: SyntaxNode, textOf: TextOf): ReadonlyArray<string> =>
  /^ScriptError\.[A-Z]/.test(textOf(node)) ? ["ScriptError.UNKNOWN_ERROR"] : []

const call = (node: SyntaxNode, textOf: TextOf): ReadonlyArray<string> => {
  const callee = node["callee"] as SyntaxNode
  const [, method] = /^Math\.(\w+)$/.exec(textOf(callee)) ?? []
  const other = method === undefined ? undefined : METHODS[method]
  return other === undefined ? [] : [`Math.${other}${textOf(node).slice(callee.end - node.start)}`]
}

const assignment = (node: SyntaxNode, textOf: TextOf): ReadonlyArray<string> => {
  const operator = ASSIGNMENTS[node["operator"] as string]
  return operator === undefined
    ? []
    : [`${textOf(node["left"] as SyntaxNode)} ${operator} ${textOf(node["right"] as SyntaxNode)}`]
}

const update = (node: SyntaxNode, textOf: TextOf): ReadonlyArray<string> => {
  const argument = textOf(node["argument"] as SyntaxNode)
  const operator = node["operator"] === "++" ? "--" : "++"
  return [node["prefix"] === true ? `${operator}${argument}` : `${argument}${operator}`]
}

/** By the type of node, other expressions for it. */
const EXPRESSIONS: Readonly<Record<string, (node: SyntaxNode, textOf: TextOf) => ReadonlyArray<string>>> = {
  BinaryExpression: binary,
  LogicalExpression: logical,
  UnaryExpression: (node, textOf) =>
    UNARY.has(String(node["operator"])) ? [textOf(node["argument"] as SyntaxNode)] : [],
  Literal: literal,
  MemberExpression: member,
  CallExpression: call,
  AssignmentExpression: assignment,
  UpdateExpression: update
}

const TESTED = new Set(["IfStatement", "ConditionalExpression"])
const LOOPS = new Set(["ForStatement", "WhileStatement", "DoWhileStatement"])

/** Conditions that are always or never met. A loop that never ends is no experiment. */
const tests = (node: SyntaxNode, parent: SyntaxNode): ReadonlyArray<string> =>
  parent["test"] !== node ?
    []
    : TESTED.has(parent.type) ?
    ["true", "false"]
    : LOOPS.has(parent.type) ?
    ["false"]
    : []

/** By how a return type begins, what a function that judges nothing would answer. */
const NEUTRAL: ReadonlyArray<readonly [type: RegExp, answers: ReadonlyArray<string>]> = [
  [/\| undefined$/, ["undefined"]],
  [/^Fault$/, ["0"]],
  [/^(Verdict|Result\.Result)</, [HOLDS_NAME]],
  [/^boolean$/, ["true", "false"]],
  [/^number$/, ["0"]],
  [/^bigint$/, ["0n"]],
  [/^Uint8Array$/, ["new Uint8Array(0)"]]
]

/** Names under which the kernel itself gives a neutral answer. */
const NEUTRAL_NAMES = new Set(["NO_FAULT", "HOLDS", "EMPTY"])

const answers = (returnType: string | undefined): ReadonlyArray<string> =>
  returnType === undefined ? [] : NEUTRAL.find(([type]) => type.test(returnType))?.[1] ?? []

/** Where a node stands: its parent, and the type its function declares if the node is what that function answers. */
export interface Place {
  readonly parent: SyntaxNode
  readonly returnType: string | undefined
}

/**
 * Every expression to be tried in place of `node`, without repetition. What stands in place of an expression with
 * effects makes a difference even where it has the same value, so it counts as impure.
 */
export const replacementsOf = (
  node: SyntaxNode,
  { parent, returnType }: Place,
  textOf: TextOf
): ReadonlyArray<Replacement> => {
  const text = textOf(node)
  const texts = new Set([
    ...EXPRESSIONS[node.type]?.(node, textOf) ?? [],
    ...tests(node, parent),
    ...NEUTRAL_NAMES.has(text) ? [] : answers(returnType)
  ])
  texts.delete(text)
  if (texts.size === 0) return []
  const pure = isPure(node, textOf)
  return [...texts].map((each) => ({ text: each, isPure: pure }))
}

/** The declared return type of a function node, as written; nothing when there is none. */
export const returnTypeOf = (node: SyntaxNode, textOf: TextOf): string | undefined => {
  const annotation = node["returnType"]
  const type = isNode(annotation) ? annotation["typeAnnotation"] : undefined
  return isNode(type) ? textOf(type) : undefined
}
