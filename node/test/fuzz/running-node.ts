import { Chain } from "../../src/engine-client/chain.ts"
import { startChain } from "../../src/engine-client/start-chain.ts"
import { loadConfig } from "../../src/config/load-config.ts"
import type { HostPort, NodeConfig } from "../../src/config/config.ts"
import { EventBus } from "../../src/events/event-bus.ts"
import { Health, healthLayer } from "../../src/health/health.ts"
import { engineOptionsOf } from "../../src/lifecycle/engine-options-of.ts"
import { Shutdown } from "../../src/runtime/shutdown.ts"
import { StartupStage } from "../../src/runtime/startup-stage.ts"
import { metricsLayer } from "../../src/metrics/metrics.ts"
import { RestServer, restServerLayer } from "../../src/rest/rest-server.ts"
import type { CallTarget as Calls } from "../../src/rpc/dispatch/dispatch.ts"
import { RpcServer, rpcServerLayer } from "../../src/rpc/rpc-server.ts"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import { mkdtempSync } from "node:fs"
import { join } from "node:path"
import type { Surroundings } from "@lockstep/property-tests/fuzz/target.ts"
import { feed } from "./fed-chain.ts"

/** A node in this process: the real engine behind the real servers, on regtest. */
export interface RunningNode {
  readonly chain: Chain["Service"]
  readonly calls: Calls
  readonly home: { readonly hash: Uint8Array; readonly height: number }
  readonly rpc: HostPort
  readonly rest: HostPort
  /** Errors that were logged since this was last asked. */
  readonly complaints: () => ReadonlyArray<string>
  /** With the node's log. */
  readonly run: <A>(effect: Effect.Effect<A, unknown>) => Promise<A>
  readonly stop: () => Promise<void>
}

/** The token of an ordinary user; no caller here has that of an administrator. */
export const USER_TOKEN = "ordinary-token"

const SETTINGS = [
  "storage.indexing.txindex=true",
  "storage.indexing.blockfilterindex=true",
  "storage.indexing.enable_address_index=true",
  "storage.indexing.enable_value_index=true",
  `rpc_auth.tokens=${USER_TOKEN}`,
  "rpc_auth.admin_tokens=never-sent"
]

const ANY_PORT: HostPort = { host: "127.0.0.1", port: 0 }

/** No limits on how often one may ask: a fuzzer asks often. */
const unlimited = ({ rates, ...limits }: NodeConfig["rpc"]["limits"]): NodeConfig["rpc"]["limits"] => ({
  ...limits,
  rates: { ...rates, address: { burst: 0, rate: 0 }, user: { burst: 0, rate: 0 }, connections: 0, failures: 0 }
})

const configIn = (directory: string) =>
  loadConfig({
    options: [],
    assignments: [`storage.data_dir=${directory}`, ...SETTINGS],
    file: undefined,
    environment: {},
    machine: { home: directory, directory, processors: 2 }
  }).pipe(
    Effect.map(({ config: { rpc, ...config } }): NodeConfig => ({
      ...config,
      storage: { ...config.storage, coinStatisticsIndex: true, minimumFreeMegabytes: 0 },
      rpc: { ...rpc, bind: ANY_PORT, limits: unlimited(rpc.limits) }
    }))
  )

/** No call makes more blocks than that at once: each takes its time, as it should. */
const MOST_BLOCKS = 3

const bounded = (chain: Chain["Service"]): Chain["Service"] => ({
  ...chain,
  call: (name, input) =>
    name === "generate"
      ? chain.call(
        name,
        {
          ...(input as object),
          blocks: Math.min(MOST_BLOCKS, (input as { blocks: number }).blocks),
          maxTries: 100
        } as never
      )
      : chain.call(name, input)
})

const started = ({ scratch }: Surroundings, complain: (line: string) => void) =>
  Effect.gen(function*() {
    const directory = mkdtempSync(join(scratch, "node-"))
    const config = yield* configIn(directory)
    const chain = yield* startChain(engineOptionsOf(config))
    yield* chain.ready
    yield* feed(chain)
    const logger = Logger.make(({ cause, logLevel, message }) => {
      if (logLevel === "Error" || logLevel === "Fatal") complain(`${String(message)} ${Cause.pretty(cause)}`)
    })
    const around = Layer.mergeAll(
      Shutdown.layer,
      StartupStage.layer,
      EventBus.layer,
      Layer.succeed(Chain, bounded(chain)),
      Logger.layer([logger])
    )
    const watching = Layer.provideMerge(healthLayer(config), metricsLayer(config, "0.0.0"))
    const rpc = rpcServerLayer(config).pipe(Layer.provideMerge(watching), Layer.provideMerge(around))
    const context = yield* Layer.build(restServerLayer(ANY_PORT, 16).pipe(Layer.provideMerge(rpc)))
    yield* Context.get(context, StartupStage).set(undefined)
    yield* Context.get(context, Health).check("startup")
    const { address, requests } = Context.get(context, RpcServer)
    const methods = new Map([...requests.target.methods].filter(([name]) => name !== "stop"))
    const { hash, height } = chain.state()!
    return {
      chain,
      calls: { ...requests.target, methods },
      home: { hash, height },
      rpc: address,
      rest: Context.get(context, RestServer).address,
      logger
    }
  })

/** Starts a node that runs as long as this thread does. */
export const startNode = async (surroundings: Surroundings): Promise<RunningNode> => {
  let received: Array<string> = []
  const scope = Scope.makeUnsafe()
  const { logger, ...node } = await Effect.runPromise(
    Scope.provide(started(surroundings, (line) => received.push(line)), scope)
  )
  return {
    ...node,
    complaints: () => {
      const lines = received
      received = []
      return lines
    },
    run: (effect) => Effect.runPromise(Effect.provide(effect, Logger.layer([logger]))),
    stop: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

let running: Promise<RunningNode> | undefined

/** Starts the node of this thread, unless it runs; answers how to stop it. */
export const prepareNode = async (surroundings: Surroundings): Promise<() => Promise<void>> => {
  running ??= startNode(surroundings)
  const { stop } = await running
  return async () => {
    running = undefined
    await stop()
  }
}

/** The node of this thread, which was prepared. */
export const nodeOfThisThread = (): Promise<RunningNode> => {
  if (running === undefined) throw new Error("the target was not prepared")
  return running
}
