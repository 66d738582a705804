const bare = (name: string): string => name.trim().replaceAll(/^["']|["']$/g, "")

const nameOf = (text: string): string => text.split(".").map(bare).join(".")

/** A line that sets a key or opens a table. */
interface Statement {
  readonly line: number
  readonly opensTable: boolean
  readonly name: string
}

const HEADER = /^\s*\[\[?([^\]]+)\]/
const WRITTEN = /^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=/

const statementsOf = (toml: string): ReadonlyArray<Statement> => {
  const statements: Array<Statement> = []
  let table = ""
  for (const [index, text] of toml.split("\n").entries()) {
    const header = HEADER.exec(text)?.[1]
    const written = header === undefined ? WRITTEN.exec(text)?.[1] : undefined
    if (header !== undefined) {
      table = nameOf(header)
      statements.push({ line: index + 1, opensTable: true, name: table })
    } else if (written !== undefined) {
      const name = table === "" ? nameOf(written) : `${table}.${nameOf(written)}`
      statements.push({ line: index + 1, opensTable: false, name })
    }
  }
  return statements
}

/**
 * Makes a function that returns the line, from 1, on which a key is set or a table opened; `undefined` if it is not
 * found. The parser gives positions only for errors, so this examines the starts of lines.
 */
export const linesOfKeys = (toml: string): (name: string) => number | undefined => {
  let statements: ReadonlyArray<Statement> | undefined
  return (name) => {
    statements ??= statementsOf(toml)
    // Members of an inline table are on the line of the table; a dotted key is where its table begins.
    return statements.find((each) =>
      each.name === name || each.name.startsWith(`${name}.`) || (!each.opensTable && name.startsWith(`${each.name}.`))
    )?.line
  }
}
