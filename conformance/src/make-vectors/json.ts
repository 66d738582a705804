const WIDTH = 120

const inline = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${inline(member)}`)
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`
}

/**
 * `value` as JSON for people: on one line where it fits, spread over several where not. `column` is where it starts.
 */
export const layOut = (value: unknown, indent: number, column: number): string => {
  const short = inline(value)
  if (column + short.length <= WIDTH || typeof value !== "object" || value === null) return short
  const margin = " ".repeat(indent + 2)
  const end = `\n${" ".repeat(indent)}`
  if (Array.isArray(value)) {
    return `[\n${value.map((item) => margin + layOut(item, indent + 2, indent + 2)).join(",\n")}${end}]`
  }
  const members = Object.entries(value).map(([name, member]) => {
    const label = `${JSON.stringify(name)}: `
    return margin + label + layOut(member, indent + 2, indent + 2 + label.length)
  })
  return `{\n${members.join(",\n")}${end}}`
}
