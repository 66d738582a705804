import { displayHexOf } from "@lockstep/conformance/formats/hex.ts"
import { MAX_MONEY } from "@lockstep/kernel/constants"
import * as Effect from "effect/Effect"
import type { EngineCallName } from "../../src/engine/api/engine-calls.ts"
import type { EngineNotification } from "../../src/engine/api/engine-notification.ts"
import { displayHash } from "../../src/hex.ts"
import type { EngineOptions } from "../../src/engine/options/engine-options.ts"
import type { RunningEngine } from "../../src/engine/host/engine.ts"
import { activeAt } from "../../src/engine/header-index/active-chain.ts"
import { runEngine } from "../../src/engine-worker/run-engine.ts"
import type { Memory } from "../crash/load.ts"
import { type Reference, reference } from "../crash/reference.ts"

/** MuHash of the coins at the end of a chain, as a clean node has it. */
export type RightCoins = (chain: ReadonlyArray<string>) => Promise<string>

/** Asks a clean node once for each tip. */
export const rightCoins = ({ blocks }: Memory): RightCoins => {
  const clean: Reference = reference()
  const known = new Map<string, string>()
  return async (chain) => {
    const tip = chain.at(-1) ?? ""
    const before = known.get(tip)
    if (before !== undefined) return before
    await clean.follow(chain, async (hash) => {
      const block = blocks.get(hash)
      if (block === undefined) throw new Error(`the chain has block ${hash}, which the node never had`)
      return block
    })
    known.set(tip, clean.muHash())
    return clean.muHash()
  }
}

const demand = (holds: boolean, message: string): Effect.Effect<void> =>
  holds ? Effect.void : Effect.die(new Error(message))

/** What an operator would read that is not as it should be. */
const complaint = (news: EngineNotification): string | undefined => {
  if (news._tag === "Fatal") return news.message
  if (news._tag === "Log" && (news.level === "warn" || news.level === "error")) {
    return `${news.message} ${JSON.stringify(news)}`
  }
  return undefined
}

const isSettled = (engine: RunningEngine<EngineCallName>): Effect.Effect<boolean> =>
  Effect.gen(function*() {
    const { loadingBlocks, tree: { tip } } = engine.chain
    if (loadingBlocks) return false
    const indexes = yield* Effect.orDie(engine.call("indexes", undefined))
    return indexes.every(({ bestBlockHeight, synced }) => synced && bestBlockHeight === tip.height)
  })

const chainOf = ({ chain: { tree } }: RunningEngine<EngineCallName>): ReadonlyArray<string> =>
  Array.from({ length: tree.tip.height }, (_, i) => displayHash(activeAt(tree, i + 1)!.hash))

const muHashOf = (engine: RunningEngine<EngineCallName>, fromIndex: boolean) =>
  Effect.map(
    engine.call("setStatistics", { hashType: "muhash", useIndex: fromIndex, at: undefined }),
    ({ setHash }) => setHash === undefined ? "" : displayHexOf(setHash)
  )

/** The index of values has as many outputs as the set of coins, with the same sum. */
const valuesAgree = Effect.fnUntraced(function*(engine: RunningEngine<EngineCallName>) {
  const set = yield* engine.call("setStatistics", { hashType: "none", useIndex: false, at: undefined })
  const all = { least: 0n, most: MAX_MONEY, part: { offset: 0, limit: Infinity }, withMempool: false }
  const { outputs } = yield* engine.call("outputsOfValue", all)
  const sum = outputs.reduce((total, { value }) => total + value, 0n)
  yield* demand(
    outputs.length === set.txouts && sum === set.total,
    `the index of values has ${outputs.length} outputs of ${sum}, the coins are ${set.txouts} of ${set.total}`
  )
})

/**
 * Opens the chain of a data directory in this thread, with everything a node has around it. What must hold: it says
 * nothing that would worry an operator, its tip is no worse than what had been answered, and coins, indexes and the
 * last blocks are those of a clean node.
 */
export const checkData = (
  options: EngineOptions,
  acknowledged: Memory["acknowledged"],
  right: RightCoins
): Promise<void> => {
  const complaints: Array<string> = []
  const notify = (news: EngineNotification): void => {
    const text = complaint(news)
    if (text !== undefined) complaints.push(text)
  }
  return Effect.runPromise(Effect.scoped(Effect.gen(function*() {
    const engine = yield* runEngine(options, notify, undefined)
    while (!(yield* isSettled(engine))) yield* Effect.sleep("5 millis")
    const { tip } = engine.chain.tree
    const { hash, work } = acknowledged
    yield* demand(
      displayHash(tip.hash) === hash || tip.chainWork >= work,
      `an answered tip is lost: ${hash} was answered, ${displayHash(tip.hash)} (height ${tip.height}) is there`
    )
    const expected = yield* Effect.promise(() => right(chainOf(engine)))
    for (const fromIndex of options.coinStatisticsIndex ? [false, true] : [false]) {
      const found = yield* muHashOf(engine, fromIndex)
      yield* demand(
        found === expected,
        `height ${tip.height}: the coins hash to ${found}, those of a clean node to ${expected}`
      )
    }
    if (options.valueIndex === true) yield* valuesAgree(engine)
    const verified = yield* engine.call("verifyChain", { level: 4, blocks: 6 })
    yield* demand(verified.valid, `verifychain 4 6: ${verified.problem}`)
    // It goes on.
    yield* engine.call("close", undefined)
    yield* demand(complaints.length === 0, complaints.join("\n"))
  })))
}
