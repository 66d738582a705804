import * as Effect from "effect/Effect"
import { walkSet } from "../../coins/set-walk.ts"
import { ensuring } from "../../finalizers/finalizers.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import { commit } from "../chainstate/commit.ts"
import type { ConnectError } from "../chainstate/connect-error.ts"
import { networkHandlers } from "./network-handlers.ts"
import { activeAt } from "../header-index/active-chain.ts"
import { nodeOf } from "../header-index/header-index.ts"
import type { HeaderIndexNode } from "../header-index/header-index-node.ts"
import { updateInitialBlockDownload } from "../chainstate/initial-block-download.ts"
import { invalidateBlock, preciousBlock, reconsiderBlock } from "../validation/manual-choice.ts"
import { pushState } from "../chainstate/push-state.ts"
import { blockFacts } from "../queries/block-facts.ts"
import { chainTips } from "../queries/chain-tips.ts"
import { coinFacts } from "../queries/coin-facts.ts"
import { coinDump } from "../queries/coin-dump.ts"
import { coinScan, type Scans } from "../queries/coin-scan.ts"
import { chainQueries, type Queries } from "../queries/chain-queries.ts"
import { proposeBlock, submitBlock, submitHeader } from "../intake/submit-block.ts"
import type { Background } from "../chainstate/background.ts"
import { asFault } from "../chainstate/faults.ts"
import type { Writer } from "../chainstate/writer.ts"
import type { Snapshots } from "../snapshot/snapshot-handlers.ts"
import type { TxMempool } from "../txmempool/contract.ts"
import { composeHandlers } from "../api/compose-handlers.ts"
import type { ChainCalls } from "../api/chain-calls.ts"
import type { CoinCalls } from "../api/coin-calls.ts"
import type { ControlCalls, OwnCall } from "../api/engine-calls.ts"
import type { EngineError, QueryError } from "../api/engine-error.ts"
import type { MiningCalls } from "../api/mining-calls.ts"
import type { Handler, Handlers } from "../api/handler.ts"

type Choice<E> = (engine: ChainEngine, node: HeaderIndexNode) => Effect.Effect<void, E>

const choose =
  <E extends ConnectError | EngineError>(engine: ChainEngine, writer: Writer, choice: Choice<E>) =>
  ({ hash }: { readonly hash: Uint8Array }) =>
    writer.change(Effect.suspend((): Effect.Effect<void, E | QueryError<"BlockNotFound">> => {
      const node = nodeOf(engine.tree, hash)
      return node === undefined ? Effect.fail({ _tag: "BlockNotFound", hash }) : choice(engine, node)
    }))

/** Computes statistics of the coins at the tip by a walk over all coins. */
const walkedStatistics = (engine: ChainEngine, writer: Writer): Handler<"setStatistics"> =>
  Effect.fnUntraced(function*({ at, hashType }) {
    const { crypto, store, tree } = engine
    if (at !== undefined) return yield* Effect.fail({ _tag: "IndexNotEnabled", index: "coinstatsindex" } as const)
    const taken = yield* writer.alone(Effect.gen(function*() {
      yield* commit(engine)
      return { tip: tree.tip, snapshot: yield* store.snapshot }
    }))
    const { snapshot, tip } = taken
    const walk = yield* asFault(ensuring(walkSet(snapshot, { hashType, crypto }), snapshot.close))
    return {
      height: tip.height,
      block: tip.hash.slice(),
      txouts: walk.coins,
      bogoSize: BigInt(walk.bogoSize),
      total: walk.total,
      setHash: walk.setHash,
      transactions: walk.transactions,
      sizeOnDisk: walk.bytes,
      index: undefined
    }
  })

const statistics = (
  engine: ChainEngine,
  writer: Writer,
  indexed: Handler<"setStatistics"> | undefined
): Handler<"setStatistics"> => {
  const walked = walkedStatistics(engine, writer)
  return (asked) =>
    indexed !== undefined && asked.useIndex && asked.hashType !== "hash_serialized_3" ? indexed(asked) : walked(asked)
}

