import { exampleCommand } from "../help/example-commands.ts"
import { parameterWords, resultText, shownParameters, callSignature } from "../help/help-text.ts"
import type { MethodFacts } from "../definition/method-facts.ts"

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ")

const parameterTable = (method: MethodFacts): string => {
  const rows = shownParameters(method).map(([name, parameter], i) => {
    const names = [name, ...parameter.aliases].map((each) => `\`${each}\``).join(" or ")
    return `| ${i + 1} | ${names} | ${cell(parameterWords(parameter).slice(1, -1))} | ${cell(parameter.description)} |`
  })
  if (rows.length === 0) return "No parameters."
  return ["| | Name | Kind | |", "| --- | --- | --- | --- |", ...rows].join("\n")
}

const examples = (method: MethodFacts): string =>
  method.examples.map(({ params, shows }) =>
    `${shows === undefined ? "" : `${shows}:\n\n`}\`\`\`sh\n${exampleCommand(method, params)}\n\`\`\`\n`
  ).join("\n")

/** Returns the document of a method. */
export const methodPage = (method: MethodFacts): string =>
  [
    "<!-- Generated from the definition of the method by `pnpm docs:rpc`. -->",
    `# ${method.name}`,
    `    ${callSignature(method)}`,
    method.description,
    method.privilege === "admin" ? "Needs admin privileges." : "Open to every accepted caller.",
    "## Parameters",
    parameterTable(method),
    "## Result",
    `\`\`\`text\n${resultText(method)}\`\`\``,
    "## Examples",
    examples(method)
  ].join("\n\n")

/** Returns the document that lists all methods. */
export const methodList = (methods: Iterable<MethodFacts>): string => {
  const rows = [...methods].map(({ category, description, name, privilege }) =>
    `| [\`${name}\`](${name}.md) | ${category} | ${privilege} | ${cell(description.split(/(?<=\.)\s/)[0]!)} |`
  )
  return [
    "<!-- Generated from the definitions of the methods by `pnpm docs:rpc`. -->",
    "# Methods",
    ["| Method | Category | Open to | |", "| --- | --- | --- | --- |", ...rows].join("\n"),
    ""
  ].join("\n\n")
}

/** Returns all documents by file name. */
export const documentPages = (methods: ReadonlyMap<string, MethodFacts>): ReadonlyMap<string, string> =>
  new Map([
    ["README.md", methodList(methods.values())],
    ...[...methods.values()].map((method): [string, string] => [`${method.name}.md`, methodPage(method)])
  ])
