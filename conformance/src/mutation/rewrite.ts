import { childrenOf, isNode, isTypeOnly, type Source, type SyntaxNode } from "../trace/syntax.ts"
import type { PlacedMutant, Site } from "./mutant.ts"
import { DELETED } from "./sites.ts"

/**
 * How a place with mutants is written. `survey`: the kernel as it is, recording which mutants would have made a
 * difference; `trial`: the kernel with the one mutant that is switched on.
 */
export type Mode = "survey" | "trial"

/** Names the rewritten module finds in the object of this global name. */
export const GLOBAL = "$mutation"

const FUNCTIONS = new Set(["ArrowFunctionExpression", "FunctionExpression", "FunctionDeclaration"])
const LOOPS = new Set(["ForStatement", "ForOfStatement", "ForInStatement", "WhileStatement", "DoWhileStatement"])

const PRELUDE = `const { $active, $ticks, $hang, $seen, $reached, $onLoad, $HOLDS } = globalThis.${GLOBAL};`

const pick = (mutants: ReadonlyArray<PlacedMutant>): string =>
  mutants.map(({ id, mutated }, i) => i === mutants.length - 1 ? `(${mutated})` : `$active[0]===${id}?(${mutated}):`)
    .join("")

const trialExpression = (mutants: ReadonlyArray<PlacedMutant>, text: string): string =>
  `($active[0]-${mutants[0]!.id}>>>0<${mutants.length}?${pick(mutants)}:${text})`

const surveyExpression = (mutants: ReadonlyArray<PlacedMutant>, text: string): string =>
  `$seen(${mutants[0]!.id},${text},[${mutants.map(({ isPure, mutated }) => isPure ? `()=>(${mutated})` : "0").join()}])`

const deletion = (mode: Mode, { id }: PlacedMutant, text: string): string =>
  mode === "survey" ? `{$reached(${id});${text}}` : `{if($active[0]!==${id})${text}}`

/** A top-level value that is computed when the module loads; a function is not computed anew. */
const isLoaded = (declarator: SyntaxNode): boolean =>
  isNode(declarator["init"]) && !FUNCTIONS.has(declarator["init"].type) && isNode(declarator["id"]) &&
  declarator["id"].type === "Identifier"

/**
 * Writes a module with its mutants built in. Lines keep their numbers. Top-level constants become variables that are
 * set anew on demand, so that a mutant in a constant, or in what a constant is computed with, needs no fresh module.
 */
export const rewrite = (source: Source, sites: ReadonlyArray<Site>, mode: Mode): string => {
  const { text } = source
  const mutantsAt = new Map(sites.map(({ node, mutants }) => [node, mutants]))

  const wrapped = (node: SyntaxNode, inner: string): string => {
    const mutants = mutantsAt.get(node)
    if (mutants === undefined) return inner
    if (mutants[0]!.mutated === DELETED) return deletion(mode, mutants[0]!, inner)
    return mode === "survey" ? surveyExpression(mutants, inner) : trialExpression(mutants, inner)
  }

  /** `node` with everything below it rewritten, from `start` on. */
  const parts = (node: SyntaxNode, start = node.start): string => {
    const loopBody = LOOPS.has(node.type) ? node["body"] : undefined
    let written = ""
    let at = start
    for (const child of childrenOf(node).filter((each) => !isTypeOnly(each)).sort((a, b) => a.start - b.start)) {
      if (child.start < at) continue // a shorthand property is its key and its value at once
      const inner = write(child)
      written += text.slice(at, child.start) + (child === loopBody ? `{if(--$ticks[0]<0)$hang();${inner}}` : inner)
      at = child.end
    }
    return written + text.slice(at, node.end)
  }

  const write = (node: SyntaxNode): string => wrapped(node, parts(node))

  const loads: Array<string> = []
  const writeTopLevel = (statement: SyntaxNode): string => {
    const declaration = statement.type === "ExportNamedDeclaration" ? statement["declaration"] : statement
    if (!isNode(declaration)) return text.slice(statement.start, statement.end)
    if (declaration.type === "VariableDeclaration") {
      const loaded = (declaration["declarations"] as ReadonlyArray<SyntaxNode>).filter(isLoaded)
      for (const { id, init } of loaded) {
        loads.push(`${String((id as SyntaxNode)["name"])}=${write(init as SyntaxNode)};`)
      }
      const keyword = loaded.length > 0 ? "let" : String(declaration["kind"])
      const afterKeyword = declaration.start + String(declaration["kind"]).length
      return text.slice(statement.start, declaration.start) + keyword + parts(declaration, afterKeyword) +
        text.slice(declaration.end, statement.end)
    }
    if (statement.type.endsWith("Statement")) loads.push(write(statement))
    return write(statement)
  }

  let written = PRELUDE
  let at = 0
  for (const statement of source.program["body"] as ReadonlyArray<SyntaxNode>) {
    written += text.slice(at, statement.start) + writeTopLevel(statement)
    at = statement.end
  }
  return `${written}${text.slice(at)}\n$onLoad(()=>{${loads.join("\n")}});\n`
}
