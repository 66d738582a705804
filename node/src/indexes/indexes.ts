import * as Effect from "effect/Effect"
import type { EngineCalls, EngineRefusal, SetStatistics } from "../engine/api/engine-calls.ts"
import { setStatistics as walkedStatistics } from "../engine/api/handlers.ts"
import type { Handler } from "../engine/api/handler.ts"
import type { ChainEngine } from "../engine/chain-engine.ts"
import type { MakeExtension } from "../engine/engine.ts"
import { activeAt } from "../engine/header-index/active-chain.ts"
import { blockPlace } from "../engine/header-index/block-place.ts"
import { nodeOf } from "../engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../engine/header-index/header-index-node.ts"
import { refusal, RefusalCode } from "../engine/refusal.ts"
import { asRefusal } from "../engine/chainstate/writer.ts"
import { blockFilterIndex } from "./block-filters/block-filter-index.ts"
import { blockFilters, filterHeaders } from "./block-filters/filter-calls.ts"
import { type CoinStatisticsIndex, coinStatisticsIndex } from "./coin-statistics/coin-statistics-index.ts"
import { indexedStatistics } from "./coin-statistics/statistics-record.ts"
import { type Follower, followChain } from "./follow-chain.ts"
import { type TransactionIndex, transactionIndex } from "./transaction-index/transaction-index.ts"
import { blockOfPlace } from "./transaction-index/transaction-place.ts"

type Asked<N extends keyof EngineCalls> = EngineCalls[N]["in"]

const transactionPlace = (engine: ChainEngine, index: TransactionIndex): Handler<"transactionPlace"> =>
  Effect.fnUntraced(function*({ txid }: Asked<"transactionPlace">) {
    const place = yield* asRefusal(index.find(txid, engine.store))
    const node = place && blockOfPlace(engine.tree, place)
    const block = node && blockPlace(engine.tree, node)
    if (place === undefined || node === undefined || block === undefined) return undefined
    return {
      block: node.hash.slice(),
      position: { file: block.file, offset: block.offset + place.offset, size: place.size }
    }
  })

const nodeAskedFor = ({ tree }: ChainEngine, at: Asked<"setStatistics">["at"]): HeaderIndexNode | undefined =>
  at === undefined ? tree.tip : "hash" in at ? nodeOf(tree, at.hash) : activeAt(tree, at.height)

/** The lower one of the block and the tip of the index decides whether it can know the block yet. */
const unknownStatistics = (follower: Follower, node: HeaderIndexNode): EngineRefusal => {
  const { bestBlockHeight } = follower.state()
  return node.height > bestBlockHeight
    ? refusal(
      RefusalCode.INTERNAL,
      `Unable to get data because coinstatsindex is still syncing. Current height: ${bestBlockHeight}`
    )
    : refusal(RefusalCode.INTERNAL, "Unable to read UTXO set")
}

const statisticsFromIndex = Effect.fnUntraced(function*(
  engine: ChainEngine,
  index: CoinStatisticsIndex,
  follower: Follower,
  { at, hashType }: Asked<"setStatistics">
): Effect.fn.Return<SetStatistics, EngineRefusal> {
  const node = nodeAskedFor(engine, at)
  if (node === undefined) return yield* Effect.fail(refusal(RefusalCode.INVALID_ADDRESS_OR_KEY, "Block not found"))
  const record = yield* asRefusal(index.find(node, engine.store))
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

/** The optional indexes that are switched on, and their calls. */
export const indexes: MakeExtension = Effect.fn("indexes.make")(function*(engine, writer) {
  const { crypto, options, parameters } = engine
  const byId = options.transactionIndex ? transactionIndex() : undefined
  const statistics = options.coinStatisticsIndex
    ? coinStatisticsIndex({ crypto, subsidyHalvingInterval: parameters.subsidyHalvingInterval })
    : undefined
  const filters = options.blockFilterIndex ? blockFilterIndex({ crypto }) : undefined
  const followers: Array<Follower> = []
  if (byId !== undefined) followers.push(yield* followChain(engine, writer, byId))
  const statisticsFollower = statistics && (yield* followChain(engine, writer, statistics))
  if (statisticsFollower !== undefined) followers.push(statisticsFollower)
  if (filters !== undefined) followers.push(yield* followChain(engine, writer, filters))
  for (const { hook } of followers) engine.hooks.push(hook)
  const walked = walkedStatistics(engine, writer)
  return {
    handlers: {
      indexes: () => Effect.sync(() => followers.map(({ state }) => state())),
      ...(byId && { transactionPlace: transactionPlace(engine, byId) }),
      ...(filters && { blockFilters: blockFilters(engine, filters), filterHeaders: filterHeaders(engine, filters) }),
      ...(statistics && statisticsFollower && {
        setStatistics: (asked: Asked<"setStatistics">) =>
          asked.useIndex && asked.hashType !== "hash_serialized_3"
            ? statisticsFromIndex(engine, statistics, statisticsFollower, asked)
            : walked(asked)
      })
    },
    background: Effect.andThen(
      Effect.forEach(followers, ({ catchUp }) => catchUp, { discard: true }),
      Effect.forEach(followers, ({ keepUp }) => keepUp, { concurrency: "unbounded", discard: true })
    )
  }
})
