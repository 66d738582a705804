import type { Crypto } from "@lockstep/kernel/crypto"
import { musigNonces } from "@lockstep/descriptors/signing/musig.ts"
import { nobleCrypto } from "@lockstep/kernel/noble"
import { nativeHashes } from "@lockstep/crypto/hash/native-hashes.ts"
import { networkWith } from "@lockstep/protocol/networks/changed-network.ts"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { monotonicClock } from "../clock.ts"
import { randomBytes } from "node:crypto"
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import { join } from "node:path"
import type { Duplex } from "node:stream"
import { Chain } from "../engine-client/chain.ts"
import type { HostPort, NodeConfig } from "../config/config.ts"
import { printHostPort } from "../config/host-port.ts"
import { hasCredentials } from "../config/resolve/credentials.ts"
import { addFinalizer } from "../finalizers/finalizers.ts"
import { Health } from "../health/health.ts"
import { Shutdown } from "../runtime/shutdown.ts"
import { StartupStage } from "../runtime/startup-stage.ts"
import { Trace } from "../runtime/trace.ts"
import { Log } from "../log/log-layer.ts"
import { Metrics } from "../metrics/metrics.ts"
import { RunningModules } from "../modules/lifecycle/running-modules.ts"
import { RunningNetwork } from "../p2p/layer/running-network.ts"
import { ActiveNotifiers } from "../zmq/active-notifiers.ts"
import { allowedAddresses } from "../http/auth/allowed-addresses.ts"
import { callerOf } from "../http/auth/caller.ts"
import { cookieAt, cookieFile } from "../http/auth/cookie-file.ts"
import { methodWhitelist, userOf } from "../http/auth/method-whitelist.ts"
import { nodeBlockReader } from "../storage/block-files/node-block-reader.ts"
import type { CallTarget } from "./dispatch/dispatch.ts"
import { engineCallError } from "../queries/engine-errors.ts"
import { takeGetRequest, type WatchedNode } from "./get-requests.ts"
import { coreRefusal } from "../http/core-refusals.ts"
import { NOT_ALLOWED, NOT_FOUND, notWhitelisted, onlyPost, sendAnswer } from "../http/http-answer.ts"
import { httpServer, type HttpServerOptions } from "../http/http-server.ts"
import { SharedRequests } from "../http/shared-requests.ts"
import { letIn, shaped } from "../http/take-request.ts"
import { workQueue } from "../http/work-queue.ts"
import { rateLimits } from "../http/limits/rate-limits.ts"
import { activeCalls } from "../queries/active-calls.ts"
import { blockScan } from "../methods/definition/block-scan.ts"
import { METHODS } from "../methods/table.ts"
import { certificateCaller } from "./quic/certificate-caller.ts"
import { type QuicPlace, quicServer, RPC_QUIC_KEY } from "./quic/quic-server.ts"
import { CalledNode, type LogControl, type MethodNode } from "../methods/definition/method-node.ts"
import { QueriedNode } from "../queries/query-node.ts"
import { type RpcRequests, takeRpcRequest } from "./rpc-requests.ts"
import type { HttpServerError } from "../http/http-server-error.ts"
import { settingName } from "../front/setting-name.ts"
import { MEBIBYTE } from "../units.ts"

/** The RPC server, which runs as long as its layer. */
export class RpcServer extends Context.Service<RpcServer, {
  /** The endpoint on which it listens. */
  readonly address: HostPort
  /** The endpoint for RPC over QUIC with its connection count; `undefined` if QUIC is off. */
  readonly quic: QuicPlace | undefined
  /** The handling of requests, which other servers share. */
  readonly requests: RpcRequests
}>()("@node/rpc/RpcServer") {}

const fastCrypto = (): Crypto => ({ ...nobleCrypto, ...nativeHashes().hashes })

const pruningOf = ({ storage: { pruning } }: NodeConfig): MethodNode["pruning"] => {
  if (pruning._tag === "TargetSize") return { targetBytes: pruning.bytes }
  return pruning._tag === "Disabled" ? "off" : pruning._tag === "Manual" ? "manual" : "automatic"
}

/** Returns the log of the node. Without a log (in tests), the levels are those of the configuration. */
const logOf = Effect.fnUntraced(function*({ logging, standIn }: NodeConfig): Effect.fn.Return<LogControl> {
  const log = yield* Effect.serviceOption(Log)
  const { categories, level } = logging
  const file = standIn === undefined ? logging.file : standIn.logFile
  if (Option.isNone(log)) return { levels: () => ({ level, categories }), setLevels: () => Effect.void, file }
  const { levels, setLevels, switches } = log.value
  return { levels, setLevels, switches, file }
})

