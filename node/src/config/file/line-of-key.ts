const bare = (name: string): string => name.trim().replaceAll(/^["']|["']$/g, "")

const nameOf = (text: string): string => text.split(".").map(bare).join(".")

/**
 * The line, from 1, that gives `name` its value, or that opens the table of that name; none when it is not found. The parser
 * tells places only for what it cannot read, so this looks at the starts of lines.
 */
export const lineOfKey = (toml: string, name: string): number | undefined => {
  let table = ""
  for (const [index, line] of toml.split("\n").entries()) {
    const header = /^\s*\[\[?([^\]]+)\]/.exec(line)?.[1]
    if (header !== undefined) {
      table = nameOf(header)
      if (table === name || table.startsWith(`${name}.`)) return index + 1
      continue
    }
    const written = /^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=/.exec(line)?.[1]
    if (written === undefined) continue
    const full = table === "" ? nameOf(written) : `${table}.${nameOf(written)}`
    // The line of an inline table is where its members stand, and a dotted key is where its table begins.
    if (full === name || name.startsWith(`${full}.`) || full.startsWith(`${name}.`)) return index + 1
  }
  return undefined
}
