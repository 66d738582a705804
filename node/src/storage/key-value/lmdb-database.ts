import type { RootDatabase } from "lmdb"
import * as fs from "node:fs"
import { join } from "node:path"
import { isThere } from "../disk/regular-file.ts"
import { beginLmdbFile } from "./begin-lmdb-file.ts"
import { ensureFreeSpace } from "./ensure-free-space.ts"
import { ensureOpenable } from "./ensure-openable.ts"
import { loadLibrary } from "./engine-lacking.ts"
import { demandMappable, mapFault, type Mapping } from "./map-fault.ts"
import { nativeStderr } from "./native-stderr.ts"

/** A read transaction. `use` and `done` count its users. */
export interface LmdbReadTransaction {
  readonly done: () => void
}

export interface ReadOptions {
  readonly transaction: LmdbReadTransaction
}

/** The part of `lmdb` in use: its published types lack the transaction of a fast read. */
export interface LmdbDatabase
  extends Omit<RootDatabase<Uint8Array, Uint8Array>, "getBinaryFast" | "useReadTransaction" | "getRange">
{
  readonly lastSize: number
  readonly getBinaryFast: (key: Uint8Array, options?: ReadOptions) => Uint8Array | undefined
  readonly useReadTransaction: () => LmdbReadTransaction
  readonly getRange: (options: {
    readonly start: Uint8Array
    readonly end: Uint8Array
    readonly reverse: boolean
    readonly exclusiveStart: boolean
    readonly inclusiveEnd: boolean
    readonly limit: number
    readonly transaction?: LmdbReadTransaction
  }) => Iterable<{ readonly key: Uint8Array; readonly value: Uint8Array }>
}

/** Address space reserved for the file, which grows only with its use. */
const MAP_SIZE = 2 ** 40

/** Initial size of a map that grows. */
const LEAST_MAP = 2 ** 26

const LOCK_MAP: Mapping = { bytes: 4_096, isOpenForWriting: true, isWritable: true }

const dataMap = (bytes: number): Mapping => ({ bytes, isOpenForWriting: true, isWritable: false })

const DATA = "data.mdb"
const LOCK = "lock.mdb"

/** Path of the file of an LMDB store. */
export const lmdbFile = (directory: string): string => join(directory, DATA)

/** Reports whether a directory contains an LMDB store. */
export const lmdbHasData = (directory: string): boolean => isThere(lmdbFile(directory))

/** Reports whether a file has content. A process that died while it made the file left it empty. */
const isBegun = (file: string): boolean => (fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0

/** Opens the LMDB file in `directory`, or makes one. */
export const openLmdbDatabase = async (directory: string): Promise<LmdbDatabase> => {
  const { open } = await loadLibrary("lmdb", () => import("lmdb"))
  const options = {
    noSubdir: false,
    encoding: "binary",
    keyEncoding: "binary",
    cache: false,
    // A commit ends when data and meta page are on disk, in this order.
    overlappingSync: false,
    maxReaders: 64
  } as const
  demandMappable(directory, LOCK_MAP)
  const size = fs.statSync(lmdbFile(directory), { throwIfNoEntry: false })?.size ?? 0
  // Some systems do not give that much address space: there the map grows with the file.
  const isRoomy = mapFault(directory, dataMap(MAP_SIZE)) === undefined
  if (!isRoomy) demandMappable(directory, dataMap(Math.max(size, LEAST_MAP)))
  const openIn = (path: string): LmdbDatabase =>
    open({ path, ...options, ...isRoomy ? { mapSize: MAP_SIZE } : {} }) as unknown as LmdbDatabase
  nativeStderr()
  ensureFreeSpace(directory, DATA, LOCK)
  ensureOpenable(directory, DATA, LOCK)
  if (isBegun(lmdbFile(directory))) return openIn(directory)
  await beginLmdbFile(directory, DATA, async (elsewhere) => await openIn(elsewhere).close())
  return openIn(directory)
}
