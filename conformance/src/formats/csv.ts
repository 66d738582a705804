const fieldsOf = (line: string): ReadonlyArray<string> => {
  const fields: Array<string> = []
  let field = ""
  let quoted = false
  for (const character of line) {
    if (character === "\"") quoted = !quoted
    else if (character === "," && !quoted) {
      fields.push(field)
      field = ""
    } else field += character
  }
  return [...fields, field]
}

/** Rows of a comma-separated text without its header line; a field in double quotes may hold commas, but no quotes. */
export const csvRows = (text: string): ReadonlyArray<ReadonlyArray<string>> =>
  text.split(/\r?\n/).slice(1).filter((line) => line !== "").map(fieldsOf)
