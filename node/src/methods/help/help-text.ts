import type { MethodFacts } from "../definition/method-facts.ts"
import type { Parameter } from "../definition/parameter.ts"
import { exampleCommand, standInCommands } from "./example-commands.ts"
import { namedMembers, resultCases, type SchemaLine } from "./schema-lines.ts"

const KINDS: Readonly<Record<string, string>> = {
  bool: "boolean",
  number: "numeric",
  string: "string",
  array: "json array",
  object: "json object"
}

const shown = (name: string, { kind, usage }: Parameter<unknown>): string => {
  if (usage !== undefined) return usage
  if (kind === "string") return `"${name}"`
  return kind === "array" ? `[${name},...]` : name
}

/** Returns the parameters that help and documents show, by name. */
export const shownParameters = (
  { parameters }: Pick<MethodFacts, "parameters">
): ReadonlyArray<[string, Parameter<unknown>]> => Object.entries(parameters).filter(([, { isHidden }]) => !isHidden)

/** Returns the name of a method with its parameters. Optional ones are in parentheses. */
export const callSignature = ({ name, parameters }: MethodFacts): string => {
  const words = [name]
  let isInside = false
  for (const [each, parameter] of shownParameters({ parameters })) {
    if (parameter.required === isInside) words.push(isInside ? ")" : "(")
    isInside = !parameter.required
    words.push(shown(each, parameter))
  }
  return [...words, ...(isInside ? [")"] : [])].join(" ")
}

/** Describes the kind of a parameter and whether it is required. */
export const parameterWords = ({ kind, required, standard }: Parameter<unknown>): string => {
  const need = required ? "required" : standard === undefined ? "optional" : `optional, default=${standard}`
  return `(${kind === undefined ? "several kinds" : KINDS[kind]}, ${need})`
}

const aligned = (lines: ReadonlyArray<SchemaLine>): string => {
  const width = Math.max(...lines.map(({ text }) => text.length))
  return lines.map(({ text, words }) => words === "" ? `${text}\n` : `${text.padEnd(width)}    ${words}\n`).join("")
}

const argumentsText = (method: MethodFacts): string => {
  const all = shownParameters(method)
  if (all.length === 0) return ""
  const positional = all.map(([name, parameter], i) => ({
    text: `${i + 1}. ${name}`,
    words: `${parameterWords(parameter)} ${parameter.description}`
  }))
  const named = all.flatMap(([, { members, schema }]) => namedMembers(schema.ast, members))
  return `\nArguments:\n${aligned(positional)}${named.length === 0 ? "" : `\nNamed Arguments:\n${aligned(named)}`}`
}

/** Returns the description of the result, one case after another. */
export const resultText = ({ result }: MethodFacts): string =>
  resultCases(result.ast)
    .map(({ lines, when }) => `Result${when === undefined ? "" : ` (${when})`}:\n${aligned(lines)}`)
    .join("\n")

/** Returns the text of `help` for a method. For a node that runs as `bitcoind`, examples call `bitcoind`. */
export const helpText = (method: MethodFacts, { isStandIn }: { readonly isStandIn: boolean }): string => {
  const examples = method.examples.flatMap(({ params, shows }) => [
    ...shows === undefined ? [] : [`\n${shows}\n`],
    ...(isStandIn ? standInCommands(method, params) : [exampleCommand(method, params)]).map((each) => `> ${each}\n`)
  ])
  const privilege = method.privilege === "admin" && !isStandIn ? "\nNeeds admin privileges.\n" : ""
  const head = `${callSignature(method)}\n\n${method.description}\n${privilege}${argumentsText(method)}`
  return `${head}\n${resultText(method)}\nExamples:\n${examples.join("")}`
}
