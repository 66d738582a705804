import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { join } from "node:path"
import type { EngineNotification } from "../../src/engine/api/engine-notification.ts"
import type { MaintenanceCalls } from "../../src/engine/api/maintenance-calls.ts"
import type { OwnCall } from "../../src/engine/api/engine-calls.ts"
import { TIP } from "../../src/engine/chainstate/commit.ts"
import type { ConnectError } from "../../src/engine/chainstate/connect-error.ts"
import type { EngineOptions } from "../../src/engine/options/engine-options.ts"
import { type RunningEngine, startEngine } from "../../src/engine/host/engine.ts"
import { engineParts } from "../../src/engine/host/open-engine.ts"
import { inThreadPool } from "../../src/engine/script-pool/in-thread.ts"
import { maintenance } from "../../src/maintenance/maintenance.ts"
import type { Disk } from "../../src/storage/disk/disk.ts"
import { nodeDisk } from "../../src/storage/disk/node-disk.ts"
import { KeySpace, namedKey } from "../../src/storage/key-space.ts"
import { openLmdbStore } from "../../src/storage/key-value/lmdb-store.ts"
import { regtestOptions, testCrypto } from "../engine/test-engine.ts"

export interface MaintainedOptions {
  readonly mockTime?: number
  readonly news?: (news: EngineNotification) => void
  /** The store is one of this name; while it is empty, block files that are there are taken as found. */
  readonly anew?: string
  readonly options?: Partial<EngineOptions>
  readonly maxFileBytes?: number
  readonly disk?: Disk
  /** Hears of every block whose scripts are judged. */
  readonly judging?: () => void
}

export type MaintainedEngine = RunningEngine<OwnCall | keyof MaintenanceCalls>

/** An engine with maintenance on a directory, in this thread. Closed with its scope as after a kill. */
export const maintainedEngine = Effect.fnUntraced(function*(
  directory: string,
  {
    anew,
    disk = nodeDisk("block-files"),
    judging = () => {},
    maxFileBytes,
    mockTime = 0,
    news = () => {},
    options = {}
  }: MaintainedOptions = {}
): Effect.fn.Return<MaintainedEngine, ConnectError, Scope.Scope> {
  const store = yield* Effect.acquireRelease(
    openLmdbStore(join(directory, anew ?? "store")),
    ({ close }) => Effect.ignore(close)
  )
  const isEmpty = (yield* store.get(namedKey(KeySpace.meta, TIP))) === undefined
  const pool = inThreadPool(testCrypto)
  const parts = yield* engineParts({
    ...regtestOptions(directory),
    ...maxFileBytes === undefined ? {} : { testHooks: { blockFileBytes: maxFileBytes } },
    ...options
  }, {
    disk,
    store,
    crypto: testCrypto,
    pool: {
      ...pool,
      judge: (block, collected) => {
        judging()
        return pool.judge(block, collected)
      }
    },
    notify: news,
    mockTime,
    needsRebuild: anew !== undefined && isEmpty
  })
  // A full disk is looked at again at once.
  return yield* startEngine({ ...parts, lookAgain: Duration.millis(1) }, [maintenance])
})