const setMockTime = (engine: ChainEngine, writer: Writer): Handler<"setMockTime"> => ({ time }) =>
  writer.change(Effect.suspend((): Effect.Effect<void, QueryError<"OnlyOnRegtest" | "NegativeMockTime">> => {
    if (engine.network.name !== "regtest") return Effect.fail({ _tag: "OnlyOnRegtest", call: "setMockTime" })
    if (time < 0) return Effect.fail({ _tag: "NegativeMockTime", time })
    engine.clock.setMockTime(time)
    updateInitialBlockDownload(engine)
    pushState(engine)
    return Effect.void
  }))

const moveScheduler = ({ network, scheduler }: ChainEngine): Handler<"moveScheduler"> => ({ milliseconds }) =>
  Effect.suspend((): Effect.Effect<void, QueryError<"OnlyOnRegtest">> => {
    if (network.name !== "regtest") return Effect.fail({ _tag: "OnlyOnRegtest", call: "moveScheduler" })
    scheduler.moveForward(milliseconds)
    return Effect.void
  })

type ChainHandlers = Handlers<
  Exclude<
    keyof ChainCalls | keyof CoinCalls | keyof ControlCalls,
    keyof Queries | keyof Scans | "dumpCoins" | "loadCoins"
  >
>

const chainHandlers = (
  engine: ChainEngine,
  writer: Writer,
  scans: Scans,
  indexed: Handler<"setStatistics"> | undefined,
  loading: Snapshots
): ChainHandlers => {
  const { tree } = engine
  return {
    // A submitted block of a snapshot is answered once the snapshot is confirmed, as in Bitcoin Core.
    submitBlock: ({ bytes }) => Effect.tap(writer.change(submitBlock(engine, bytes)), () => loading.settled),
    submitHeader: ({ bytes }) => writer.change(Effect.suspend(() => Effect.fromResult(submitHeader(engine, bytes)))),
    proposeBlock: ({ bytes }) => writer.alone(proposeBlock(engine, bytes)),
    invalidateBlock: choose(engine, writer, invalidateBlock),
    reconsiderBlock: choose(engine, writer, reconsiderBlock),
    preciousBlock: choose(engine, writer, preciousBlock),
    blockFacts: ({ hash }) =>
      Effect.sync(() => {
        const node = nodeOf(tree, hash)
        return node && blockFacts(tree, node)
      }),
    hashAt: ({ height }) => Effect.sync(() => activeAt(tree, height)?.hash.slice()),
    chainTips: () => Effect.sync(() => chainTips(tree)),
    coin: ({ txid, vout }) => writer.alone(coinFacts(engine, txid, vout)),
    setStatistics: statistics(engine, writer, indexed),
    setMockTime: setMockTime(engine, writer),
    moveScheduler: moveScheduler(engine),
    flush: () => writer.change(commit(engine)),
    // A scan would delay the end by its whole duration.
    close: () => Effect.andThen(scans.abortScan(), writer.close)
  }
}

/** Parts that others add to the engine's own handlers. */
interface Added {
  readonly mining: Handlers<keyof MiningCalls>
  /** Serves coin statistics from an index. */
  readonly indexed: Handler<"setStatistics"> | undefined
  readonly mempool: TxMempool | undefined
  readonly snapshots: Snapshots
}

/** Handlers of the engine itself. */
export const ownHandlers = (
  engine: ChainEngine,
  writer: Writer,
  background: Background,
  { indexed, mempool, mining, snapshots }: Added
): Handlers<OwnCall> => {
  const scans = coinScan(engine, writer)
  return composeHandlers([
    chainHandlers(engine, writer, scans, indexed, snapshots),
    chainQueries(engine, writer),
    scans,
    coinDump(engine, writer),
    snapshots.handlers,
    mining,
    networkHandlers(engine, writer, background, mempool)
  ])
}
