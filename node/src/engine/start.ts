import { decodeBlock } from "@lockstep/kernel/model/block.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { BlockFileInfo } from "../storage/block-files/block-files.ts"
import { KeySpace, namedKey, rangeOf } from "../storage/key-space.ts"
import type { KeyValueStore } from "../storage/key-value/key-value-store.ts"
import { StorageError } from "../storage/storage-error.ts"
import { activateBestChain } from "./activate.ts"
import { type ChainEngine, type EngineParts, identified } from "./chain-engine.ts"
import { commit, TIP } from "./commit.ts"
import type { ConnectError } from "./connect.ts"
import { readFileInfo } from "./file-info-entry.ts"
import { setBlockPlace } from "./header-tree/block-place.ts"
import { HeaderStatus } from "./header-tree/header-status.ts"
import { type HeaderTree, headerTree, setStatus } from "./header-tree/header-tree.ts"
import { markLinked } from "./header-tree/link-block.ts"
import { treeLoader } from "./header-tree/load-tree.ts"
import { updateInitialBlockDownload } from "./initial-block-download.ts"
import { judgedScripts } from "./judged-scripts.ts"
import { RECENT_BLOCKS_BYTES } from "./limits.ts"
import { treeFeed } from "./mirror/tree-feed.ts"
import { pushState } from "./push-state.ts"
import { recentBlocks } from "./recent-blocks.ts"

const damaged = (problem: string): StorageError =>
  new StorageError({
    part: "key-value",
    operation: "start",
    reason: "corrupt",
    message: `The database of the chain does not fit together: ${problem}. Run \`node rebuild\`, which makes it anew from the block files.`
  })

/** What the store says of the block files: what they are opened with. */
export const committedFiles = Effect.fnUntraced(function*(
  store: KeyValueStore
): Effect.fn.Return<ReadonlyArray<BlockFileInfo>, StorageError> {
  const entries = (yield* Stream.runCollect(store.range(rangeOf(KeySpace.blockFile)))).flat()
  const infos: Array<BlockFileInfo> = []
  for (const entry of entries) {
    const info = readFileInfo(entry)
    if (info === undefined) return yield* damaged("an entry about a block file has a wrong size")
    infos.push(info)
  }
  return infos
})

const loadTree = Effect.fnUntraced(function*(
  { network, store }: EngineParts
): Effect.fn.Return<HeaderTree | undefined, StorageError> {
  const tip = yield* store.get(namedKey(KeySpace.meta, TIP))
  if (tip === undefined) return undefined
  const loader = treeLoader(network.parameters.genesisHash)
  let problem: string | undefined
  yield* Stream.runForEach(store.range(rangeOf(KeySpace.header)), (entries) =>
    Effect.sync(() => {
      for (const entry of entries) problem ??= loader.add(entry)
    }))
  if (problem !== undefined) return yield* damaged(problem)
  const tree = loader.finish(tip)
  return typeof tree === "string" ? yield* damaged(tree) : tree
})

const engineOn = (parts: EngineParts, tree: HeaderTree): ChainEngine => ({
  ...parts,
  tree,
  feed: treeFeed(tree, parts.tell),
  recent: recentBlocks(RECENT_BLOCKS_BYTES),
  judgedScripts: judgedScripts(),
  hooks: [],
  changedFiles: new Map(),
  withheld: [],
  verdicts: [],
  dirty: false,
  lastCommit: Date.now(),
  initialBlockDownload: true,
  underWay: 0,
  closing: false,
  broken: undefined,
  paused: undefined,
  lowSpace: undefined,
  warnings: new Set(),
  takingIn: false,
  isAwaited: undefined,
  inputs: 0
})

/** Long tasks end when the engine is to close, also those of the start. */
const heedClose = (engine: ChainEngine): ChainEngine => {
  engine.onClose?.(() => {
    engine.closing = true
  })
  return engine
}

/** A chain of nothing but the genesis block, whose coinbase creates no coin. */
const beginChain = Effect.fnUntraced(function*(parts: EngineParts): Effect.fn.Return<ChainEngine, StorageError> {
  const { crypto, files, network } = parts
  const { block, identity } = identified(Result.getOrThrow(decodeBlock(network.genesisBlock)), crypto)
  const tree = headerTree(block.header.bytes, identity.hash)
  setBlockPlace(tree, tree.tip, yield* files.appendBlock(block.bytes, 0), block.transactions.length)
  setStatus(tree, tree.tip, HeaderStatus.CONNECTED)
  markLinked(tree, tree.tip)
  const engine = heedClose(engineOn(parts, tree))
  yield* commit(engine)
  return engine
})

/**
 * The chain as the last commit left it, or a new one. Going to the best chain is a step of its own, {@link resume}, so
 * that hooks can be put in before.
 */
export const openChain = Effect.fnUntraced(function*(parts: EngineParts): Effect.fn.Return<ChainEngine, StorageError> {
  const tree = yield* loadTree(parts)
  const engine = tree === undefined ? yield* beginChain(parts) : heedClose(engineOn(parts, tree))
  updateInitialBlockDownload(engine)
  return engine
})

/** Connects what was stored and not connected when the node stopped, and tells where the chain stands. */
export const resume = Effect.fnUntraced(function*(engine: ChainEngine): Effect.fn.Return<void, ConnectError> {
  yield* activateBestChain(engine)
  yield* commit(engine)
  pushState(engine)
})
