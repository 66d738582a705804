import type { NetworkName } from "@lockstep/protocol/networks/network.ts"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { dirname } from "node:path"
import type { Disk } from "../disk/disk.ts"
import { diskError } from "../disk/disk-error.ts"
import { makeDirectory } from "../disk/make-directory.ts"
import { nodeDisk } from "../disk/node-disk.ts"
import type { StorageError } from "../storage-error.ts"
import { lockDataDirectory } from "./directory-lock.ts"
import { type CorePlaces, type DataDirectory, layoutOf } from "./layout.ts"
import { settleSchema } from "./schema-record.ts"

export interface DataDirectoryOptions {
  /** The data directory of the network. */
  readonly directory: string
  readonly network: NetworkName
  /** Bitcoin Core's paths; by default the node's own. */
  readonly places?: CorePlaces | undefined
  readonly disk?: Disk
}

/** Returns the path that already exists, perhaps that of a parent. */
const inTheWay = (cause: unknown): string | undefined => {
  const { code, path } = cause as NodeJS.ErrnoException
  return code === "EEXIST" ? path : undefined
}

/**
 * Holds a data directory until the scope ends. It creates the directory, readable for its owner alone, if it is
 * missing, and locks it. It rejects data of a newer version. Nothing else in it is opened before, and a failure changes
 * nothing.
 */
export const openDataDirectory = Effect.fn("openDataDirectory")(function*(
  { directory, disk = nodeDisk("data-directory"), network, places }: DataDirectoryOptions
): Effect.fn.Return<DataDirectory, StorageError, Scope.Scope> {
  const layout = layoutOf(directory, places)
  for (const each of new Set([directory, dirname(layout.schema)])) {
    yield* Effect.try({
      try: () => makeDirectory(each, 0o700),
      catch: (cause) => diskError("data-directory", "create", inTheWay(cause) ?? each, cause)
    })
  }
  yield* lockDataDirectory(layout)
  yield* settleSchema(layout, network, disk)
  return layout
})
