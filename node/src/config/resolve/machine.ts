import { utf8Path } from "../../bytes/byte-path.ts"
import { isAbsolute, join, resolve } from "node:path"

/** The facts that the configuration depends on besides its sources: the machine and the directory of the process. */
export interface HostMachine {
  readonly home: string
  readonly directory: string
  readonly processors: number
}

/**
 * Returns an absolute path: a leading `~` is the home directory, and a relative path starts at the working directory.
 * Directories whose names are not UTF-8 are reached by a UTF-8 path.
 */
export const absolutePath = (path: string, machine: HostMachine): string => {
  const expanded = path === "~" || /^~[/\\]/.test(path) ? join(machine.home, path.slice(1)) : path
  return utf8Path(isAbsolute(expanded) ? resolve(expanded) : resolve(machine.directory, expanded))
}
