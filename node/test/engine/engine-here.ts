import { childOf } from "@lockstep/kernel/chain"
import { collectBlock } from "@lockstep/kernel/connect"
import * as Effect from "effect/Effect"
import type { EngineCallName, EngineCalls } from "../../src/engine/api/engine-calls.ts"
import type { ChainEngine } from "../../src/engine/state/chain-engine.ts"
import type { EngineOptions } from "../../src/engine/options/engine-options.ts"
import { identified } from "../../src/engine/state/identified-block.ts"
import { prefetchToConnect } from "../../src/engine/validation/block-prevouts.ts"
import { judgeUnverified } from "../../src/engine/validation/judge-unverified.ts"
import { blockOf } from "../../src/engine/validation/read-block.ts"
import { runEngine } from "../../src/engine-worker/run-engine.ts"

/** The engine of a node in this thread, where its memory and its processor time can be seen, for callers without Effect. */
export interface EngineHere {
  readonly call: <N extends EngineCallName>(name: N, input: EngineCalls[N]["in"]) => Promise<EngineCalls[N]["out"]>
  readonly chain: ChainEngine
}

const ignore = (): void => {}

/** Runs `work` on an engine with the parts of every node, followed as by the node's main thread. */
export const withEngineHere = <A>(options: EngineOptions, work: (engine: EngineHere) => Promise<A>): Promise<A> =>
  Effect.runPromise(Effect.scoped(Effect.gen(function*() {
    const engine = yield* runEngine(options, ignore, undefined)
    const call: EngineHere["call"] = (name, input) => Effect.runPromise(engine.call(name, input))
    for (let from = 0;;) {
      const { headers, isLast } = yield* engine.call("followTree", { from })
      from = headers
      if (isLast) break
    }
    return yield* Effect.promise(() => work({ call, chain: engine.chain }))
  })))

const holds = async (answer: Effect.Effect<unknown, unknown>): Promise<void> => {
  if (await Effect.runPromise(answer) !== undefined) throw new Error("a script of the block fails")
}

/** Verifies scripts; each resolves when they hold, and rejects when one fails. */
export interface BlockScripts {
  readonly all: () => Promise<void>
  /** All that were not verified when their transactions came. */
  readonly unverified: () => Promise<void>
}

/** The scripts of a block on top of the tip, as connecting it has them verified. */
export const blockScripts = async ({ chain }: EngineHere, bytes: Uint8Array): Promise<BlockScripts> => {
  const { coins, crypto, parameters, pool, tree: { tip } } = chain
  const block = blockOf(bytes.slice())
  if (block === undefined) throw new Error("there is no block in these bytes")
  const found = identified(block, crypto)
  const node = childOf(tip, found.block.header, found.identity.hash)
  await Effect.runPromise(prefetchToConnect(coins, found, node, parameters))
  const collected = collectBlock(found.block, node, found.identity, parameters, coins)
  return {
    all: () => holds(Effect.suspend(() => pool.judge(found.block, collected))),
    unverified: () => holds(Effect.suspend(() => judgeUnverified(chain, found, collected)))
  }
}
