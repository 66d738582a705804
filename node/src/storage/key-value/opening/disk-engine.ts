import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import { join } from "node:path"
import type { StorageError } from "../../storage-error.ts"
import type { KeyValueStore } from "../key-value-store.ts"
import { openLevelStore } from "../level-store.ts"
import { levelHasData } from "../level-database.ts"
import { lmdbFile, lmdbHasData } from "../lmdb-database.ts"
import { openLmdbStore } from "../lmdb-store.ts"
import { levelFilesFault } from "./level-files-fault.ts"
import { lmdbFileFault } from "./lmdb-file-fault.ts"
import { probe } from "./probe.ts"
import type { StoreKeys } from "./walk-store.ts"

export type DiskEngineName = "heed3" | "leveldb"

/** An engine that keeps its store in a directory of the data directory. */
export interface DiskEngine {
  readonly name: DiskEngineName
  /** Its usual name. */
  readonly title: string
  readonly hasData: (directory: string) => boolean
  /** Returns the path that an error about the store names. */
  readonly path: (directory: string) => string
  /** Describes the fault of the files, found without the engine. Returns `undefined` for intact files. */
  readonly fault: (directory: string) => string | undefined
  readonly probe: (
    directory: string,
    timeout: Duration.Duration,
    keys?: StoreKeys
  ) => Effect.Effect<void, StorageError>
  readonly open: (directory: string) => Effect.Effect<KeyValueStore, StorageError>
}

const heed3: DiskEngine = {
  name: "heed3",
  title: "LMDB",
  hasData: lmdbHasData,
  path: lmdbFile,
  fault: lmdbFileFault,
  probe: (directory, timeout, keys) => probe("heed3", directory, lmdbFile(directory), timeout, keys),
  open: openLmdbStore
}

const leveldb: DiskEngine = {
  name: "leveldb",
  title: "LevelDB",
  hasData: levelHasData,
  path: (directory) => directory,
  fault: levelFilesFault,
  probe: (directory, timeout, keys) => probe("leveldb", directory, directory, timeout, keys),
  open: openLevelStore
}

/**
 * Engines in the order in which `auto` prefers them: LMDB becomes very slow once its file outgrows memory
 * (docs/decisions/0038).
 */
export const DISK_ENGINES: ReadonlyArray<DiskEngine> = [leveldb, heed3]

/** Returns the directory in which an engine keeps its store. */
export const storeDirectory = (dataDirectory: string, engine: DiskEngineName): string =>
  join(dataDirectory, `store-${engine}`)
