import { statSync } from "node:fs"
import { join } from "node:path"
import { fsPath } from "../../bytes/byte-path.ts"
import type { EnvironmentVariables } from "../given/environment.ts"
import { absolutePath, type HostMachine } from "../resolve/machine.ts"

const NAME = "node.toml"

const isFile = (path: string): boolean => statSync(fsPath(path), { throwIfNoEntry: false })?.isFile() === true

const isFileQuietly = (path: string): boolean => {
  try {
    return isFile(path)
  } catch {
    return false
  }
}

/** Returns the paths that are searched for a configuration, in order, without --config. */
export const searchedFiles = (
  environment: EnvironmentVariables,
  dataDirectory: string,
  machine: HostMachine
): ReadonlyArray<string> => {
  const home = environment.XDG_CONFIG_HOME
  const base = home !== undefined && home.startsWith("/") ? home : join(machine.home, ".config")
  return [
    join(machine.directory, NAME),
    join(absolutePath(dataDirectory, machine), NAME),
    join(base, "lockstep", NAME),
    join("/etc/lockstep", NAME)
  ]
}

export const findFile = (searched: ReadonlyArray<string>): string | undefined => searched.find(isFileQuietly)
