import { bytesEqual } from "@lockstep/kernel/bytes"
import {
  readSnapshotMetadata,
  SNAPSHOT_HEAD_SIZE,
  type SnapshotMetadata
} from "@lockstep/protocol/snapshot/snapshot-metadata.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { constants } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { batchIn, otherSpace, readerIn } from "../../coins/coin-space.ts"
import { type SnapshotCoins, snapshotCoins } from "../../coins/read-snapshot.ts"
import { walkSet } from "../../coins/set-walk.ts"
import { acquireUseRelease, ensuring } from "../../finalizers/finalizers.ts"
import { displayHash } from "../../hex.ts"
import type { StorageError } from "../../storage/storage-error.ts"
import type { EngineFault, QueryError } from "../api/engine-error.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import { commit } from "../chainstate/commit.ts"
import { isEnding } from "../state/engine-status.ts"
import type { Writer } from "../chainstate/writer.ts"
import type { TxMempool } from "../txmempool/contract.ts"
import { yieldToEventLoop } from "../options/yield-to-event-loop.ts"
import { activateSnapshot } from "./activate-snapshot.ts"
import { removeLeftoverCoins } from "./leftover-coins.ts"
import { loadable } from "./refusals.ts"
import type { Snapshot } from "../state/snapshot.ts"

/** Errors of a snapshot that is not loaded. */
export type LoadError = QueryError<"SnapshotNotOpened" | "SnapshotMetadataBroken" | "SnapshotRefused">

/** The dependencies of a load. */
export interface Load {
  readonly engine: ChainEngine
  readonly writer: Writer
  readonly mempool: TxMempool | undefined
  readonly file: string
}

const refused = ({ file }: Load, cause: string): LoadError => ({ _tag: "SnapshotRefused", file, cause })

const populationFailed = (load: Load, cause: string): LoadError => refused(load, `Population failed: ${cause}`)

const readHead = Effect.fnUntraced(
  function*({ engine }: Load, handle: FileHandle): Effect.fn.Return<SnapshotMetadata, LoadError> {
    const head = new Uint8Array(SNAPSHOT_HEAD_SIZE)
    const read = yield* Effect.promise(() =>
      handle.read(head, 0, head.length).then(({ bytesRead }) => bytesRead, () => 0)
    )
    const metadata = readSnapshotMetadata(head.subarray(0, read), engine.network)
    return Result.isSuccess(metadata)
      ? metadata.success
      : yield* Effect.fail<LoadError>({ _tag: "SnapshotMetadataBroken", cause: metadata.failure })
  }
)

const CLOSING: EngineFault = { _tag: "Closing" }

/** Writes the coins of the file into the unused set. */
const populate = Effect.fnUntraced(function*(
  load: Load,
  coins: SnapshotCoins
): Effect.fn.Return<void, LoadError | StorageError | EngineFault> {
  const { chainstates: { active, whole } } = load.engine
  const space = otherSpace(active)
  for (;;) {
    if (isEnding(load.engine)) return yield* Effect.fail(CLOSING)
    const found = yield* Effect.promise(() =>
      coins.next().catch((cause: unknown) => `The file cannot be read: ${cause}`)
    )
    if (typeof found === "string") return yield* Effect.fail(populationFailed(load, found))
    if (found.length === 0) return
    yield* whole.write((batch) => {
      const into = batchIn(batch, space)
      for (const [key, value] of found) into.put(key, value)
    })
    load.engine.crashPoint("snapshot-coins")
    yield* yieldToEventLoop
  }
})

/** Compares the hash of the loaded coins with the known one. */
const checkHash = Effect.fnUntraced(function*(
  load: Load,
  expected: Uint8Array
): Effect.fn.Return<void, LoadError | StorageError> {
  const { chainstates: { active, whole }, crypto } = load.engine
  const view = yield* whole.snapshot
  const walk = walkSet(readerIn(view, () => otherSpace(active)), { hashType: "hash_serialized_3", crypto })
  const actual = (yield* ensuring(walk, view.close)).setHash!
  if (bytesEqual(actual, expected)) return
  const [wanted, found] = [displayHash(expected), displayHash(actual)]
  return yield* Effect.fail(populationFailed(load, `Bad snapshot content hash: expected ${wanted}, got ${found}`))
})

const loadFrom = Effect.fnUntraced(function*(
  load: Load,
  handle: FileHandle
): Effect.fn.Return<Snapshot & { readonly coins: number }, LoadError | StorageError | EngineFault> {
  const { engine, mempool, writer } = load
  const metadata = yield* readHead(load, handle)
  const check = Effect.suspend(() =>
    Effect.mapError(Effect.fromResult(loadable(engine, mempool, metadata)), (cause) => refused(load, cause))
  )
  const { base, known } = yield* writer.alone(check)
  // From here on the next start removes the coins of the other set, unless they are activated.
  yield* writer.change(Effect.suspend(() => {
    engine.chainstates.hasLeftover = true
    engine.chainstates.isRecorded = true
    engine.dirty = true
    return commit(engine)
  }))
  yield* removeLeftoverCoins(engine)
  const coins = snapshotCoins(handle, metadata.coins, base.height)
  yield* populate(load, coins)
  yield* checkHash(load, known.setHash)
  // The chain has advanced meanwhile.
  const snapshot = yield* writer.change(Effect.flatMap(check, (now) => activateSnapshot(engine, now)))
  return { ...snapshot, coins: coins.read() }
})

/** Opens a regular file. A FIFO would wait for its writer, and reading uses offsets. A directory fails on the first read. */
const openFile = async (path: string): Promise<FileHandle> => {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const stats = await handle.stat()
  if (stats.isFile() || stats.isDirectory()) return handle
  await handle.close()
  throw new Error("no file")
}

/** Loads a snapshot and makes it the active chain. Precondition: no other load and no removal of leftover coins runs. */
export const loadSnapshot = (
  load: Load
): Effect.Effect<Snapshot & { readonly coins: number }, LoadError | StorageError | EngineFault> =>
  acquireUseRelease(
    Effect.tryPromise({
      try: () => openFile(load.file),
      catch: (): LoadError => ({ _tag: "SnapshotNotOpened", file: load.file })
    }),
    (handle) => loadFrom(load, handle),
    // Errors of closing do not matter, because the file was only read.
    (handle) => Effect.ignore(Effect.tryPromise(() => handle.close()))
  )
