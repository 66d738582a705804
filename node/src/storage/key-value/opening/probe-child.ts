// Runs in a separate process, started by `probe.ts`: a damaged file may end it inside native code.
import type { Milliseconds } from "../../../quantities.ts"
import type { StorageError } from "../../storage-error.ts"
import { EngineLacking } from "../engine-lacking.ts"
import { Unmappable } from "../map-fault.ts"
import { MAX_KEY_SIZE } from "../key-limits.ts"
import { openLevelDatabase } from "../level-database.ts"
import { openLmdbDatabase } from "../lmdb-database.ts"
import { levelTablesFault } from "./level-table-fault.ts"
import { lmdbFreeListFault } from "./lmdb-file-fault.ts"
import { type RawEntry, type RawStore, type StoreKeys, walkStore } from "./walk-store.ts"

/** The report of the child on standard output, as one line of JSON. */
export type ProbeReport =
  | { readonly _tag: "Sound" }
  | { readonly _tag: "Damaged"; readonly detail: string }
  | { readonly _tag: "Lacking"; readonly detail: string }
  | { readonly _tag: "Unmappable"; readonly detail: string }
  | {
    readonly _tag: "Failed"
    readonly message: string
    readonly code: StorageError["reason"] | string | number | undefined
  }

/** Written to standard error before anything is read. */
const BEGUN = "reading\n"

/** A key after all possible keys. */
const AFTER_ALL = new Uint8Array(MAX_KEY_SIZE + 1).fill(255)

const lmdbStore = async (directory: string): Promise<RawStore> => {
  const db = await openLmdbDatabase(directory)
  const limit = Number.MAX_SAFE_INTEGER
  return {
    has: (key) => db.getBinaryFast(key) !== undefined,
    count: () => (db.getStats() as { readonly entryCount: number }).entryCount,
    range: (start, end = AFTER_ALL) =>
      db.getRange({ start, end, reverse: false, exclusiveStart: false, inclusiveEnd: false, limit })
  }
}

const levelStore = async (directory: string): Promise<RawStore> => {
  const db = await openLevelDatabase(directory)
  return {
    has: (key) => db.getSync(key) !== undefined,
    count: () => undefined,
    range: async function*(gte, lt = AFTER_ALL): AsyncIterable<RawEntry> {
      const iterator = db.iterator({ gte, lt, highWaterMarkBytes: 1 << 20 })
      for (;;) {
        const entries = await iterator.nextv(1024)
        if (entries.length === 0) return
        for (const [key, value] of entries) yield { key, value }
      }
    }
  }
}

const probe = async (
  engine: string,
  directory: string,
  milliseconds: Milliseconds,
  keys: StoreKeys
): Promise<ProbeReport> => {
  // Checked before LevelDB is open, because an open LevelDB removes and replaces tables.
  const files = engine === "leveldb"
    ? levelTablesFault(directory, milliseconds)
    : lmdbFreeListFault(directory, milliseconds / 2)
  if (files !== undefined) return { _tag: "Damaged", detail: files }
  const store = await (engine === "heed3" ? lmdbStore(directory) : levelStore(directory))
  const fault = await walkStore(store, milliseconds, keys)
  return fault === undefined ? { _tag: "Sound" } : { _tag: "Damaged", detail: fault }
}

const failed = (error: unknown): ProbeReport => {
  const { code, message, cause } = error as Error & { readonly code?: string | number }
  if (error instanceof Unmappable) return { _tag: "Unmappable", detail: message }
  if (error instanceof EngineLacking) return { _tag: "Lacking", detail: `${message}: ${String(cause)}` }
  const inner = cause as (Error & { readonly code?: string | number }) | undefined
  return {
    _tag: "Failed",
    message: inner === undefined ? message : `${message}: ${inner.message}`,
    code: inner?.code ?? code
  }
}

// From here on the files may be the cause if this process dies.
process.stderr.write(BEGUN)

const [engine = "", directory = "", milliseconds = "0", keys] = process.argv.slice(2)
void probe(engine, directory, Number(milliseconds), keys === "any" ? "any" : "node").catch(failed).then((report) => {
  process.stdout.write(JSON.stringify(report), () => {
    // Nothing was written to the store, so nothing needs to be closed. A plain exit waits for the compiler threads,
    // which may wait for this one to collect garbage. Occasionally such a process never ends.
    process.kill(process.pid, "SIGKILL")
  })
})
