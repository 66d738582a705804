import { join } from "node:path"

/** Paths in the data directory of a network. Operators find them in `docs/operate/data-directory.md`. */
export interface DataDirectory {
  readonly directory: string
  /** Lock file of the running process, with its process id. */
  readonly lock: string
  /** Version and network of the node's data. */
  readonly schema: string
  /** `blkNNNNN.dat`, `revNNNNN.dat` and `xor.dat`. */
  readonly blocks: string
  readonly debugLog: string
}

/** Directories of a node that runs as Bitcoin Core's replacement. */
export interface CorePlaces {
  readonly blocksDirectory: string
  readonly storeDirectory: string
}

/** With `core`, the files have Bitcoin Core's names, and files that it does not have are in the store's directory. */
export const layoutOf = (directory: string, core?: CorePlaces): DataDirectory => ({
  directory,
  lock: join(directory, core === undefined ? "lock" : ".lock"),
  schema: join(core?.storeDirectory ?? directory, "schema.json"),
  blocks: core?.blocksDirectory ?? join(directory, "blocks"),
  debugLog: join(directory, "debug.log")
})
