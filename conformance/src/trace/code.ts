import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { RULE_ID } from "./rule-id.ts"
import { isNode, lineAt, parseSource, type Source, type SyntaxNode, walk } from "./syntax.ts"

/** A `@spec ID #hash` in a doc comment; `start` and `end` delimit it in the file, so that it can be rewritten. */
export interface SpecTag {
  readonly id: string
  readonly hash: string | undefined
  readonly start: number
  readonly end: number
}

/**
 * A rule id in an expression, which in the kernel means: raised there. `error` is the script error beside it, if one
 * is.
 */
export interface RaisedId {
  readonly id: string
  readonly error: string | undefined
  readonly line: number
}

/** One exported declaration of the kernel. */
export interface Declaration {
  readonly name: string
  readonly form: "function" | "value" | "type"
  readonly file: string
  readonly line: number
  readonly where: string
  /** The doc comment's text, empty when there is none. */
  readonly doc: string
  readonly tags: ReadonlyArray<SpecTag>
  readonly internal: boolean
  /** Whether a caller of the kernel can import it: see {@link publicNames}. */
  readonly isPublic: boolean
  readonly parameters: ReadonlyArray<string>
  /** The annotation of each parameter in the specification's form, empty where it has none. */
  readonly parameterTypes: ReadonlyArray<string>
  /** What it answers when its rule holds, in the specification's form; empty where no type is written. */
  readonly yields: string
  /** Raised inside it or inside what it uses of the same file without exporting it. */
  readonly raises: ReadonlyArray<RaisedId>
}

/** Every exported declaration of the kernel, in order of file and line. */
export interface Code {
  readonly declarations: ReadonlyArray<Declaration>
  /** Text of each file read, by path relative to the root. */
  readonly files: ReadonlyMap<string, string>
}

/** A top-level declaration, exported or not. */
interface Binding {
  readonly name: string
  readonly form: Declaration["form"]
  readonly exported: boolean
  readonly node: SyntaxNode
  readonly statement: SyntaxNode
}

const FUNCTIONS = new Set(["ArrowFunctionExpression", "FunctionExpression", "FunctionDeclaration"])
const TYPES = new Set(["TSInterfaceDeclaration", "TSTypeAliasDeclaration", "TSModuleDeclaration", "TSDeclareFunction"])

const nameOf = (node: unknown): string => isNode(node) && typeof node["name"] === "string" ? node["name"] : ""

const bindingsOf = (statement: SyntaxNode): ReadonlyArray<Binding> => {
  const exported = statement.type === "ExportNamedDeclaration"
  const declaration = exported ? statement["declaration"] : statement
  if (!isNode(declaration)) return []
  if (declaration.type === "VariableDeclaration") {
    return (declaration["declarations"] as ReadonlyArray<SyntaxNode>).map((declarator) => {
      const init = declarator["init"]
      const isFunction = isNode(init) && FUNCTIONS.has(init.type)
      return {
        name: nameOf(declarator["id"]),
        form: isFunction ? "function" : "value",
        exported,
        node: isFunction ? init : declarator,
        statement
      }
    })
  }
  const name = nameOf(declaration["id"])
  if (declaration.type === "FunctionDeclaration") {
    return [{ name, form: "function", exported, node: declaration, statement }]
  }
  if (TYPES.has(declaration.type)) return [{ name, form: "type", exported, node: declaration, statement }]
  return exported ? [{ name, form: "value", exported, node: declaration, statement }] : []
}

const parameterName = (parameter: SyntaxNode): string =>
  parameter.type === "AssignmentPattern" ?
    nameOf(parameter["left"])
    : parameter.type === "RestElement" ?
    nameOf(parameter["argument"])
    : nameOf(parameter)

const parametersOf = (binding: Binding): ReadonlyArray<string> =>
  binding.form === "function" ? (binding.node["params"] as ReadonlyArray<SyntaxNode>).map(parameterName) : []

/**
 * A TypeScript type as the specification writes it: inputs are read-only anyway, `X | undefined` is
 * `X, or none`, and an `Outcome` of script verification is a boolean where no fault ends it.
 */