/** Returns the node as methods see it, or the text that says what it is busy with. */
const targetOf = Effect.fnUntraced(function*(config: NodeConfig) {
  const [chain, shutdown, stage] = [yield* Chain, yield* Shutdown, yield* StartupStage]
  const [health, metrics] = [yield* Health, yield* Metrics]
  const running = yield* Effect.serviceOption(RunningNetwork)
  const zmq = yield* Effect.serviceOption(ActiveNotifiers)
  const modules = yield* Effect.serviceOption(RunningModules)
  const network = networkWith(config.network, config.standIn?.changes)
  const crypto = fastCrypto()
  const now = yield* monotonicClock
  const reader = yield* nodeBlockReader(config, network, crypto)
  const call: MethodNode["chain"]["call"] = (name, params) => Effect.mapError(chain.call(name, params), engineCallError)
  const node: MethodNode = {
    network,
    crypto,
    // No call reaches the node before a state exists.
    chain: { call, state: () => chain.state()!, states: chain.states },
    blocks: reader,
    dataDirectory: config.dataDirectory,
    shutdown,
    isStandIn: config.standIn !== undefined,
    checksAnswers: config.standIn?.checksAnswers ?? false,
    programName: config.standIn === undefined ? "Lockstep" : "Bitcoin Core",
    methods: METHODS,
    activeCalls: activeCalls(now),
    blockScan: blockScan(),
    musigNonces: musigNonces(),
    log: yield* logOf(config),
    peers: Option.isNone(running) ? () => undefined : running.value.current,
    broadcastsPrivately: config.peers.broadcastsPrivately,
    modules: Option.isNone(modules) ? () => undefined : modules.value.current,
    deprecated: new Set(config.rpc.deprecated),
    coinCacheBytes: config.storage.dbcacheMegabytes * MEBIBYTE,
    pruning: pruningOf(config),
    health,
    metrics,
    notifiers: Option.isNone(zmq) ? [] : zmq.value.notifiers,
    uptimeSeconds: () => Math.floor(process.uptime())
  }
  const target: CallTarget = {
    methods: METHODS,
    moduleMethod: (name) => node.modules()?.methods.find(name),
    node: () => stage.current() ?? (chain.state() === undefined ? "Starting…" : node),
    calls: (method) => {
      const since = now()
      return (succeeded) => metrics.calls.called(method, (now() - since) / 1_000, succeeded)
    }
  }
  return { target, health, metrics }
})

/** Traces how callers authenticate, if the node runs as `bitcoind`. */
const traceLogin = Effect.fnUntraced(function*({ rpc: { credentials }, standIn }: NodeConfig) {
  const trace = Option.getOrUndefined(yield* Effect.serviceOption(Trace))
  if (standIn === undefined || trace === undefined) return
  const { cookie, rpcThreads: threads } = standIn
  const login = credentials.basic !== undefined ? "password" : cookie === undefined ? "none" : "cookie"
  trace.notify({ _tag: "RpcStarting", cookie, login, hasSalted: credentials.salted.length > 0, threads })
})

/** Name by which a whitelist allows `/metrics`. */
const METRICS = "getmetrics"

/**
 * Warns of unknown methods in whitelists. They are no error: a whitelist may also serve other builds and other nodes.
 */
const warnOfUnknown = ({ rpc: { credentials } }: NodeConfig): Effect.Effect<void> => {
  const unknown = new Set(Object.values(credentials.whitelist).flat().filter((name) => !METHODS.has(name)))
  return unknown.size === 0
    ? Effect.void
    : Effect.logWarning(`${settingName("[rpc_auth].whitelist")} names methods that this node does not have`).pipe(
      Effect.annotateLogs({ category: "rpc", methods: [...unknown].join(", ") })
    )
}

const isRpcPath = (path: string): boolean => path === "/" || path.startsWith("/wallet/")

const cookieOf = ({ dataDirectory, standIn }: NodeConfig) => {
  if (standIn === undefined) return cookieFile(dataDirectory)
  return standIn.cookie === undefined ? Effect.undefined : cookieAt(standIn.cookie.file, standIn.cookie.mode)
}

/** Listens on every address that works, and returns the bound endpoints. Fails if none works. */
const listenAt = Effect.fnUntraced(function*(
  [first, ...others]: readonly [HostPort, ...ReadonlyArray<HostPort>],
  options: Omit<HttpServerOptions, "bind">
) {
  const at = (bind: HostPort) => httpServer({ ...options, bind })
  if (others.length === 0) return [yield* at(first)] as const
  const listening: Array<HostPort> = []
  let failure: HttpServerError | undefined
  for (const bind of [first, ...others]) {
    const result = yield* Effect.result(at(bind))
    if (result._tag === "Success") listening.push(result.success)
    else {
      failure ??= result.failure
      yield* Effect.logWarning("RPC cannot listen").pipe(
        Effect.annotateLogs({
          category: "rpc",
          address: printHostPort(bind),
          cause: result.failure.message,
          code: result.failure.code ?? "unknown"
        })
      )
    }
  }
  const [bound, ...more] = listening
  return [bound ?? (yield* failure!), ...more] as const
})

