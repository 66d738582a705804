import { type Comment, parseSync, type Program } from "oxc-parser"

/** A node of the syntax tree, seen through the fields that every node has; others are read by name. */
export interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

/** A parsed source file. */
export interface Source {
  readonly file: string
  readonly text: string
  readonly program: SyntaxNode
  readonly comments: ReadonlyArray<Comment>
}

/**
 * Parses TypeScript. A file that does not parse is the reader's fault to report, so the message names file and reason.
 */
export const parseSource = (file: string, text: string): Source => {
  const { program, comments, errors } = parseSync(file, text, { lang: "ts", sourceType: "module" })
  const first = errors[0]
  if (first !== undefined) throw new Error(`${file}: does not parse: ${first.message}`)
  return { file, text, program: program as Program & SyntaxNode, comments }
}

/**
 * The modules that a source imports when it runs, as it names them; those of which it has types alone are left out. The
 * tree is not made for it, which takes most of the time of a parse.
 */
export const modulesOf = (file: string, text: string): ReadonlyArray<string> => {
  const { errors, module } = parseSync(file, text, { lang: "ts", sourceType: "module" })
  const first = errors[0]
  if (first !== undefined) throw new Error(`${file}: does not parse: ${first.message}`)
  const imported = module.staticImports.flatMap(({ entries, moduleRequest }) =>
    entries.length > 0 && entries.every(({ isType }) => isType) ? [] : [moduleRequest.value]
  )
  const exported = module.staticExports.flatMap(({ entries }) => {
    const from = entries.find(({ isType, moduleRequest }) => !isType && moduleRequest !== null)?.moduleRequest
    return from === null || from === undefined ? [] : [from.value]
  })
  return [...imported, ...exported]
}

/** Whether `value` is a node (and not a list, a literal's value or a range). */
export const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === "object" && value !== null && "type" in value && "start" in value

/** The nodes directly below `node`, in source order of their fields. */
export const childrenOf = (node: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  const children: Array<SyntaxNode> = []
  for (const field in node) {
    const value = node[field]
    if (isNode(value)) children.push(value)
    else if (Array.isArray(value)) { for (const item of value) if (isNode(item)) children.push(item) }
  }
  return children
}

const TYPE_WRAPPERS = new Set(["TSAsExpression", "TSNonNullExpression", "TSSatisfiesExpression"])

/** Whether `node` exists only for the type checker, with everything below it. */
export const isTypeOnly = (node: SyntaxNode): boolean => node.type.startsWith("TS") && !TYPE_WRAPPERS.has(node.type)

/** Calls `visit` on `node` and all that runs below it, parents first; types are left out. */
export const walk = (node: SyntaxNode, visit: (node: SyntaxNode) => void): void => {
  if (isTypeOnly(node)) return
  visit(node)
  for (const child of childrenOf(node)) walk(child, visit)
}

/** The 1-based line of `offset`. */
export const lineAt = (text: string, offset: number): number => {
  let line = 1
  for (let i = text.indexOf("\n"); i >= 0 && i < offset; i = text.indexOf("\n", i + 1)) line++
  return line
}
