import { decodeBlock } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { randomInt } from "node:crypto"
import type { BlockFileInfo } from "../../storage/block-files/block-files.ts"
import { KeySpace, rangeOf } from "../../storage/key-space.ts"
import type { KeyValueStore } from "../../storage/key-value/key-value-store.ts"
import { StorageError } from "../../storage/storage-error.ts"
import { activateBestChain } from "../validation/activate-best-chain.ts"
import type { ChainEngine, EngineParts } from "../state/chain-engine.ts"
import { identified } from "../state/identified-block.ts"
import { RUNNING, setClosing } from "../state/engine-status.ts"
import { commit } from "../chainstate/commit.ts"
import type { ConnectError } from "../chainstate/connect-error.ts"
import { needsReplay } from "../intake/replay.ts"
import { readFileInfo } from "../chainstate/file-info-entry.ts"
import { refuseFutureTip } from "../chainstate/future-tip.ts"
import { setBlockPlace } from "../header-index/block-place.ts"
import { HeaderStatus } from "../header-index/header-status.ts"
import { type HeaderIndex, headerIndex, setStatus } from "../header-index/header-index.ts"
import { markLinked } from "../header-index/link-block.ts"
import { updateInitialBlockDownload } from "../chainstate/initial-block-download.ts"
import { verifiedScripts } from "../state/verified-scripts.ts"
import { RECENT_BLOCKS_BYTES } from "../options/limits.ts"
import { headerIndexReplication } from "../state/header-index-replication.ts"
import { pushState } from "../chainstate/push-state.ts"
import { extraTransactions } from "../state/extra-transactions.ts"
import { scriptCache, scriptCacheSets } from "../state/script-cache.ts"
import { damagedChain, loadTree } from "../chainstate/load-tree.ts"
import { openSnapshot } from "../snapshot/open-snapshot.ts"
import type { Snapshot } from "../state/snapshot.ts"
import { recentBlocks } from "../state/recent-blocks.ts"

/** Reads the facts of the block files from the store. */
export const committedFiles = Effect.fnUntraced(function*(
  store: KeyValueStore
): Effect.fn.Return<ReadonlyArray<BlockFileInfo>, StorageError> {
  const entries = (yield* Stream.runCollect(store.range(rangeOf(KeySpace.blockFile)))).flat()
  const infos: Array<BlockFileInfo> = []
  for (const entry of entries) {
    const info = readFileInfo(entry)
    if (info === undefined) return yield* damagedChain("an entry about a block file has a wrong size")
    infos.push(info)
  }
  return infos
})

const engineOn = (parts: EngineParts, tree: HeaderIndex, snapshot?: Snapshot): ChainEngine => ({
  ...parts,
  tree,
  snapshot,
  feed: headerIndexReplication(tree, parts.notify),
  recent: recentBlocks(RECENT_BLOCKS_BYTES),
  verifiedScripts: verifiedScripts(),
  scriptCache: scriptCache(randomInt(2 ** 32), scriptCacheSets(parts.options.scriptCacheBytes)),
  extra: extraTransactions(parts.options.mempool.extraTransactions),
  unconfirmed: undefined,
  hooks: [],
  changedFiles: new Map(),
  pendingNotifications: [],
  verdicts: [],
  dirty: false,
  ahead: undefined,
  lastCommit: parts.clock.elapsed(),
  initialBlockDownload: true,
  underWay: 0,
  status: RUNNING,
  pauses: 0,
  pauseListeners: new Set(),
  warnings: new Set(),
  scriptsTold: undefined,
  loadingBlocks: false,
  isReplaying: false,
  isAwaited: undefined,
  inputs: 0
})

/** Makes long tasks, even those of the start, end once the engine is to close. */
const heedClose = (engine: ChainEngine): ChainEngine => {
  engine.onClose?.(() => setClosing(engine))
  return engine
}

/** Makes a chain that contains only the genesis block, whose coinbase creates no coin. */
const beginChain = Effect.fnUntraced(function*(parts: EngineParts): Effect.fn.Return<ChainEngine, StorageError> {
  const { crypto, files, network } = parts
  const { block, identity } = identified(Result.getOrThrow(decodeBlock(network.genesisBlock)), crypto)
  const tree = headerIndex(block.header.bytes, identity.hash)
  // Existing block files contain it already; a rebuild should not append another copy.
  const place = (yield* files.findFirst(block.bytes)) ?? (yield* files.appendBlock(block.bytes, 0))
  setBlockPlace(tree, tree.tip, place, block.transactions.length)
  setStatus(tree, tree.tip, HeaderStatus.CONNECTED)
  markLinked(tree, tree.tip)
  const engine = heedClose(engineOn(parts, tree))
  yield* commit(engine)
  return engine
})

/**
 * Opens the chain of the last commit, or a new one. A separate step, {@link resume}, activates the best chain, so that
 * hooks can be installed before.
 */
export const openChain = Effect.fnUntraced(function*(parts: EngineParts): Effect.fn.Return<ChainEngine, StorageError> {
  const { chainstates: { atStart }, network, store } = parts
  const tree = yield* loadTree({ network, store, base: atStart?.base })
  const snapshot = tree && openSnapshot(parts, tree)
  if (snapshot instanceof StorageError) return yield* snapshot
  if (snapshot !== undefined) parts.files.divideAt(snapshot.base.height)
  const engine = tree === undefined ? yield* beginChain(parts) : heedClose(engineOn(parts, tree, snapshot))
  yield* refuseFutureTip(engine)
  updateInitialBlockDownload(engine)
  return engine
})

/**
 * Connects blocks that were stored but not connected when the node stopped, and notifies of the state. If they are
 * many, {@link replay} does so later.
 */
export const resume = Effect.fnUntraced(function*(engine: ChainEngine): Effect.fn.Return<void, ConnectError> {
  engine.isReplaying = needsReplay(engine)
  if (!engine.isReplaying) yield* activateBestChain(engine)
  yield* commit(engine)
  pushState(engine)
})
