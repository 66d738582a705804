import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import * as References from "effect/References"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { connect, createServer, type Socket } from "node:net"
import { join } from "node:path"
import { coreTexts } from "../bitcoind/core-texts.ts"
import type { NodeConfig, PeersConfig, StandIn } from "../../src/config/config.ts"
import { loadConfig } from "../../src/config/load-config.ts"
import { Chain } from "../../src/engine-client/chain.ts"
import type { EngineNotification } from "../../src/engine/api/engine-notification.ts"
import { pool } from "../../src/engine/mempool/mempool-extension.ts"
import { chainState } from "../../src/engine/chainstate/push-state.ts"
import { EventBus } from "../../src/events/event-bus.ts"
import { parseEndpoint } from "../../src/net/endpoint-text.ts"
import { parseSubnet } from "../../src/net/subnet.ts"
import { p2pLayer } from "../../src/p2p/layer/p2p-layer.ts"
import { RunningNetwork } from "../../src/p2p/layer/running-network.ts"
import { unixSeconds } from "../../src/quantities.ts"
import { type TraceEvent, Trace } from "../../src/runtime/trace.ts"
import { inPlace, option } from "../config/loading.ts"
import { testEngine } from "../engine/test-engine.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { fiberCount } from "./simulation/fiber-count.ts"

interface Changes {
  readonly peers?: Partial<PeersConfig>
  readonly isDeterministic?: boolean
}

/** A configuration of a node on regtest that dials no peer, and listens at a port that the system chooses. */
const configured = Effect.fnUntraced(function*(directory: string, { isDeterministic = false, peers }: Changes) {
  const regtest = [option("network", "network", "regtest")]
  const { config } = yield* inPlace((place) => loadConfig(place.request({ options: regtest })))
  const standIn = {
    blocksDirectory: join(directory, "blocks"),
    storeDirectory: directory,
    changes: {},
    grants: [],
    externalAddresses: [parseEndpoint("8.8.8.8:9", 0)!],
    userAgent: "/Satoshi:1/",
    banSeconds: 77,
    isNetworkActive: true,
    peerTimeoutSeconds: 9,
    network: {
      hasCjdns: false,
      onlyNetworks: [],
      isAddrmanDeterministic: true,
      addrmanCheckRatio: 0,
      seedNodes: [],
      connectTimeout: 1_000,
      looksUpNames: false,
      asksSeeds: false,
      forcesSeeds: false
    }
  } as unknown as StandIn
  return {
    ...config,
    dataDirectory: directory,
    ...isDeterministic ? { standIn } : {},
    peers: {
      ...config.peers,
      isOnlyPersistent: true,
      isListening: true,
      isListenGiven: true,
      listen: { host: "127.0.0.1", port: 0 },
      moreListen: [],
      quic: undefined,
      ...peers
    }
  } satisfies NodeConfig
})

const listeners = new Set<(news: EngineNotification) => void>()

/** An engine in this thread, as the network layer has it. */
const startChain = Effect.gen(function*() {
  const engine = yield* testEngine({
    directory: yield* temporaryDirectory,
    extensions: [pool],
    news: (news) => {
      for (const listener of listeners) listener(news)
    }
  })
  return Chain.of({
    ready: Effect.void,
    call: engine.call as unknown as Chain["Service"]["call"],
    state: () => chainState(engine.chain),
    states: Stream.empty,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    }
  })
})

const engineScope = Scope.makeUnsafe()
let chain: Chain["Service"]
beforeAll(async () => void (chain = await Effect.runPromise(Scope.provide(startChain, engineScope))))
afterAll(() => Effect.runPromise(Scope.close(engineScope, Exit.void)))

