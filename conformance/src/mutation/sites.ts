import { childrenOf, isNode, isTypeOnly, lineAt, type Source, type SyntaxNode } from "../trace/syntax.ts"
import { mutantKey, type PlacedMutant, type Site } from "./mutant.ts"
import { isOperandNumber, type Place, replacementsOf, returnTypeOf } from "./operators.ts"

/** What a deleted statement is shown as. */
export const DELETED = "(deleted)"

const FUNCTIONS = new Set(["ArrowFunctionExpression", "FunctionExpression", "FunctionDeclaration"])

const nameOf = (node: unknown): string => isNode(node) && typeof node["name"] === "string" ? node["name"] : ""

/** The name a top-level statement declares. */
const declaredName = (statement: SyntaxNode): string => {
  const declaration = statement.type === "ExportNamedDeclaration" ? statement["declaration"] : statement
  if (!isNode(declaration)) return ""
  const declarators = declaration["declarations"]
  return nameOf(Array.isArray(declarators) ? declarators[0]?.id : declaration["id"])
}

/**
 * Children of `node` in which something may be replaced by another expression. Left out: types, names of properties,
 * what is assigned to, sources of imports, links inside an optional chain.
 */
export const replaceableChildren = (node: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  switch (node.type) {
    case "ImportDeclaration":
    case "ExportAllDeclaration":
      return []
    case "Property":
      return node["shorthand"] === true
        ? []
        : node["computed"] === true
        ? childrenOf(node)
        : [node["value"] as SyntaxNode]
    case "MemberExpression":
      return node["computed"] === true ? childrenOf(node) : [node["object"] as SyntaxNode]
    case "VariableDeclarator":
      return isNode(node["init"]) ? [node["init"]] : []
    default:
      return childrenOf(node).filter((child) => !isTypeOnly(child))
  }
}

const PATTERNS = new Set(["ObjectPattern", "ArrayPattern", "TemplateElement"])

/**
 * Whether `node` itself, though not its parts, has to stay: something is assigned to it, it is only half of a call, or
 * its parent replaces it.
 */
const isFixed = (node: SyntaxNode, parent: SyntaxNode): boolean =>
  (parent.type === "AssignmentExpression" && parent["left"] === node) ||
  (parent.type === "UpdateExpression" && parent["argument"] === node) ||
  (parent.type === "CallExpression" && parent["callee"] === node) ||
  parent.type === "ChainExpression" ||
  isOperandNumber(node, parent)

const isDeletable = (node: SyntaxNode): boolean =>
  node.type === "ExpressionStatement" && typeof node["directive"] !== "string"

interface Context {
  readonly within: string
  /** Return type of the function around. */
  readonly returnType: string | undefined
}

/** What the function around declares to answer, where `node` is that answer. */
const answered = (node: SyntaxNode, parent: SyntaxNode, context: Context): string | undefined => {
  const isAnswer = parent.type === "ReturnStatement" ||
    (parent.type === "ArrowFunctionExpression" && parent["body"] === node)
  return isAnswer && node.type !== "BlockStatement" ? context.returnType : undefined
}

/** Further texts to be tried in place of a node. */
export type Further = (node: SyntaxNode, parent: SyntaxNode) => ReadonlyArray<string>

const NOTHING: Further = () => []

/** Every site of a file, parents before their parts; numbers start at `firstId`. */
export const sitesOf = (source: Source, firstId: number, further = NOTHING): ReadonlyArray<Site> => {
  const sites: Array<Site> = []
  const textOf = (node: SyntaxNode): string => source.text.slice(node.start, node.end)
  const occurrences = new Map<string, number>()
  let id = firstId

  const place = (
    node: SyntaxNode,
    within: string,
    replacements: ReadonlyArray<{ readonly text: string; readonly isPure: boolean }>
  ) => {
    if (replacements.length === 0) return
    const at = { file: source.file, line: lineAt(source.text, node.start), within, original: textOf(node) }
    const mutants = replacements.map(({ text, isPure }): PlacedMutant => {
      const alike = mutantKey({ ...at, mutated: text, occurrence: 0 })
      const occurrence = (occurrences.get(alike) ?? 0) + 1
      occurrences.set(alike, occurrence)
      return { id: id++, ...at, mutated: text, occurrence, isPure }
    })
    sites.push({ node, mutants })
  }

  const visit = (node: SyntaxNode, parent: SyntaxNode, context: Context): void => {
    const where: Place = { parent, returnType: answered(node, parent, context) }
    if (isDeletable(node)) place(node, context.within, [{ text: DELETED, isPure: false }])
    else if (!isFixed(node, parent)) {
      const replacements = replacementsOf(node, where, textOf)
      const others = further(node, parent).filter((each) => replacements.every(({ text }) => text !== each))
      place(node, context.within, [...replacements, ...others.map((text) => ({ text, isPure: false }))])
    }
    const inside = FUNCTIONS.has(node.type) ? { ...context, returnType: returnTypeOf(node, textOf) } : context
    if (!PATTERNS.has(node.type)) { for (const child of replaceableChildren(node)) visit(child, node, inside) }
  }

  for (const statement of source.program["body"] as ReadonlyArray<SyntaxNode>) {
    visit(statement, source.program, { within: declaredName(statement), returnType: undefined })
  }
  return sites
}
