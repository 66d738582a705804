import { type CatalogueKey, FILE_KEYS, FILE_TABLES } from "../catalogue.ts"
import { tomlValue } from "./toml-value.ts"
import { asWritten } from "../../typed-command.ts"

const WIDTH = 100

const wrapped = (text: string): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > WIDTH) {
      lines.push(line)
      line = word
    } else line = line === "" ? word : `${line} ${word}`
  }
  return [...lines, line].map((content) => `# ${content}`)
}

const defaultText = ({ facts }: CatalogueKey): string =>
  facts.fallback === undefined
    ? ` Default: ${facts.fallbackText ?? "unset"}.`
    : facts.example === undefined
    ? ""
    : ` Default: ${tomlValue(facts.fallback)}.`

const lastOf = (name: string): string => name.slice(name.lastIndexOf(".") + 1)

const isRequired = ({ name }: CatalogueKey): boolean => name === "transport_preference"

const keyLines = (key: CatalogueKey): ReadonlyArray<string> => [
  ...wrapped(key.facts.about),
  ...wrapped(`Value: ${key.facts.expects}.${defaultText(key)}`),
  `${isRequired(key) ? "" : "# "}${lastOf(key.name)} = ${tomlValue(key.facts.example ?? key.facts.fallback)}`,
  ""
]

const tableOf = (name: string): string => name.includes(".") ? name.slice(0, name.lastIndexOf(".")) : ""

const tableLines = (name: string, about: string): ReadonlyArray<string> => {
  const keys = FILE_KEYS.filter((key) => tableOf(key.name) === name).flatMap(keyLines)
  return name === "" ? keys : [...wrapped(about), `[${name}]`, "", ...keys]
}

const HEAD = [
  "# Configuration of the node, with every key. Behind \"#\" stands the default, or an example where the default is given in",
  `# words. Options and environment variables are stronger than this file: ${asWritten("config explain")} shows what`,
  `# holds, and ${asWritten("config validate <path>")} checks a file.`,
  ""
]

/** Returns a `node.toml` with every key, its purpose and its default. */
export const exampleFile = (): string =>
  [...HEAD, ...[...FILE_TABLES.values()].flatMap(({ about, name }) => tableLines(name, about))].join("\n")
