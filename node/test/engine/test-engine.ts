import { selectProvider } from "@lockstep/crypto/index.ts"
import type { Crypto } from "@lockstep/kernel/crypto"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { join } from "node:path"
import type { EngineNotification } from "../../src/engine/api/engine-notification.ts"
import type { OwnCall } from "../../src/engine/api/engine-calls.ts"
import type { MempoolCall } from "../../src/engine/api/mempool-calls.ts"
import { type RunningEngine, startEngine } from "../../src/engine/host/engine.ts"
import type { CallsWith, Disjoint, MakeAnyExtension } from "../../src/engine/chainstate/extension.ts"
import type { EngineParts } from "../../src/engine/state/chain-engine.ts"
import type { ConnectError } from "../../src/engine/chainstate/connect-error.ts"
import type { EngineOptions } from "../../src/engine/options/engine-options.ts"
import { NO_INDEXES } from "../../src/engine/options/index-switches.ts"
import { DEFAULT_MEMPOOL_SETTINGS } from "../../src/engine/options/settings.ts"
import { engineParts } from "../../src/engine/host/open-engine.ts"
import { inThreadPool } from "../../src/engine/script-pool/in-thread.ts"
import type { Disk } from "../../src/storage/disk/disk.ts"
import { nodeDisk } from "../../src/storage/disk/node-disk.ts"
import type { KeyValueStore } from "../../src/storage/key-value/key-value-store.ts"
import { openLmdbStore } from "../../src/storage/key-value/lmdb-store.ts"

const fastest = selectProvider()
if (!fastest.ok) throw new Error("no crypto provider")

/** Signatures of the tests' chains, as quick as this machine can. */
export const testCrypto: Crypto = fastest.provider.crypto

export type Extensions = ReadonlyArray<MakeAnyExtension>

/** An engine with the mempool. */
export type PoolEngine = RunningEngine<OwnCall | MempoolCall>

export interface TestEngineOptions<E extends Extensions = readonly []> {
  readonly directory: string
  readonly mockTime?: number
  readonly options?: Partial<EngineOptions>
  readonly news?: (news: EngineNotification) => void
  readonly extensions?: E
  readonly parts?: (parts: EngineParts) => EngineParts
  readonly maxFileBytes?: number
  /** Stand between the engine and what it writes to. */
  readonly disk?: Disk
  readonly store?: (store: KeyValueStore) => KeyValueStore
}

/** Options of an engine on regtest. */
export const regtestOptions = (directory: string): EngineOptions => ({
  network: "regtest",
  activationHeights: {},
  directory,
  backend: "heed3",
  coreBlocks: undefined,
  dbcacheBytes: 32 * 1024 * 1024,
  scriptWorkers: 1,
  assumedValid: { _tag: "Nothing" },
  pruning: { _tag: "Disabled" },
  ...NO_INDEXES,
  mempool: DEFAULT_MEMPOOL_SETTINGS,
  minimumFreeBytes: 0
})

/** An engine on a directory, in this thread. Closed with its scope as after a kill: nothing is committed then. */
export const testEngine = Effect.fnUntraced(function*<const E extends Extensions = readonly []>(
  {
    directory,
    disk = nodeDisk("block-files"),
    extensions,
    maxFileBytes,
    mockTime,
    news = () => {},
    options = {},
    parts = (same) => same,
    store: around = (same) => same
  }: TestEngineOptions<E>
): Effect.fn.Return<RunningEngine<CallsWith<E>>, ConnectError, Scope.Scope> {
  const store = yield* Effect.acquireRelease(
    openLmdbStore(join(directory, "store")),
    ({ close }) => Effect.ignore(close)
  )
  const opened = yield* engineParts({
    ...regtestOptions(directory),
    ...maxFileBytes === undefined ? {} : { testHooks: { blockFileBytes: maxFileBytes } },
    ...options
  }, {
    disk,
    store: around(store),
    crypto: testCrypto,
    pool: inThreadPool(testCrypto),
    notify: news,
    ...(mockTime === undefined ? {} : { mockTime })
  })
  return yield* startEngine<E>(parts(opened), (extensions ?? []) as unknown as Disjoint<E>)
})
