import { availableParallelism, homedir } from "node:os"
import type { HostMachine } from "../config/resolve/machine.ts"

/** A user that the system does not know, as in some containers, has no home directory. */
const home = (): string => {
  try {
    return homedir()
  } catch {
    return "/"
  }
}

/** The machine and the directory that this process runs in. */
export const thisMachine = (): HostMachine => ({
  home: home(),
  directory: process.cwd(),
  processors: availableParallelism()
})
