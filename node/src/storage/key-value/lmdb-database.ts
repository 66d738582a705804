import type { RootDatabase } from "lmdb"
import { join } from "node:path"
import { demandRoom } from "./demand-room.ts"
import { loadLibrary } from "./engine-lacking.ts"

/** A read transaction. `use` and `done` count who needs it. */
export interface ReadTransaction {
  readonly done: () => void
}

export interface ReadOptions {
  readonly transaction: ReadTransaction
}

/** What is called of `lmdb`: its published types leave out the transaction of a fast read. */
export interface LmdbDatabase extends Omit<RootDatabase<Uint8Array, Uint8Array>, "getBinaryFast" | "useReadTransaction" | "getRange"> {
  readonly lastSize: number
  readonly getBinaryFast: (key: Uint8Array, options?: ReadOptions) => Uint8Array | undefined
  readonly useReadTransaction: () => ReadTransaction
  readonly getRange: (options: {
    readonly start: Uint8Array
    readonly end: Uint8Array
    readonly reverse: boolean
    readonly exclusiveStart: boolean
    readonly inclusiveEnd: boolean
    readonly limit: number
    readonly transaction?: ReadTransaction
  }) => Iterable<{ readonly key: Uint8Array; readonly value: Uint8Array }>
}

/** Address space set aside for the file, which grows only as it is used. */
const MAP_SIZE = 2 ** 40

const DATA = "data.mdb"
const LOCK = "lock.mdb"

/** The file of an LMDB store. */
export const lmdbFile = (directory: string): string => join(directory, DATA)

/** Opens the LMDB file in `directory`, or makes one. */
export const openLmdbDatabase = async (directory: string): Promise<LmdbDatabase> => {
  const { open } = await loadLibrary("lmdb", () => import("lmdb"))
  const options = {
    noSubdir: false,
    encoding: "binary",
    keyEncoding: "binary",
    cache: false,
    // A commit is over when data and meta page are on disk, in this order.
    overlappingSync: false,
    maxReaders: 64
  } as const
  demandRoom(directory, DATA, LOCK)
  try {
    return open({ path: directory, ...options, mapSize: MAP_SIZE }) as unknown as LmdbDatabase
  } catch (error) {
    // Not every system gives that much address space: there the map grows with the file.
    if ((error as { readonly code?: unknown }).code !== 12) throw error
    return open({ path: directory, ...options }) as unknown as LmdbDatabase
  }
}