const statedForm = (type: string): string =>
  type.replace(/\s+/g, " ").replaceAll("Readonly", "").replace(/^Pick<(\w+), .*>$/, "$1").replace(
    /^(.*) \| undefined$/,
    "$1, or none"
  )
    .replace(/^Outcome$/, "boolean").trim()

/** The type parameters of a function with their bounds: what is passed on as it came is stated by its bound. */
const boundsOf = (fn: SyntaxNode, text: string): ReadonlyMap<string, string> => {
  const declared = isNode(fn["typeParameters"]) ? fn["typeParameters"]["params"] as ReadonlyArray<SyntaxNode> : []
  return new Map(declared.flatMap((parameter) => {
    const bound = parameter["constraint"]
    return isNode(bound) ? [[nameOf(parameter["name"]), statedForm(text.slice(bound.start, bound.end))]] : []
  }))
}

/**
 * Types of a function's parameters and of what it answers when its rule holds (of a `Verdict` its value), as stated.
 */
const signatureOf = (binding: Binding, text: string): Pick<Declaration, "parameterTypes" | "yields"> => {
  if (binding.form !== "function") return { parameterTypes: [], yields: "" }
  const bounds = boundsOf(binding.node, text)
  const stated = (annotation: unknown): string => {
    const type = isNode(annotation) ? annotation["typeAnnotation"] : undefined
    const written = isNode(type) ? statedForm(text.slice(type.start, type.end)) : ""
    return bounds.get(written) ?? written
  }
  const answer = stated(binding.node["returnType"])
  const value = /^Verdict<(.*?)(?:, \w+(?:<.*>)?)?>$/.exec(answer)?.[1] ?? answer
  return {
    parameterTypes: (binding.node["params"] as ReadonlyArray<SyntaxNode>).map((parameter) => {
      const annotated = parameter.type === "AssignmentPattern" ? parameter["left"] : parameter
      return stated(isNode(annotated) ? annotated["typeAnnotation"] : undefined)
    }),
    yields: bounds.get(value) ?? value
  }
}

