import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Chain, EngineFailure } from "../../src/engine-client/chain.ts"
import type { ChainState } from "../../src/engine/api/chain-state.ts"
import type { EngineCallName, EngineCalls } from "../../src/engine/api/engine-calls.ts"

type Answered<N extends EngineCallName> = Effect.Effect<EngineCalls[N]["out"], EngineCalls[N]["fails"] | EngineFailure>

type Answers = { readonly [N in EngineCallName]?: (input: EngineCalls[N]["in"]) => Answered<N> }

export const STATE: ChainState = {
  height: 322,
  hash: new Uint8Array(32).fill(7),
  time: 1_700_000_000,
  bits: 0x207fffff,
  medianTime: 1_699_999_000,
  chainWork: 646n,
  headersHeight: 323,
  headersHash: new Uint8Array(32).fill(8),
  progress: 1,
  initialBlockDownload: false,
  sizeOnDisk: 1234,
  pruned: false,
  pruneHeight: undefined,
  transactions: 1,
  cacheBytes: 0,
  cacheChanges: 0,
  inputs: 0,
  halted: undefined,
  loadingBlocks: false,
  warnings: [],
  mockTime: 0
}

export const FIGURES: EngineCalls["figures"]["out"] = {
  thread: { heapUsed: 1, heapLimit: 100, external: 0, lag: { median: 0, p99: 0, longest: 0 }, pauses: {} },
  coins: { hits: 3, misses: 1, bytes: 10, changes: 0 },
  scripts: { before: 1, withBlock: 2 }
}

export const EMPTY_MEMPOOL: EngineCalls["mempoolFacts"]["out"] = {
  loaded: true,
  count: 0,
  virtualSize: 0,
  usage: 0,
  fees: 0n,
  maxBytes: 300_000_000,
  rollingMinimum: 0,
  minRelayFee: 100n,
  incrementalRelayFee: 100n,
  unbroadcast: 0,
  permitBareMultisig: true,
  dataCarrierBytes: 100_000,
  clusterCount: 64,
  clusterSize: 101_000,
  isOptimal: true,
  replacesUnsignalled: true
}

/** A chain that answers what a test says, and refuses all other calls. */
export const fakeChain = (
  answers: Answers = {},
  state: () => ChainState | undefined = () => STATE
): Chain["Service"] => {
  const known: Answers = {
    figures: () => Effect.succeed(FIGURES),
    mempoolFacts: () => Effect.succeed(EMPTY_MEMPOOL),
    relayFees: () => Effect.succeed(EMPTY_MEMPOOL),
    ...answers
  }
  const call: Chain["Service"]["call"] = (name, params) =>
    known[name]?.(params) ?? Effect.fail(new EngineFailure({ message: `no answer to ${name} in this test` }))
  return Chain.of({ ready: Effect.void, call, state, states: Stream.empty, subscribe: () => () => {} })
}
