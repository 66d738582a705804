import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { EngineCalls } from "../engine/api/engine-calls.ts"
import type { IndexCalls } from "../engine/api/index-calls.ts"
import type { CoinSetStatistics } from "../engine/api/coin-calls.ts"
import type { IndexName, QueryError } from "../engine/api/engine-error.ts"
import type { Handler } from "../engine/api/handler.ts"
import type { ChainEngine } from "../engine/state/chain-engine.ts"
import type { MakeExtension } from "../engine/chainstate/extension.ts"
import { activeAt } from "../engine/header-index/active-chain.ts"
import { blockPlace } from "../engine/header-index/block-place.ts"
import { nodeOf } from "../engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../engine/header-index/header-index-node.ts"
import { untilReplayed } from "../engine/chainstate/loading-blocks.ts"
import { asFault } from "../engine/chainstate/faults.ts"
import { blockFilterIndex } from "./block-filters/block-filter-index.ts"
import { blockFilters, filterHeaders } from "./block-filters/filter-calls.ts"
import { type CoinStatisticsIndex, coinStatisticsIndex } from "./coin-statistics/coin-statistics-index.ts"
import { indexedStatistics } from "./coin-statistics/statistics-record.ts"
import { outputIndexes } from "./outputs/output-indexes.ts"
import { type Follower, followChain } from "./follow-chain.ts"
import { spentOutputs } from "./spent-outputs/spent-outputs.ts"
import { type TransactionIndex, transactionIndex } from "./transaction-index/transaction-index.ts"
import { blockOfPlace } from "./transaction-index/transaction-place.ts"

type Asked<N extends keyof EngineCalls> = EngineCalls[N]["in"]

const transactionPlace = (engine: ChainEngine, index: TransactionIndex): Handler<"transactionPlace"> =>
  Effect.fnUntraced(function*({ txid }: Asked<"transactionPlace">) {
    const place = yield* asFault(index.find(txid, engine.store))
    const node = place && blockOfPlace(engine.tree, place)
    const block = node && blockPlace(engine.tree, node)
    if (place === undefined || node === undefined || block === undefined) return undefined
    return {
      block: node.hash.slice(),
      position: { file: block.file, offset: block.offset + place.offset, size: place.size }
    }
  })

type StatisticsError = QueryError<"BlockNotFound" | "HeightNotInActiveChain" | "IndexNotSynced" | "IndexEntryNotFound">

const nodeAskedFor = (
  { tree }: ChainEngine,
  at: Asked<"setStatistics">["at"]
): Result.Result<HeaderIndexNode, StatisticsError> => {
  if (at === undefined) return Result.succeed(tree.tip)
  const node = "hash" in at ? nodeOf(tree, at.hash) : activeAt(tree, at.height)
  if (node !== undefined) return Result.succeed(node)
  return Result.fail(
    "hash" in at ? { _tag: "BlockNotFound", hash: at.hash } : { _tag: "HeightNotInActiveChain", height: at.height }
  )
}

/**
 * Returns the error for missing statistics. The lower of the block and the tip of the index decides whether the index
 * can have them.
 */
const unknownStatistics = (follower: Follower, { height }: HeaderIndexNode): StatisticsError => {
  const { bestBlockHeight } = follower.state()
  return height > bestBlockHeight
    ? { _tag: "IndexNotSynced", index: "coinstatsindex", height: bestBlockHeight }
    : { _tag: "IndexEntryNotFound", index: "coinstatsindex", height }
}

const statisticsFromIndex = Effect.fnUntraced(function*(
  engine: ChainEngine,
  index: CoinStatisticsIndex,
  follower: Follower,
  { at, hashType }: Asked<"setStatistics">
): Effect.fn.Return<CoinSetStatistics, EngineCalls["setStatistics"]["fails"]> {
  const node = yield* Effect.fromResult(nodeAskedFor(engine, at))
  const record = yield* asFault(index.find(node, engine.store))
  if (record === undefined) return yield* Effect.fail(unknownStatistics(follower, node))
  const { bogoSize, muHash, total, txouts } = record
  return {
    height: node.height,
    block: node.hash.slice(),
    txouts,
    bogoSize,
    total,
    setHash: hashType === "muhash" ? muHash : undefined,
    transactions: undefined,
    sizeOnDisk: undefined,
    index: indexedStatistics(record)
  }
})

const notEnabled = (index: IndexName) => (): Effect.Effect<never, QueryError<"IndexNotEnabled">> =>
  Effect.fail({ _tag: "IndexNotEnabled", index })

/** The enabled optional indexes, and their calls. */
export const indexes: MakeExtension<keyof IndexCalls> = Effect.fn("indexes.make")(function*(engine, writer) {
  const { crypto, options, parameters } = engine
  const byId = options.transactionIndex ? transactionIndex() : undefined
  const statistics = options.coinStatisticsIndex
    ? coinStatisticsIndex({ crypto, subsidyHalvingInterval: parameters.subsidyHalvingInterval })
    : undefined
  const filters = options.blockFilterIndex ? blockFilterIndex({ crypto }) : undefined
  const followers: Array<Follower> = []
  if (byId !== undefined) followers.push(yield* followChain(engine, writer, byId))
  const spenders = yield* spentOutputs(engine, writer)
  followers.push(...spenders.followers)
  const statisticsFollower = statistics && (yield* followChain(engine, writer, statistics))
  if (statisticsFollower !== undefined) followers.push(statisticsFollower)
  if (filters !== undefined) followers.push(yield* followChain(engine, writer, filters))
  const outputs = yield* outputIndexes(engine, writer)
  followers.push(...outputs.followers)
  const level = Effect.forEach(followers, (follower) => follower.level, { discard: true })
  /** Runs a call once all indexes have processed the tip that its caller may know of. */
  const atTip = <I, A, E>(handler: (input: I) => Effect.Effect<A, E>) => (input: I): Effect.Effect<A, E> =>
    Effect.andThen(level, handler(input))
  return {
    hooks: followers.map(({ hook }) => hook),
    handlers: {
      indexes: () => Effect.sync(() => followers.map(({ state }) => state())),
      transactionPlace: byId ? atTip(transactionPlace(engine, byId)) : notEnabled("txindex"),
      blockFilters: filters ? atTip(blockFilters(engine, filters)) : notEnabled("basic block filter index"),
      filterHeaders: filters ? atTip(filterHeaders(engine, filters)) : notEnabled("basic block filter index"),
      outputSpenders: atTip(spenders.handlers.outputSpenders),
      ...outputs.handlers
    },
    indexedStatistics: statistics && statisticsFollower &&
      atTip((asked: Asked<"setStatistics">) => statisticsFromIndex(engine, statistics, statisticsFollower, asked)),
    // An index may have processed blocks that are being connected again.
    background: Effect.andThen(
      Effect.andThen(untilReplayed(engine), Effect.forEach(followers, ({ catchUp }) => catchUp, { discard: true })),
      Effect.forEach(followers, ({ keepUp }) => keepUp, { concurrency: "unbounded", discard: true })
    )
  }
})