const SPEC_TAG = /@spec ([A-Z]{3}-\d{3})(?: #([0-9a-f]{1,8})\b)?/g

/** The doc comment that ends right above `statement`. */
const docOf = (source: Source, statement: SyntaxNode) => {
  const comment = source.comments.findLast((c) => c.end <= statement.start)
  if (comment === undefined || comment.type !== "Block" || !comment.value.startsWith("*")) return undefined
  return source.text.slice(comment.end, statement.start).trim() === "" ? comment : undefined
}

interface Mentions {
  readonly raises: ReadonlyArray<RaisedId>
  readonly names: ReadonlySet<string>
}

const ruleIdIn = (node: unknown): string | undefined =>
  isNode(node) && node.type === "Literal" && typeof node["value"] === "string" && RULE_ID.test(node["value"])
    ? node["value"]
    : undefined

/** The `NAME` of `ScriptError.NAME`. */
const scriptErrorIn = (node: unknown): string | undefined =>
  isNode(node) && node.type === "MemberExpression" && nameOf(node["object"]) === "ScriptError"
    ? nameOf(node["property"])
    : undefined

/** Rule ids and identifiers in the code of `node`. */
const mentionsOf = (source: Source, node: SyntaxNode): Mentions => {
  const raises: Array<RaisedId> = []
  const names = new Set<string>()
  const besides = new Map<unknown, string>()
  walk(node, (at) => {
    if (at.type === "Identifier") names.add(nameOf(at))
    if (at.type === "CallExpression") {
      const [first, second] = at["arguments"] as ReadonlyArray<SyntaxNode>
      const error = scriptErrorIn(second)
      if (error !== undefined) besides.set(first, error)
    }
    const id = ruleIdIn(at)
    if (id !== undefined) raises.push({ id, error: besides.get(at), line: lineAt(source.text, at.start) })
  })
  return { raises, names }
}

/** What `binding` raises, following the names it uses through the unexported declarations of its file. */
const raisedBy = (
  binding: Binding,
  bindings: ReadonlyMap<string, Binding>,
  source: Source
): ReadonlyArray<RaisedId> => {
  const seen = new Set<Binding>([binding])
  const raised = new Map<string, RaisedId>()
  for (const current of seen) {
    const { raises, names } = mentionsOf(source, current.node)
    for (const each of raises) raised.set(`${each.id} ${each.error} ${each.line}`, each)
    for (const name of names) {
      const next = bindings.get(name)
      if (next !== undefined && !next.exported && next.form !== "type") seen.add(next)
    }
  }
  return [...raised.values()]
}

/**
 * Every name that `exports` of the kernel's manifest opens to its callers, as `file name`: what a file listed there
 * declares itself (`file *`) or exports from another. `./internal/*` is for what judges the kernel, and opens nothing.
 */
const publicNames = (root: string): ReadonlySet<string> => {
  const names = new Set<string>()
  const manifest = join(root, "kernel/package.json")
  if (!existsSync(manifest)) return names
  const { exports } = JSON.parse(readFileSync(manifest, "utf8")) as {
    readonly exports: Readonly<Record<string, string>>
  }
  for (const [name, path] of Object.entries(exports)) {
    if (name.startsWith("./internal/")) continue
    const file = join("kernel", path)
    names.add(`${file} *`)
    const source = parseSource(file, readFileSync(join(root, file), "utf8"))
    for (const statement of source.program["body"] as ReadonlyArray<SyntaxNode>) {
      const from = statement.type === "ExportNamedDeclaration" ? statement["source"] : undefined
      if (!isNode(from)) continue
      const origin = join(dirname(file), String(from["value"]))
      for (const each of statement["specifiers"] as ReadonlyArray<SyntaxNode>) {
        names.add(`${origin} ${nameOf(each["local"])}`)
      }
    }
  }
  return names
}

const readFileDeclarations = (
  file: string,
  text: string,
  isPublic: (name: string) => boolean
): ReadonlyArray<Declaration> => {
  const source = parseSource(file, text)
  const bindings = (source.program["body"] as ReadonlyArray<SyntaxNode>).flatMap(bindingsOf)
  const byName = new Map(bindings.filter((b) => b.form !== "type").map((b) => [b.name, b]))
  return bindings.filter((binding) => binding.exported).map((binding) => {
    const comment = docOf(source, binding.statement)
    const doc = comment?.value ?? ""
    const line = lineAt(text, binding.statement.start)
    return {
      name: binding.name,
      form: binding.form,
      file,
      line,
      where: `${file}:${line}`,
      doc,
      tags: [...doc.matchAll(SPEC_TAG)].map((match) => {
        const start = comment!.start + 2 + match.index
        return { id: match[1]!, hash: match[2], start, end: start + match[0].length }
      }),
      internal: /@internal\b/.test(doc),
      isPublic: isPublic(binding.name),
      parameters: parametersOf(binding),
      ...signatureOf(binding, text),
      raises: binding.form === "type" ? [] : raisedBy(binding, byName, source)
    }
  })
}

/** Reads the exported declarations of `kernel/src` below `root`; generated files are left out. */
export const readCode = (root: string): Code => {
  const files = new Map<string, string>()
  const declarations: Array<Declaration> = []
  const opened = publicNames(root)
  for (const file of globSync("kernel/src/**/*.ts", { cwd: root }).sort()) {
    if (file.startsWith("kernel/src/generated/")) continue
    const text = readFileSync(join(root, file), "utf8")
    files.set(file, text)
    declarations.push(
      ...readFileDeclarations(file, text, (name) => opened.has(`${file} *`) || opened.has(`${file} ${name}`))
    )
  }
  return { declarations, files }
}

/** The declarations that carry rule `id`. */
export const implementationsOf = (code: Code, id: string): ReadonlyArray<Declaration> =>
  code.declarations.filter((declaration) => declaration.tags.some((tag) => tag.id === id))