/** The layer of a node on that engine, and what it was heard to say. */
const place = Effect.fnUntraced(function*(changes: Changes = {}) {
  const directory = yield* temporaryDirectory
  const traced: Array<TraceEvent> = []
  const lines: Array<Readonly<Record<string, unknown>>> = []
  const logger = Logger.make(({ fiber, logLevel, message }) => {
    lines.push({ logLevel, message, ...fiber.getRef(References.CurrentLogAnnotations) })
  })
  const fibers = fiberCount((defect) => lines.push({ defect }))
  const config = yield* configured(directory, changes)
  const services = yield* Layer.build(Layer.mergeAll(
    EventBus.layer,
    RunningNetwork.layer,
    Layer.succeed(Chain, chain),
    Layer.succeed(Trace, { notify: (happening) => void traced.push(happening) }),
    Logger.layer([logger])
  ))
  return {
    directory,
    fibers,
    lines,
    said: () => traced.flatMap(coreTexts),
    /** Runs with the layer in a scope of its own, and counts the fibers of both. */
    within: <A, E>(use: Effect.Effect<A, E, EventBus | RunningNetwork>) =>
      Effect.scoped(Effect.andThen(Layer.build(p2pLayer(config)), use)).pipe(
        Effect.provide(services),
        Effect.provideService(Metric.FiberRuntimeMetrics, fibers.metrics)
      ),
    running: Effect.map(Effect.provide(RunningNetwork, services), ({ current }) => current())
  }
})

const turn = Effect.promise(() => new Promise<void>((resolve) => void setImmediate(resolve)))

const THREADS = ["net", "addcon", "opencon", "msghand"]

/** Connects to a port of this machine; answers the socket, or why it is refused. */
const dial = (port: number): Effect.Effect<Socket | string> =>
  Effect.callback((resume) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => resume(Effect.succeed(socket)))
    socket.on("error", (error: NodeJS.ErrnoException) => resume(Effect.succeed(error.code ?? error.message)))
  })

const closedByOther = (socket: Socket): Effect.Effect<void> =>
  Effect.callback((resume) => {
    socket.resume()
    socket.once("close", () => resume(Effect.void))
  })

const sockets = (): number => process.getActiveResourcesInfo().filter((kind) => /^(TCP|UDP|Pipe)/.test(kind)).length

const untilRunning = <A, E>(
  use: (network: NonNullable<ReturnType<RunningNetwork["Service"]["current"]>>) => Effect.Effect<A, E>
) => Effect.flatMap(RunningNetwork, ({ current }) => use(current()!))

