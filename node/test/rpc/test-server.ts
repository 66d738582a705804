import * as Context from "effect/Context"
import { DEFAULT_MEMPOOL_SETTINGS } from "../../src/engine/options/settings.ts"
import { NO_INDEXES } from "../../src/engine/options/index-switches.ts"
import { DEFAULT_LIMITS } from "@lockstep/protocol/wire/limits.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type * as Scope from "effect/Scope"
import { Chain } from "../../src/engine-client/chain.ts"
import type { HostPort, NodeConfig } from "../../src/config/config.ts"
import { EventBus } from "../../src/events/event-bus.ts"
import { Health, healthLayer } from "../../src/health/health.ts"
import { Shutdown } from "../../src/runtime/shutdown.ts"
import { StartupStage } from "../../src/runtime/startup-stage.ts"
import { Trace } from "../../src/runtime/trace.ts"
import { metricsLayer } from "../../src/metrics/metrics.ts"
import type { NetworkService } from "../../src/p2p/layer/network.ts"
import { RunningNetwork } from "../../src/p2p/layer/running-network.ts"
import type { SharedRequests } from "../../src/http/shared-requests.ts"
import type { CalledNode } from "../../src/methods/definition/method-node.ts"
import type { QueriedNode } from "../../src/queries/query-node.ts"
import { RpcServer, rpcServerLayer } from "../../src/rpc/rpc-server.ts"
import type { HttpServerError } from "../../src/http/http-server-error.ts"

type RpcConfig = NodeConfig["rpc"]

export interface TestServerOptions {
  readonly directory: string
  readonly chain: Chain["Service"]
  readonly network?: NetworkService
  readonly bind?: HostPort
  readonly credentials?: Partial<RpcConfig["credentials"]>
  readonly limits?: Partial<RpcConfig["limits"]>
  readonly allowed?: RpcConfig["allowed"]
  readonly deprecated?: RpcConfig["deprecated"]
  readonly quic?: RpcConfig["quic"]
  readonly pruning?: NodeConfig["storage"]["pruning"]
  /** Of a node that stands in for Bitcoin Core's program, what RPC looks at. */
  readonly standIn?: Partial<NonNullable<NodeConfig["standIn"]>>
  /** Takes what the server logs in detail. */
  readonly trace?: Trace["Service"]["notify"]
}

export const NO_RATE_LIMITS: RpcConfig["limits"]["rates"] = {
  address: { burst: 0, rate: 0 },
  user: { burst: 0, rate: 0 },
  connections: 0,
  connectionWindowSeconds: 60,
  batchCap: 10,
  failures: 0,
  blockSeconds: 60,
  whenAuthDisabled: false,
  ofLoopback: false,
  ofAdmins: false
}

/** A node without connections. */
const PEERS: NodeConfig["peers"] = {
  listen: { host: "127.0.0.1", port: 0 },
  isListening: false,
  isListenGiven: false,
  moreListen: [],
  onionListen: [],
  torControl: undefined,
  i2p: undefined,
  hasCjdns: false,
  trusted: [],
  permissions: [],
  servesBlockFilters: false,
  servesBloomFilters: false,
  relaysPackages: false,
  broadcastsPrivately: false,
  dandelion: undefined,
  uploadTarget: 0,
  maximum: 0,
  target: undefined,
  persistent: [],
  isOnlyPersistent: true,
  choosesUdpPeers: false,
  quic: undefined,
  iroh: undefined,
  isAdvertised: false,
  handshakeSeconds: 60,
  userAgent: "lockstep",
  asmap: undefined,
  proxy: undefined,
  onionProxy: undefined,
  isolateStreams: true,
  onlyNetworks: [],
  isV2: true,
  isBlocksOnly: false,
  dnsSeeds: false,
  fixedSeeds: false
}

const configOf = (
  { allowed, bind, credentials, deprecated, directory, limits, pruning, quic, standIn }: TestServerOptions
): NodeConfig => ({
  network: "regtest",
  file: undefined,
  warnings: [],
  dataDirectory: directory,
  peers: PEERS,
  download: {
    blocksPerRequest: 128,
    blocksPerPeer: 128,
    timeoutSeconds: 30,
    headersTimeoutSeconds: 30,
    headersFailures: 10,
    peers: [],
    fromOnePeer: false
  },
  protocolLimits: DEFAULT_LIMITS,
  rpc: {
    bind: bind ?? { host: "127.0.0.1", port: 0 },
    credentials: {
      tokens: ["normal-token"],
      adminTokens: ["admin-token"],
      basic: { username: "u", password: "p" },
      salted: [],
      whitelist: {},
      whitelistDefault: undefined,
      required: false,
      ...credentials
    },
    allowed: allowed ?? [],
    limits: { maxRequestBytes: 1_000_000, workQueue: 16, requestTimeoutSeconds: 5, rates: NO_RATE_LIMITS, ...limits },
    deprecated: deprecated ?? [],
    quic
  },
  rest: undefined,
  storage: {
    backend: "heed3",
    dbcacheMegabytes: 4,
    coinEviction: "dynamic",
    pruning: pruning ?? { _tag: "Disabled" },
    ...NO_INDEXES,
    minimumFreeMegabytes: 0,
    maintenanceSeconds: 0,
    coreBlocks: undefined,
    copyCoreBlocks: false
  },
  mempool: DEFAULT_MEMPOOL_SETTINGS,
  mining: { blockMaxWeight: 4_000_000, blockReservedWeight: 8_000, blockMinFee: 1n, blockVersion: undefined },
  validation: { assumedValid: { _tag: "Nothing" }, scriptWorkers: 1, activationHeights: {}, mockTime: 0 },
  logging: { level: "none", categories: {}, format: "json", file: undefined },
  modules: undefined,
  shutdownTimeoutSeconds: 10,
  ...standIn !== undefined && { standIn: standIn as NonNullable<NodeConfig["standIn"]> }
})

export interface TestServer {
  readonly address: HostPort
  readonly server: RpcServer["Service"]
  /** What other servers of the node share with it. */
  readonly shared: Context.Context<SharedRequests | QueriedNode | CalledNode>
  readonly shutdown: Shutdown["Service"]
  readonly stage: StartupStage["Service"]
  readonly health: Health["Service"]
  readonly events: EventBus["Service"]
}

/** A server on a port of its own, over a chain; its node has started. */
export const testServer = Effect.fnUntraced(function*(
  options: TestServerOptions
): Effect.fn.Return<TestServer, HttpServerError, Scope.Scope> {
  const config = configOf(options)
  const surroundings = Layer.mergeAll(
    Shutdown.layer,
    StartupStage.layer,
    EventBus.layer,
    Layer.succeed(Chain, options.chain),
    RunningNetwork.layer,
    options.trace === undefined ? Layer.empty : Layer.succeed(Trace, Trace.of({ notify: options.trace })),
    Logger.layer([])
  )
  const watching = Layer.provideMerge(healthLayer(config), metricsLayer(config, "0.0.0"))
  const context = yield* Layer.build(
    rpcServerLayer(config).pipe(Layer.provideMerge(watching), Layer.provideMerge(surroundings))
  )
  const stage = Context.get(context, StartupStage)
  yield* stage.set(undefined)
  yield* Context.get(context, RunningNetwork).set(options.network)
  const health = Context.get(context, Health)
  yield* health.check("startup")
  const server = Context.get(context, RpcServer)
  return {
    address: server.address,
    server,
    shared: context,
    shutdown: Context.get(context, Shutdown),
    stage,
    health,
    events: Context.get(context, EventBus)
  }
})
