import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { join } from "node:path"
import type { EngineCallName, OwnCall } from "../../../src/engine/api/engine-calls.ts"
import { singleNotifications } from "../../../src/engine/api/single-notifications.ts"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import type { ChainState } from "../../../src/engine/api/chain-state.ts"
import type { ConnectError } from "../../../src/engine/chainstate/connect-error.ts"
import type { RunningEngine } from "../../../src/engine/host/engine.ts"
import type { CallsWith, MakeAnyExtension } from "../../../src/engine/chainstate/extension.ts"
import { bestCandidate } from "../../../src/engine/header-index/candidates.ts"
import { BLOCKS_DIRECTORY } from "../../../src/engine/host/open-engine.ts"
import { pool } from "../../../src/engine/mempool/mempool-extension.ts"
import { chainState } from "../../../src/engine/chainstate/push-state.ts"
import { type FilterCall, makeP2pChain, type P2pCallName } from "../../../src/p2p/chain/make-p2p-chain.ts"
import type { P2pChain } from "../../../src/p2p/chain/p2p-chain.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { blockReader } from "../../../src/storage/block-files/block-reader.ts"
import type { Disk } from "../../../src/storage/disk/disk.ts"
import { nodeDisk } from "../../../src/storage/disk/node-disk.ts"
import { testEngine, type TestEngineOptions } from "../../engine/test-engine.ts"

/** The calls that the network layer needs. */
type P2pCalls = OwnCall | P2pCallName

/** The chain as the network layer has it, on an engine that runs in this thread. */
export interface TestP2pChain<N extends EngineCallName = P2pCalls> {
  readonly engine: RunningEngine<P2pCalls | N>
  readonly chain: P2pChain
  /** What listeners threw. */
  readonly defects: Array<unknown>
}

/** Puts the network layer's chain on an engine that `start` starts on a directory. */
export const p2pChainOn = Effect.fnUntraced(function*<N extends EngineCallName>(
  directory: string,
  start: (
    news: (news: EngineNotification) => void
  ) => Effect.Effect<RunningEngine<P2pCalls | N>, ConnectError, Scope.Scope>,
  disk: Disk = nodeDisk("block-files"),
  hasFilters = false
): Effect.fn.Return<TestP2pChain<N>, ConnectError, Scope.Scope> {
  const listeners = new Set<(news: EngineNotification) => void>()
  const defects: Array<unknown> = []
  let state: ChainState | undefined
  const engine = yield* start((news) => {
    if (news._tag === "State") state = news.state
    for (const each of singleNotifications(news)) for (const listener of listeners) listener(each)
  })
  const { crypto, network } = engine.chain
  const reader = yield* blockReader({
    disk,
    directory: join(directory, BLOCKS_DIRECTORY),
    coreBlocks: undefined,
    magic: network.magic,
    crypto
  })
  const chain = yield* makeP2pChain({
    chain: {
      call: engine.call,
      state: () => state ?? chainState(engine.chain),
      subscribe: (listener) => {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      }
    },
    filters: hasFilters ? engine.call as unknown as FilterCall : undefined,
    crypto,
    random: seededRandom(1),
    reader,
    onDefect: (defect) => defects.push(defect)
  }).pipe(Effect.orDie)
  return { engine, chain, defects }
})

/**
 * Starts an engine on a directory, with the mempool and other extensions, and the network layer's chain on it. Closed
 * with its scope, as after a kill.
 */
export const testP2pChain = <const E extends ReadonlyArray<MakeAnyExtension> = readonly []>(
  options: TestEngineOptions<E>
): Effect.Effect<TestP2pChain<CallsWith<E>>, ConnectError, Scope.Scope> => {
  const others = options.extensions?.filter((each) => each !== pool) ?? []
  return p2pChainOn<CallsWith<E>>(
    options.directory,
    (news) =>
      testEngine<readonly [typeof pool, ...E]>({
        ...options,
        extensions: [pool, ...others as ReadonlyArray<MakeAnyExtension> as E],
        news: (item) => {
          news(item)
          options.news?.(item)
        }
      }) as unknown as Effect.Effect<RunningEngine<P2pCalls | CallsWith<E>>, ConnectError, Scope.Scope>,
    undefined,
    options.options?.blockFilterIndex
  )
}

/** Waits until all that was given to the engine is connected, and on disk. */
export const settled = Effect.fnUntraced(function*({ call, chain: { tree } }: RunningEngine) {
  do yield* call("flush", undefined)
  while (bestCandidate(tree) !== tree.tip)
})
