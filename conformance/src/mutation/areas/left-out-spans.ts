import { childrenOf, isNode, type Source, type SyntaxNode } from "../../trace/syntax.ts"
import { isDuration } from "./units.ts"

/** A stretch of a source text. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** Calls that only write a log line. */
const LOGS = /^(Effect\.(log|annotateLogs)\w*|console\.\w+|([\w.]+\.)?notify\.log|log|notifyLog)$/
/** Calls whose texts are names for people: spans, keys of services, failures of our own program. */
const NAMED =
  /^(Effect\.(fn|fnUntraced|withSpan|annotate\w*|die\w*|log\w*)|Context\.(Service|Reference).*|Schema\.\w+|Data\.\w+)$/
/** Properties whose texts describe. */
const DESCRIPTIONS = new Set(["unit", "source", "description", "help", "summary", "advice"])

const nameOf = (node: unknown): string | undefined =>
  isNode(node) && typeof node["name"] === "string" ? node["name"] : undefined

const isText = (node: SyntaxNode): boolean => node.type === "Literal" && typeof node["value"] === "string"

const isProse = (node: SyntaxNode): boolean =>
  isText(node) && /\s/.test(String(node["value"])) && !isDuration(String(node["value"]))

/** What of `node` no fault is planted in. */
const leftOutOf = (node: SyntaxNode, textOf: (node: SyntaxNode) => string): ReadonlyArray<SyntaxNode> => {
  if (isProse(node)) return [node]
  // A loop that counts the other way never ends, and says nothing but that.
  if (node.type === "ForStatement") return isNode(node["update"]) ? [node["update"]] : []
  if (node.type === "Property") {
    return DESCRIPTIONS.has(nameOf(node["key"]) ?? "") && isNode(node["value"])
      ? [node["value"]]
      : []
  }
  if (node.type !== "CallExpression") return []
  const callee = textOf(node["callee"] as SyntaxNode)
  if (LOGS.test(callee)) return [node]
  return NAMED.test(callee) ? (node["arguments"] as ReadonlyArray<SyntaxNode>).filter(isText) : []
}

/** A statement that does nothing but one of `nodes`, perhaps behind `yield*`. */
const isOnly = (node: SyntaxNode, nodes: ReadonlySet<SyntaxNode>): boolean => {
  const expression = node["expression"]
  if (node.type !== "ExpressionStatement" || !isNode(expression)) return false
  const inner = expression.type === "YieldExpression" ? expression["argument"] : expression
  return isNode(inner) && inner.type === "CallExpression" && nodes.has(inner)
}

/**
 * Stretches of `source` in which a fault would be no fault of the program: prose, names of spans and services, lines of
 * the log, descriptions, and the steps of counting loops.
 */
export const leftOutSpans = ({ program, text }: Source): ReadonlyArray<Span> => {
  const textOf = (node: SyntaxNode): string => text.slice(node.start, node.end)
  const left = new Set<SyntaxNode>()
  const visit = (node: SyntaxNode): void => {
    for (const each of leftOutOf(node, textOf)) left.add(each)
    for (const child of childrenOf(node)) visit(child)
    if (isOnly(node, left)) left.add(node)
  }
  visit(program)
  return [...left].map(({ start, end }) => ({ start, end }))
}
