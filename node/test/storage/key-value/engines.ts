import * as Effect from "effect/Effect"
import { openLevelStore } from "../../../src/storage/key-value/level-store.ts"
import { openLmdbStore } from "../../../src/storage/key-value/lmdb-store.ts"
import { makeMemoryStore } from "../../../src/storage/key-value/memory-store.ts"
import type { Engine } from "./behaviour.ts"

export const LMDB: Engine = { name: "LMDB", open: openLmdbStore, isDurable: true }
export const LEVELDB: Engine = { name: "LevelDB", open: openLevelStore, isDurable: true }
export const MEMORY: Engine = { name: "memory", open: () => Effect.sync(makeMemoryStore), isDurable: false }
