import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type * as Scope from "effect/Scope"
import { Chain } from "../../src/chain/chain.ts"
import type { HostPort, NodeConfig } from "../../src/config/config.ts"
import { Shutdown } from "../../src/lifecycle/shutdown.ts"
import { StartupStage } from "../../src/lifecycle/startup-stage.ts"
import { RpcServer, rpcServerLayer } from "../../src/rpc/rpc-server.ts"
import type { RpcServerError } from "../../src/rpc/rpc-server-error.ts"

type RpcConfig = NodeConfig["rpc"]

export interface TestServerOptions {
  readonly directory: string
  readonly chain: Chain["Service"]
  readonly bind?: HostPort
  readonly credentials?: Partial<RpcConfig["credentials"]>
  readonly limits?: Partial<RpcConfig["limits"]>
  readonly pruning?: NodeConfig["storage"]["pruning"]
}

const configOf = ({ bind, credentials, directory, limits, pruning }: TestServerOptions): NodeConfig => ({
  network: "regtest",
  file: undefined,
  warnings: [],
  dataDirectory: directory,
  peers: { listen: { host: "127.0.0.1", port: 0 }, maximum: 0 },
  rpc: {
    bind: bind ?? { host: "127.0.0.1", port: 0 },
    credentials: {
      tokens: ["normal-token"],
      adminTokens: ["admin-token"],
      basic: { username: "u", password: "p" },
      required: false,
      ...credentials
    },
    limits: { maxRequestBytes: 1_000_000, workQueue: 16, requestTimeoutSeconds: 5, ...limits }
  },
  storage: {
    backend: "heed3",
    dbcacheMegabytes: 4,
    pruning: pruning ?? { _tag: "Disabled" },
    transactionIndex: false,
    coinStatisticsIndex: false,
    minimumFreeMegabytes: 0,
    referenceBlocks: undefined
  },
  validation: { assumedValid: { _tag: "Nothing" }, scriptWorkers: 1, activationHeights: {} },
  logging: { level: "none", categories: {}, format: "json", file: undefined },
  shutdownTimeoutSeconds: 10
})

export interface TestServer {
  readonly address: HostPort
  readonly shutdown: Shutdown["Service"]
  readonly stage: StartupStage["Service"]
}

/** A server on a port of its own, over a chain; its node has started. */
export const testServer = Effect.fnUntraced(function*(
  options: TestServerOptions
): Effect.fn.Return<TestServer, RpcServerError, Scope.Scope> {
  const surroundings = Layer.mergeAll(Shutdown.layer, StartupStage.layer, Layer.succeed(Chain, options.chain), Logger.layer([]))
  const context = yield* Layer.build(Layer.provideMerge(rpcServerLayer(configOf(options)), surroundings))
  const stage = Context.get(context, StartupStage)
  yield* stage.set(undefined)
  return { address: Context.get(context, RpcServer).address, shutdown: Context.get(context, Shutdown), stage }
})
