import type { Arguments } from "../args/read-arguments.ts"
import { OPTIONS_BY_NAME } from "../options/option-table.ts"
import { versionLine } from "../process/version-text.ts"

const shown = (name: string, value: unknown): string =>
  OPTIONS_BY_NAME.get(name)?.sensitive === true ? "****" : JSON.stringify(value)

const byName = <T>(entries: Iterable<readonly [string, T]>): ReadonlyArray<readonly [string, T]> =>
  [...entries].filter(([name]) => OPTIONS_BY_NAME.has(name)).toSorted(([one], [other]) => one < other ? -1 : 1)

/** Every value that was given, with its place. */
const valueLines = ({ conf, settings }: Arguments): ReadonlyArray<string> => [
  ...byName(
    [...conf.values].flatMap(([section, values]) =>
      [...values].map(([name, all]): [string, [string, typeof all]] => [name, [section, all]])
    )
  ).flatMap(([name, [section, all]]) =>
    all.map((value) => `Config file arg: ${section === "" ? "" : `[${section}] `}${name}=${shown(name, value)}`)
  ),
  ...byName(settings.saved).map(([name, value]) => `Setting file arg: ${name} = ${shown(name, value)}`),
  ...byName(settings.commandLine).flatMap(([name, all]) =>
    all.map((value) => `Command-line arg: ${name}=${shown(name, value)}`)
  )
]

const fileLine = ({ conf: { state }, confFile }: Arguments): string =>
  confFile === undefined
    ? "Config file: <disabled>"
    : `Config file: ${confFile}${state === "absent" ? " (not found, skipping)" : ""}`

/** What the log begins with. */
export const startLines = (given: Arguments): ReadonlyArray<string> => [
  versionLine("daemon"),
  ...given.lines,
  "Log output may contain privacy-sensitive information. Be cautious when sharing logs.",
  `Using data directory ${given.directory}`,
  fileLine(given),
  ...valueLines(given)
]
