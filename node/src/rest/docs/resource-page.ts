import { groupOf, type Input, type Route } from "../route.ts"

const inputWords = ({ name, place, required }: Input): string =>
  place === "path" ? "" : `\`${name}\`${place === "body" ? " (body)" : ""}${required ? ", required" : ""}`

const row = (route: Route): string => {
  const { hasBytes, inputs, path, privilege, summary, verb } = route
  const says = inputs.map(inputWords).filter((words) => words !== "").join("; ")
  const forms = hasBytes ? "JSON, bytes, hex" : "JSON"
  return `| ${verb} | \`${path}\` | ${says} | ${forms} | ${privilege} | ${summary} |`
}

/** Returns the document that lists all resources by group. */
export const resourcePage = (routes: ReadonlyArray<Route>): string => {
  const groups = [...new Set(routes.map(groupOf))].map((group) =>
    [
      `## ${group}`,
      [
        "| | Path | Says | Comes as | Open to | |",
        "| --- | --- | --- | --- | --- | --- |",
        ...routes.filter((route) => groupOf(route) === group).map(row)
      ].join("\n")
    ].join("\n\n")
  )
  return [
    "<!-- Generated from the table of routes by `pnpm docs:rest`. -->",
    "# Resources",
    "Paths stand behind `/api/v1`. [openapi.json](openapi.json) describes the answers.",
    ...groups,
    ""
  ].join("\n\n")
}
