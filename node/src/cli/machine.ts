import { cwdBytes, variableBytes } from "../bytes/process-words.ts"
import { availableParallelism, homedir, userInfo } from "node:os"
import { isAbsolute, join, resolve } from "node:path"
import type { HostMachine } from "../config/resolve/machine.ts"
import { environment } from "./environment.ts"

/** Returns the working directory, or the root if it was removed. Relative paths start there. */
const workingDirectory = (): string => {
  try {
    return cwdBytes()
  } catch {
    return "/"
  }
}

/**
 * Returns the home directory as an absolute path. An empty HOME counts as unset. A user that the system does not know,
 * as in some containers, has none.
 */
const homeDirectory = (): string => {
  try {
    return resolve(workingDirectory(), variableBytes("HOME", homedir()) || userInfo().homedir)
  } catch {
    return "/"
  }
}

/** Returns the directory for cached files. A relative XDG_CACHE_HOME is ignored, as its standard demands. */
export const cacheDirectory = (given: string | undefined): string =>
  given !== undefined && isAbsolute(given) ? given : join(homeDirectory(), ".cache")

/** Address space in KiB that a node takes without its script threads, and that each of these takes. */
const BASE_SPACE = 2_900_000
const THREAD_SPACE = 680_000

/**
 * Returns the number of processors that threads may be started for. If address space is limited (`ulimit -v`), only as
 * many as fit.
 */
const processors = (): number => {
  const space = Number(environment["LOCKSTEP_ADDRESS_SPACE"])
  const room = space > 0 ? Math.max(1, Math.floor((space - BASE_SPACE) / THREAD_SPACE)) : Infinity
  return Math.min(availableParallelism(), room)
}

/** The machine and the directory that this process runs in. */
export const thisMachine = (): HostMachine => ({
  home: homeDirectory(),
  directory: workingDirectory(),
  processors: processors()
})
