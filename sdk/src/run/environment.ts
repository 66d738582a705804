/** What the node says to a module that it starts, in environment variables. */
export interface ModuleEnvironment {
  readonly name: string
  /** The secret of this spawn. Pass it to no other process, and log it nowhere. */
  readonly moduleId: string
  readonly socketPath: string
  /** The one directory that the module may write to. */
  readonly dataDirectory: string
  /** What the operator set for this module, by names in lower case: `MODULE_CONFIG_ADDRESS` is `address`. */
  readonly settings: ReadonlyMap<string, string>
}

const SETTING = "MODULE_CONFIG_"

const settingsIn = (variables: NodeJS.ProcessEnv): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(variables).flatMap(([name, value]): ReadonlyArray<readonly [string, string]> =>
      name.startsWith(SETTING) && value !== undefined ? [[name.slice(SETTING.length).toLowerCase(), value]] : []
    )
  )

/** Reads the environment. Throws where a variable is missing: only a node starts a module. */
export const moduleEnvironment = (variables: NodeJS.ProcessEnv = process.env): ModuleEnvironment => {
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
    settings: settingsIn(variables)
  }
}
