import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { walkSet } from "../../coins/set-walk.ts"
import { ensuring } from "../../finalizers/finalizers.ts"
import type { ChainEngine } from "../chain-engine.ts"
import { commit } from "../chainstate/commit.ts"
import type { ConnectError } from "../validation/connect.ts"
import { networkHandlers } from "../intake/network-handlers.ts"
import { activeAt } from "../header-index/active-chain.ts"
import { nodeOf } from "../header-index/header-index.ts"
import type { HeaderIndexNode } from "../header-index/header-index-node.ts"
import { updateInitialBlockDownload } from "../chainstate/initial-block-download.ts"
import { invalidateBlock, preciousBlock, reconsiderBlock } from "../validation/manual-choice.ts"
import { pushState } from "../notify/push-state.ts"
import { blockFacts } from "../queries/block-facts.ts"
import { chainTips } from "../queries/chain-tips.ts"
import { coinFacts } from "../queries/coin-facts.ts"
import { coinScan } from "../queries/coin-scan.ts"
import { chainQueries } from "../queries/chain-queries.ts"
import { refusal, RefusalCode } from "../refusal.ts"
import { proposeBlock, submitBlock, submitHeader } from "../validation/submit-block.ts"
import { asRefusal, type Writer } from "../chainstate/writer.ts"
import type { EngineRefusal } from "./engine-calls.ts"
import type { Handler, Handlers } from "./handler.ts"

type Choice = (engine: ChainEngine, node: HeaderIndexNode) => Effect.Effect<void, ConnectError | EngineRefusal>

const notBuilt = (what: string) => (): Effect.Effect<never, EngineRefusal> =>
  Effect.fail(refusal(RefusalCode.MISC, `${what} is not part of this engine`))

const choose = (engine: ChainEngine, writer: Writer, choice: Choice) => ({ hash }: { readonly hash: Uint8Array }) =>
  writer.change(Effect.suspend((): Effect.Effect<void, ConnectError | EngineRefusal> => {
    const node = nodeOf(engine.tree, hash)
    return node === undefined
      ? Effect.fail(refusal(RefusalCode.INVALID_ADDRESS_OR_KEY, "Block not found"))
      : choice(engine, node)
  }))

/** Statistics of the coins at the tip, from a walk over all of them. */
export const setStatistics = (engine: ChainEngine, writer: Writer): Handler<"setStatistics"> =>
  Effect.fnUntraced(function*({ at, hashType }) {
    const { crypto, store, tree } = engine
    if (at !== undefined) {
      return yield* Effect.fail(
        refusal(RefusalCode.INVALID_PARAMETER, "Querying specific block heights requires coinstatsindex")
      )
    }
    const taken = yield* writer.alone(Effect.gen(function*() {
      yield* commit(engine)
      return { tip: tree.tip, snapshot: yield* store.snapshot }
    }))
    const { snapshot, tip } = taken
    const walk = yield* asRefusal(ensuring(walkSet(snapshot, { hashType, crypto }), snapshot.close))
    return {
      height: tip.height,
      block: tip.hash.slice(),
      txouts: walk.coins,
      bogoSize: BigInt(walk.bogoSize),
      total: walk.total,
      setHash: walk.setHash,
      transactions: walk.transactions,
      sizeOnDisk: yield* asRefusal(store.sizeOnDisk),
      index: undefined
    }
  })

const setMockTime = (engine: ChainEngine, writer: Writer): Handler<"setMockTime"> => ({ time }) =>
  writer.change(Effect.suspend(() => {
    if (engine.network.name !== "regtest") {
      return Effect.fail(refusal(RefusalCode.MISC, "setmocktime is for regression testing (-regtest mode) only"))
    }
    if (time < 0) return Effect.fail(refusal(RefusalCode.INVALID_PARAMETER, "Mocktime must not be negative"))
    engine.clock.setMockTime(time)
    updateInitialBlockDownload(engine)
    pushState(engine)
    return Effect.void
  }))

/** Handlers of the engine itself. Extensions replace the handlers that are not built here. */
export const handlersOf = (engine: ChainEngine, writer: Writer): Handlers => {
  const { tree } = engine
  const scan = coinScan(engine, writer)
  return {
    submitBlock: ({ bytes }) => writer.change(submitBlock(engine, bytes)),
    submitHeader: ({ bytes }) =>
      writer.change(Effect.suspend(() => {
        const outcome = submitHeader(engine, bytes)
        return Result.isFailure(outcome) ? Effect.fail(outcome.failure) : Effect.void
      })),
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
    ...chainQueries(engine, writer),
    ...networkHandlers(engine, writer),
    setStatistics: setStatistics(engine, writer),
    ...scan,
    verifyChain: notBuilt("Verifying the chain"),
    pruneTo: notBuilt("Pruning"),
    setMockTime: setMockTime(engine, writer),
    transactionPlace: notBuilt("The transaction index"),
    blockFilters: notBuilt("The index of block filters"),
    filterHeaders: notBuilt("The index of block filters"),
    indexes: () => Effect.succeed([]),
    importFiles: notBuilt("Importing block files"),
    figures: notBuilt("Measuring"),
    flush: () => writer.change(commit(engine)),
    // A scan would delay the end for as long as it takes.
    close: () => Effect.andThen(scan.abortScan(), writer.close)
  }
}
