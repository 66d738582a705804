import * as Effect from "effect/Effect"
import type { Chain } from "../../src/chain/chain.ts"
import type { EngineCallName, EngineCalls } from "../../src/engine/calls/engine-calls.ts"

/** The same chain, which says that it has the one index of the recordings that we do not build. */
export const withFilterIndex = (chain: Chain["Service"]): Chain["Service"] => {
  const bestBlockHeight = chain.state()!.height
  const withFilters = (indexes: EngineCalls["indexes"]["out"]) =>
    [...indexes, { name: "basic block filter index", synced: true, bestBlockHeight }]
  const call: Chain["Service"]["call"] = <N extends EngineCallName>(name: N, params: EngineCalls[N]["in"]) => {
    const answer = chain.call(name, params)
    return name === "indexes"
      ? Effect.map(answer, (indexes) => withFilters(indexes as EngineCalls["indexes"]["out"]) as EngineCalls[N]["out"])
      : answer
  }
  return { ...chain, call }
}
