import { type CoreOption, GROUPS } from "../options/core-option.ts"

const WIDTH = 79
const INDENT = "       "

/** Wraps text to lines that end before the given column. */
const wrapped = (text: string): string => {
  const lines: Array<string> = []
  let line = ""
  for (const word of text.split(" ")) {
    if (line !== "" && INDENT.length + line.length + 1 + word.length > WIDTH) {
      lines.push(line)
      line = word
    } else line = line === "" ? word : `${line} ${word}`
  }
  return [...lines, line].map((each) => INDENT + each).join("\n")
}

/** Returns an option as `-help` shows it. */
export const optionText = ({ about, argument, name }: Pick<CoreOption, "about" | "argument" | "name">): string =>
  `  -${name}${argument}\n${wrapped(about)}\n`

/** Returns the text of `-help`. With `debug` it includes options for tests. */
export const optionsHelpText = (options: ReadonlyArray<CoreOption>, debug: boolean): string => {
  const isShown = ({ shown }: CoreOption): boolean => shown === "always" || (debug && shown === "debug")
  const parts = GROUPS.flatMap((group) => {
    const rows = options.filter((option) => option.group === group && isShown(option))
      .toSorted((one, other) => one.name < other.name ? -1 : 1)
    if (rows.length === 0) return []
    return [`${group}:\n\n${rows.map(optionText).join("\n")}`]
  })
  return `\nUsage:  bitcoind [options]\n\n${parts.join("\n")}\n`
}
