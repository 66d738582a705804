import { utf8Path } from "../../bytes/byte-path.ts"
import { isAbsolute, join, resolve } from "node:path"

/** What the configuration depends on beside what is written: where the process runs. */
export interface HostMachine {
  readonly home: string
  readonly directory: string
  readonly processors: number
}

/**
 * An absolute path: a leading `~` is the home directory, anything relative starts at the working directory. Directories
 * whose names are not UTF-8 are reached by a path that is.
 */
export const absolutePath = (path: string, machine: HostMachine): string => {
  const expanded = path === "~" || /^~[/\\]/.test(path) ? join(machine.home, path.slice(1)) : path
  return utf8Path(isAbsolute(expanded) ? resolve(expanded) : resolve(machine.directory, expanded))
}