describe("the layer of the network", () => {
  it.live("accepts peers while its scope lasts, and leaves no socket, fiber or listener behind", () =>
    Effect.gen(function*() {
      const { directory, fibers, lines, running, within } = yield* place()
      const socketsBefore = sockets()
      const { other, at } = yield* within(untilRunning((network) =>
        Effect.gen(function*() {
          assert.lengthOf(network.listening, 1)
          assert.isAbove(listeners.size, 0)
          assert.isAbove(fibers.running(), 1)
          const { port } = network.listening[0]!
          const peer = yield* dial(port)
          if (typeof peer === "string") throw new Error(peer)
          while (network.peers.size === 0) yield* Effect.sleep("5 millis")
          return { other: peer, at: port }
        })
      ))
      yield* closedByOther(other)
      assert.strictEqual(yield* dial(at), "ECONNREFUSED")
      assert.isUndefined(yield* running)
      assert.strictEqual(listeners.size, 0)
      while (fibers.running() > 0 || sockets() > socketsBefore) yield* Effect.sleep("5 millis")
      assert.deepInclude(lines, {
        logLevel: "Info",
        message: ["other nodes may connect"],
        category: "net",
        address: `127.0.0.1:${at}`
      })
      assert.notInclude(JSON.stringify(lines), "defect")
      // A node that chooses no peers keeps no anchors.
      for (const [name, isKept] of [["peers.json", true], ["banlist.json", true], ["anchors.json", false]] as const) {
        assert.strictEqual(existsSync(join(directory, name)), isKept, name)
      }
    }).pipe(Effect.scoped))

  it.live("says what it begins and ends with, in Bitcoin Core's words and order", () =>
    Effect.gen(function*() {
      const { said, within } = yield* place({ peers: { isListening: false, isListenGiven: false } })
      const started = [
        "Using /16 prefix for IP bucketing",
        "init message: Loading P2P addresses…",
        "init message: Loading banlist…",
        "Recreating the banlist database",
        "SetNetworkActive: true",
        "init message: Starting network threads…",
        ...THREADS.map((thread) => `${thread} thread start`)
      ]
      yield* within(untilRunning(({ listening }) =>
        Effect.sync(() => {
          assert.deepStrictEqual(listening, [])
          assert.deepStrictEqual(said().filter((text) => !/^Loaded|^DNS|^Adding/.test(text)), started)
        })
      ))
      assert.deepStrictEqual(said().slice(-4), THREADS.map((thread) => `${thread} thread exit`))
    }).pipe(Effect.scoped))

  it.live("keeps Bitcoin Core's files in its stead, and addrman begins with the key of a test", () =>
    Effect.gen(function*() {
      const { directory, said, within } = yield* place({ isDeterministic: true })
      yield* within(untilRunning(() => Effect.void))
      assert.deepStrictEqual(said().filter((text) => text.startsWith("AddLocal")), ["AddLocal(8.8.8.8:9,4)"])
      const peers = readFileSync(join(directory, "peers.dat"))
      assert.deepStrictEqual([...peers.subarray(0, 4)], [0xfa, 0xbf, 0xb5, 0xda])
      assert.deepStrictEqual([...peers.subarray(6, 38)], [1, ...new Uint8Array(31)])
      assert.isFalse(existsSync(join(directory, "peers.json")))
    }).pipe(Effect.scoped))

  it.effect("keeps a ban within five seconds, and addresses at once and every 15 minutes", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(1_700_000_000_000)
      const { directory, within } = yield* place()
      const [bans, peers] = ["banlist.json", "peers.json"].map((name) => join(directory, name)) as [string, string]
      /** Waits for a file of the layer: writing takes turns of this thread, and no time of the test's clock. */
      const untilWritten = (path: string, text = "") =>
        Effect.gen(function*() {
          while (!existsSync(path) || !readFileSync(path, "utf8").includes(text)) {
            yield* turn
          }
        })
      yield* within(untilRunning(({ environment, reputation }) =>
        Effect.gen(function*() {
          const { moveForward } = environment.scheduler!
          yield* untilWritten(peers)
          yield* untilWritten(bans)
          const [created, until] = [unixSeconds(1_700_000_000), unixSeconds(1_800_000_000)]
          assert.isTrue(reputation.bans.ban({ subnet: parseSubnet("9.9.9.9")!, created, until }))
          writeFileSync(peers, "gone")
          moveForward(4_900)
          yield* turn
          assert.notInclude(readFileSync(bans, "utf8"), "9.9.9.9")
          moveForward(200)
          yield* untilWritten(bans, "9.9.9.9")
          moveForward(15 * 60 * 1_000 - 6_000)
          yield* turn
          assert.strictEqual(readFileSync(peers, "utf8"), "gone")
          moveForward(12_000)
          yield* untilWritten(peers, "{")
        })
      ))
    }).pipe(Effect.scoped))

  it.live("refuses a place that is a name or in use, and an asmap that is not there, and holds nothing then", () =>
    Effect.gen(function*() {
      const taken = createServer().listen(0, "127.0.0.1")
      yield* Effect.addFinalizer(() =>
        Effect.promise(() => new Promise((resolve) => void taken.close(() => resolve(undefined))))
      )
      yield* Effect.callback<void>((resume) => void taken.once("listening", () => resume(Effect.void)))
      const { port } = taken.address() as { readonly port: number }
      const refusals: ReadonlyArray<readonly [Partial<PeersConfig>, string, RegExp]> = [
        [{ listen: { host: "example.org", port: 1 } }, "ListenError", /^listen_addr: example\.org is a name/],
        [{ listen: { host: "127.0.0.1", port } }, "ListenError", new RegExp(`127\\.0\\.0\\.1:${port}`)],
        [{ asmap: "/nowhere/at.all" }, "AsmapError", /^Could not find asmap file "\/nowhere\/at\.all"$/]
      ]
      const socketsBefore = sockets()
      for (const [peers, tag, words] of refusals) {
        const { fibers, running, within } = yield* place({ peers })
        const error = yield* Effect.flip(within(Effect.void))
        assert.strictEqual(error._tag, tag)
        assert.match("message" in error ? error.message : "", words)
        assert.isUndefined(yield* running)
        assert.strictEqual(listeners.size, 0)
        while (fibers.running() > 0 || sockets() > socketsBefore) yield* Effect.sleep("5 millis")
      }
    }).pipe(Effect.scoped))
})
