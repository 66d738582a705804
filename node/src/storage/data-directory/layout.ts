import { join } from "node:path"

/** Where things are in the data directory of a network. Described for operators in `docs/operate/data-directory.md`. */
export interface DataDirectory {
  readonly directory: string
  /** Held by the process that runs; holds its process id. */
  readonly lock: string
  /** Which version of the node's data this is, and of which network. */
  readonly schema: string
  /** `blkNNNNN.dat`, `revNNNNN.dat` and `xor.dat`. */
  readonly blocks: string
  readonly debugLog: string
}

export const layoutOf = (directory: string): DataDirectory => ({
  directory,
  lock: join(directory, "lock"),
  schema: join(directory, "schema.json"),
  blocks: join(directory, "blocks"),
  debugLog: join(directory, "debug.log")
})
