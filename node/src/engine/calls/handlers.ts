import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { walkSet } from "../../coins/set-walk.ts"
import type { ChainEngine } from "../chain-engine.ts"
import { commit } from "../commit.ts"
import type { ConnectError } from "../connect.ts"
import { networkHandlers } from "../intake/network-handlers.ts"
import { activeAt } from "../header-tree/active-chain.ts"
import { nodeOf } from "../header-tree/header-tree.ts"
import type { TreeNode } from "../header-tree/tree-node.ts"
import { updateInitialBlockDownload } from "../initial-block-download.ts"
import { invalidateBlock, preciousBlock, reconsiderBlock } from "../manual-choice.ts"
import { pushState } from "../push-state.ts"
import { blockFacts } from "../queries/block-facts.ts"
import { chainTips } from "../queries/chain-tips.ts"
import { coinFacts } from "../queries/coin-facts.ts"
import { coinScan } from "../queries/coin-scan.ts"
import { questionsOf } from "../queries/questions.ts"
import { refusal, RefusalCode } from "../refusal.ts"
import { proposeBlock, submitBlock, submitHeader } from "../submit.ts"
import { asRefusal, type Writer } from "../writer.ts"
import type { EngineCallName, EngineCalls, EngineRefusal } from "./engine-calls.ts"

/** How a call is answered. */
export type Handler<N extends EngineCallName> = (input: EngineCalls[N]["in"]) => Effect.Effect<EngineCalls[N]["out"], EngineRefusal>

export type Handlers = { readonly [N in EngineCallName]: Handler<N> }

type Choice = (engine: ChainEngine, node: TreeNode) => Effect.Effect<void, ConnectError | EngineRefusal>

const notBuilt = (what: string) => (): Effect.Effect<never, EngineRefusal> =>
  Effect.fail(refusal(RefusalCode.MISC, `${what} is not part of this engine`))

const choose = (engine: ChainEngine, writer: Writer, choice: Choice) => ({ hash }: { readonly hash: Uint8Array }) =>
  writer.change(Effect.suspend((): Effect.Effect<void, ConnectError | EngineRefusal> => {
    const node = nodeOf(engine.tree, hash)
    return node === undefined ? Effect.fail(refusal(RefusalCode.INVALID_ADDRESS_OR_KEY, "Block not found")) : choice(engine, node)
  }))

/** Statistics of the coins at the tip, from a walk over all of them. */
export const setStatistics = (engine: ChainEngine, writer: Writer): Handler<"setStatistics"> =>
  Effect.fnUntraced(function*({ at, hashType }) {
    const { crypto, store, tree } = engine
    if (at !== undefined) return yield* Effect.fail(refusal(RefusalCode.INVALID_PARAMETER, "Querying specific block heights requires coinstatsindex"))
    const taken = yield* writer.alone(Effect.gen(function*() {
      yield* commit(engine)
      return { tip: tree.tip, snapshot: yield* store.snapshot }
    }))
    const { snapshot, tip } = taken
    const walk = yield* asRefusal(Effect.ensuring(walkSet(snapshot, { hashType, crypto }), snapshot.close))
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

/** Answers of the engine itself; what others add takes the place of those that are not built here. */
export const handlersOf = (engine: ChainEngine, writer: Writer): Handlers => {
  const { tree } = engine
  const scan = coinScan(engine, writer)
  return {
    submitBlock: ({ bytes }) => writer.change(submitBlock(engine, bytes)),
    submitHeader: ({ bytes }) => writer.change(Effect.suspend(() => {
      const outcome = submitHeader(engine, bytes)
      return Result.isFailure(outcome) ? Effect.fail(outcome.failure) : Effect.void
    })),
    proposeBlock: ({ bytes }) => writer.alone(proposeBlock(engine, bytes)),
    invalidateBlock: choose(engine, writer, invalidateBlock),
    reconsiderBlock: choose(engine, writer, reconsiderBlock),
    preciousBlock: choose(engine, writer, preciousBlock),
    blockFacts: ({ hash }) => Effect.sync(() => {
      const node = nodeOf(tree, hash)
      return node && blockFacts(tree, node)
    }),
    hashAt: ({ height }) => Effect.sync(() => activeAt(tree, height)?.hash.slice()),
    chainTips: () => Effect.sync(() => chainTips(tree)),
    coin: ({ txid, vout }) => writer.alone(coinFacts(engine, txid, vout)),
    ...questionsOf(engine, writer),
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
    // A scan would hold up the end for as long as it takes.
    close: () => Effect.andThen(scan.abortScan(), writer.close)
  }
}
