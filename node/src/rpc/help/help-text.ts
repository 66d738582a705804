import type { MethodFacts } from "../method/method-facts.ts"
import type { Parameter } from "../method/parameter.ts"
import { type SchemaLine, resultCases } from "./schema-lines.ts"

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

/** The parameters that help and documents show, by name. */
export const shownParameters = (
  { parameters }: Pick<MethodFacts, "parameters">
): ReadonlyArray<[string, Parameter<unknown>]> => Object.entries(parameters).filter(([, { isHidden }]) => !isHidden)

/** The name of a method with its parameters, those that may be left out in parentheses. */
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

/** The kind of a parameter and whether it is needed, in words. */
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
  return `\nArguments:\n${
    aligned(all.map(([name, parameter], i) => ({
      text: `${i + 1}. ${name}`,
      words: `${parameterWords(parameter)} ${parameter.description}`
    })))
  }`
}

/** The result, one case after another. */
export const resultText = ({ result }: MethodFacts): string =>
  resultCases(result.ast)
    .map(({ lines, when }) => `Result${when === undefined ? "" : ` (${when})`}:\n${aligned(lines)}`)
    .join("\n")

/** An example as a command, for the port of a test network. */
export const exampleCommand = ({ name, privilege }: MethodFacts, params: ReadonlyArray<unknown>): string => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: name, params })
  const credentials = privilege === "admin" ? " -H 'authorization: Bearer <TOKEN>'" : ""
  return `curl -H 'content-type: application/json'${credentials} --data-binary '${body}' http://127.0.0.1:18443/`
}

/** Everything there is to say about a method, as `help` prints it. */
export const helpText = (method: MethodFacts): string => {
  const examples = method.examples.map(({ params, shows }) =>
    `${shows === undefined ? "" : `\n${shows}\n`}> ${exampleCommand(method, params)}\n`
  )
  const privilege = method.privilege === "admin" ? "\nNeeds admin privileges.\n" : ""
  const head = `${callSignature(method)}\n\n${method.description}\n${privilege}${argumentsText(method)}`
  return `${head}\n${resultText(method)}\nExamples:\n${examples.join("")}`
}