/** Returns the sources for health and metrics, which are served to the callers of RPC. */
const watchedNode = (
  health: Health["Service"],
  metrics: Metrics["Service"],
  requests: RpcRequests,
  isGuarded: boolean
): WatchedNode => ({
  health,
  samples: metrics.collect,
  isGuarded,
  callerOf: (request, response) => {
    const caller = letIn(request, response, requests)
    if (caller === undefined) return undefined
    const asker = { caller, authorization: request.headers.authorization }
    if (requests.mayCall(asker, METRICS)) return caller
    return void sendAnswer(response, notWhitelisted(METRICS, userOf(asker)), requests.isStopping())
  },
  run: requests.run,
  isStopping: requests.isStopping
})

/** Starts the RPC server. Until the chain is open, answers say what the node is busy with. */
const rpcServer = Effect.fnUntraced(function*(config: NodeConfig) {
  const { bind, credentials, limits, quic } = config.rpc
  const { health, metrics, target } = yield* targetOf(config)
  yield* warnOfUnknown(config)
  const cookie = yield* cookieOf(config)
  yield* traceLogin(config)
  // In a node that runs as `bitcoind`, a waiting call keeps its slot: its clients rely on the refusal of further calls.
  const queue = workQueue(limits.workQueue, limits.maxRequestBytes, config.standIn && "in their places")
  const trace = yield* Effect.serviceOption(Trace)
  const timeoutMs = limits.requestTimeoutSeconds * 1_000
  const run = yield* FiberSet.makeRuntime()
  let isStopping = false
  const isGuarded = hasCredentials(credentials)
  const rates = rateLimits(limits.rates, isGuarded, yield* monotonicClock)
  const requests: RpcRequests = {
    target,
    callerOf: callerOf(credentials, cookie),
    certificateCaller: quic && certificateCaller(quic),
    mayCall: methodWhitelist(credentials),
    isAllowed: allowedAddresses(config.rpc.allowed),
    queue,
    limits: rates,
    figures: metrics.calls,
    maxBytes: limits.maxRequestBytes,
    timeoutMs,
    isStopping: () => isStopping,
    trace: Option.isNone(trace) ? undefined : trace.value.notify,
    ...config.standIn !== undefined && { refusal: coreRefusal },
    run: (effect) => {
      const fiber = run(effect)
      return () => fiber.interruptUnsafe()
    }
  }
  const watched = watchedNode(health, metrics, requests, isGuarded)
  const mounted = new Map<string, RequestListener>()
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    if (!requests.isAllowed(request.socket.remoteAddress ?? "")) {
      request.resume()
      return sendAnswer(response, shaped(NOT_ALLOWED, request, requests))
    }
    const url = request.url ?? "/"
    const [path = "/"] = url.split("?", 1)
    // Bitcoin Core accepts a query string only on paths below a prefix.
    const isCall = isRpcPath(config.standIn === undefined ? path : url)
    for (const [prefix, answer] of mounted) if (path.startsWith(prefix)) return answer(request, response)
    if (request.method === "GET" && takeGetRequest(path, request, response, watched)) return undefined
    if (isCall && request.method === "POST") return takeRpcRequest(request, response, requests)
    request.resume()
    return sendAnswer(response, isCall ? onlyPost(request.method) : NOT_FOUND)
  }
  let take: ((socket: Duplex) => void) | undefined
  const places = yield* listenAt([bind, ...config.standIn?.moreRpcBinds ?? []], {
    timeoutMs,
    takesMore: (each) => void (take ??= each),
    listener,
    mayConnect: rates.connect,
    whenQuiet: queue.whenEmpty,
    takesChunksWithLength: config.standIn !== undefined
  })
  const place = quic === undefined || take === undefined ? undefined : yield* quicServer({
    config: quic,
    path: join(config.dataDirectory, RPC_QUIC_KEY),
    randomBytes,
    timeoutMs,
    mayConnect: rates.connect,
    take
  })
  yield* addFinalizer(() => Effect.sync(() => void (isStopping = true)))
  const [address] = places
  for (const each of places) {
    yield* Effect.logInfo("RPC listens").pipe(Effect.annotateLogs({ category: "rpc", address: printHostPort(each) }))
  }
  const mount: SharedRequests["Service"]["mount"] = (prefix, answer) =>
    Effect.andThen(
      Effect.sync(() => void mounted.set(prefix, answer)),
      addFinalizer(() => Effect.sync(() => void mounted.delete(prefix)))
    )
  return { address, quic: place, requests, mount }
})

/**
 * Returns the layer of the configured RPC server, with the parts that other servers of the node share. It starts
 * without a chain, and needs one only to answer.
 */
export const rpcServerLayer = (
  config: NodeConfig
): Layer.Layer<
  RpcServer | SharedRequests | QueriedNode | CalledNode,
  HttpServerError,
  Chain | Health | Metrics | Shutdown | StartupStage
> =>
  Layer.effectContext(
    Effect.map(rpcServer(config), ({ mount, ...server }) =>
      Context.make(RpcServer, RpcServer.of(server)).pipe(
        Context.add(SharedRequests, SharedRequests.of({ requests: server.requests, mount })),
        Context.add(QueriedNode, QueriedNode.of(server.requests.target)),
        Context.add(CalledNode, CalledNode.of(server.requests.target))
      ))
  )
