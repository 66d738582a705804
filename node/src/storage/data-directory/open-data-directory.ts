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
  /** None: its own names and places. */
  readonly places?: CorePlaces | undefined
  readonly disk?: Disk
}

/** A parent may be what is there already. */
const inTheWay = (cause: unknown): string | undefined => {
  const { code, path } = cause as NodeJS.ErrnoException
  return code === "EEXIST" ? path : undefined
}

/**
 * Takes hold of a data directory until the scope ends. It makes the directory, readable for its owner alone, where it
 * is not there yet, and locks it. It refuses what a newer version wrote. Comes before anything else is opened in it,
 * and changes nothing when it fails.
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
