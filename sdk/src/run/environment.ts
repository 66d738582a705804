import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { parse } from "smol-toml"

/** Facts that the node passes in environment variables to a module that it starts. */
export interface ModuleEnvironment {
  readonly name: string
  /** The secret id of this process. Pass it to no other process, and never log it. */
  readonly moduleId: string
  readonly socketPath: string
  /** The only directory that the module may write to. */
  readonly dataDirectory: string
  /**
   * Settings of the operator for this module, by names in lower case: `MODULE_CONFIG_ADDRESS` is `address`. The node's
   * configuration has precedence over the `config.toml` beside the manifest.
   */
  readonly settings: ReadonlyMap<string, string>
}

const SETTING = "MODULE_CONFIG_"

const settingsIn = (variables: NodeJS.ProcessEnv): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(variables).flatMap(([name, value]): ReadonlyArray<readonly [string, string]> =>
      name.startsWith(SETTING) && value !== undefined ? [[name.slice(SETTING.length).toLowerCase(), value]] : []
    )
  )

/** Formats a value as the node writes it into a variable: lists and tables as JSON. */
const settingText = (value: unknown): string =>
  typeof value === "object" && value !== null && !(value instanceof Date) ? JSON.stringify(value) : String(value)

/**
 * Reads the settings in `config.toml` beside the manifest, which is two directories up for a program in
 * `target/release`.
 */
const settingsInFile = (program: string | undefined): ReadonlyArray<readonly [string, string]> => {
  if (program === undefined) return []
  const directory = dirname(program)
  const places = [directory, join(directory, "..", "..")].filter((place) => existsSync(join(place, "module.toml")))
  const file = places.map((place) => join(place, "config.toml")).find((path) => existsSync(path))
  if (file === undefined) return []
  try {
    const content = parse(readFileSync(file, "utf8"))
    return Object.entries(content).map(([name, value]) => [
      name.replaceAll("-", "_").toLowerCase(),
      settingText(value)
    ])
  } catch (error) {
    throw new Error(`${file} cannot be used: ${(error as Error).message.split("\n")[0]}`, { cause: error })
  }
}

/** Reads the environment and `config.toml`. Throws if a variable is missing, since only a node starts a module. */
export const moduleEnvironment = (
  variables: NodeJS.ProcessEnv = process.env,
  program: string | undefined = process.argv[1]
): ModuleEnvironment => {
  const variable = (name: string): string => {
    const value = variables[name]
    if (value !== undefined && value !== "") return value
    throw new Error(`${name} is not set: a module is started by its node; see docs/modules/write-a-module.md`)
  }
  return {
    name: variable("MODULE_NAME"),
    moduleId: variable("MODULE_ID"),
    socketPath: variable("SOCKET_PATH"),
    dataDirectory: variable("DATA_DIR"),
    settings: new Map([...settingsInFile(program), ...settingsIn(variables)])
  }
}
