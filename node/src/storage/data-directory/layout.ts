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

/** Directories of a node that stands in for Bitcoin Core. */
export interface CorePlaces {
  readonly blocksDirectory: string
  readonly storeDirectory: string
}

/** With `core`, the files have Bitcoin Core's names, and what it does not have lies in the directory of the store. */
export const layoutOf = (directory: string, core?: CorePlaces): DataDirectory => ({
  directory,
  lock: join(directory, core === undefined ? "lock" : ".lock"),
  schema: join(core?.storeDirectory ?? directory, "schema.json"),
  blocks: core?.blocksDirectory ?? join(directory, "blocks"),
  debugLog: join(directory, "debug.log")
})
