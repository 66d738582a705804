import { cwdBytes, variableBytes } from "../bytes/process-words.ts"
import { availableParallelism, homedir, userInfo } from "node:os"
import { isAbsolute, join, resolve } from "node:path"
import type { HostMachine } from "../config/resolve/machine.ts"
import { environment } from "./environment.ts"

/** The working directory. One that was removed has no path any more: what is relative is looked for in the root then. */
const workingDirectory = (): string => {
  try {
    return cwdBytes()
  } catch {
    return "/"
  }
}

/**
 * The home directory, always absolute. An empty HOME counts as one that is not set; a user that the system does not
 * know, as in some containers, has none.
 */
const homeDirectory = (): string => {
  try {
    return resolve(workingDirectory(), variableBytes("HOME", homedir()) || userInfo().homedir)
  } catch {
    return "/"
  }
}

/** The directory for files that can be made again; a relative XDG_CACHE_HOME is ignored, as its standard demands. */
export const cacheDirectory = (given: string | undefined): string =>
  given !== undefined && isAbsolute(given) ? given : join(homeDirectory(), ".cache")

/** Addresses that a node takes without its threads for scripts, and each of these, in KiB. */
const BASE_SPACE = 2_900_000
const THREAD_SPACE = 680_000

/** Processors that threads may be started for: where addresses are limited (`ulimit -v`), as many as have room. */
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
