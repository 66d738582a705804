import type * as Effect from "effect/Effect"
import { singleNotifications } from "../../../src/engine/api/single-notifications.ts"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import { pool } from "../../../src/engine/mempool/mempool-extension.ts"
import { DEFAULT_MEMPOOL_SETTINGS, type MempoolSettings } from "../../../src/engine/options/settings.ts"
import type { Disk } from "../../../src/storage/disk/disk.ts"
import { nodeDisk } from "../../../src/storage/disk/node-disk.ts"
import { PLANTED_AT } from "../planted-blocks.ts"
import { testEngine } from "../test-engine.ts"

/** What a coinbase of the first halving period pays. */
export const REWARD = 5_000_000_000n

export interface MempoolEngineChanges {
  readonly settings?: Partial<MempoolSettings>
  readonly mockTime?: number
  readonly news?: Array<EngineNotification>
  readonly disk?: Disk
}

/** An engine with a mempool on this directory, which may hold what an earlier one left. */
export const mempoolEngine = (
  directory: string,
  { disk = nodeDisk("block-files"), mockTime = PLANTED_AT, news = [], settings }: MempoolEngineChanges = {}
) =>
  testEngine({
    directory,
    mockTime,
    disk,
    extensions: [pool],
    options: { mempool: { ...DEFAULT_MEMPOOL_SETTINGS, ...settings } },
    news: (each) => news.push(...singleNotifications(each))
  })

export type MempoolEngine = Effect.Success<ReturnType<typeof mempoolEngine>>
