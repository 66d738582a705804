import * as Effect from "effect/Effect"
import type { Chain } from "../../src/engine-client/chain.ts"
import { startChain } from "../../src/engine-client/start-chain.ts"
import type { EngineOptions } from "../../src/engine/options/engine-options.ts"
import { regtestOptions } from "../engine/test-engine.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { ask, type RpcAnswer } from "./rpc-client.ts"
import { testServer, type TestServerOptions } from "./test-server.ts"

// oxlint-disable-next-line typescript/no-explicit-any
export type Shown = any

interface RegtestServerOptions {
  readonly engine?: Partial<EngineOptions>
  readonly server?: Partial<TestServerOptions>
  /** The chain that the server answers from, made of that of the engine. */
  readonly chain?: (chain: Chain["Service"]) => Chain["Service"]
}

/** A server on regtest whose engine runs in its own thread. */
export const regtestServer = Effect.fnUntraced(function*({
  chain: around = (same) => same,
  engine = {},
  server = {}
}: RegtestServerOptions = {}) {
  const directory = yield* temporaryDirectory
  const chain = yield* startChain({ ...regtestOptions(directory), ...engine })
  yield* chain.ready
  const served = yield* testServer({ directory, chain: around(chain), ...server })
  const call = (method: string, ...params: ReadonlyArray<unknown>): Effect.Effect<RpcAnswer> =>
    Effect.promise(() => ask(served.address, method, params))
  return {
    ...served,
    call,
    chain,
    directory,
    /** The result of a call, or its error. */
    show: (method: string, ...params: ReadonlyArray<unknown>): Effect.Effect<Shown> =>
      Effect.map(call(method, ...params), ({ error, result }) => error ?? result)
  }
})
