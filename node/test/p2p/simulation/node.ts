import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import { ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import { DEFAULT_LIMITS } from "@lockstep/protocol/wire/limits.ts"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import * as Scope from "effect/Scope"
import { singleNotifications } from "../../../src/engine/api/single-notifications.ts"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import type { OwnCall } from "../../../src/engine/api/engine-calls.ts"
import type { P2pCallName } from "../../../src/p2p/chain/make-p2p-chain.ts"
import { type RunningEngine, startEngine } from "../../../src/engine/host/engine.ts"
import { EXTENSIONS } from "../../../src/engine-worker/extensions.ts"
import { spaceFault } from "../../../src/engine/state/engine-status.ts"
import { engineParts } from "../../../src/engine/host/open-engine.ts"
import { inThreadPool } from "../../../src/engine/script-pool/in-thread.ts"
import { engineFigures } from "../../../src/metrics/engine-figures.ts"
import { addressBook } from "../../../src/p2p/addresses/address-book.ts"
import { assembleP2p, type P2p } from "../../../src/p2p/layer/assemble.ts"
import type { P2pChain } from "../../../src/p2p/chain/p2p-chain.ts"
import { slotsOf } from "../../../src/p2p/connections/slots.ts"
import { resolveNothing } from "../../../src/p2p/connections/system-resolve.ts"
import type { EventPayload } from "../../../src/events/event-types.ts"
import type { SavedNetwork } from "../../../src/p2p/saved/saved-network.ts"
import type { Endpoint } from "../../../src/net/endpoint.ts"
import { makeMemoryStore } from "../../../src/storage/key-value/memory-store.ts"
import { DEFAULT_MEMPOOL_SETTINGS } from "../../../src/engine/options/settings.ts"
import { regtestOptions, testCrypto } from "../../engine/test-engine.ts"
import { p2pChainOn } from "../chain/test-p2p-chain.ts"
import { atRest } from "./at-rest.ts"
import { type FiberCount, fiberCount } from "./fiber-count.ts"
import { memoryDisk } from "./memory-disk.ts"
import { nodePlace, type World } from "./world.ts"
import { secondsOf, type UnixSeconds } from "../../../src/quantities.ts"

/** A node that is up. */
export interface Running {
  readonly engine: RunningEngine<OwnCall | P2pCallName>
  readonly chain: P2pChain
  readonly p2p: P2p
  readonly since: number
}

/** One of our own nodes: the real engine and the whole network layer, in this thread. */
export interface SimulatedNode {
  readonly name: string
  readonly at: Endpoint
  readonly fibers: FiberCount
  /** None while it is down. */
  readonly running: () => Running | undefined
  readonly start: () => Promise<void>
  /** Ends without warning; what was not on disk is lost. */
  readonly crash: () => Promise<void>
  /** Ends as an operator ends it. */
  readonly stop: () => Promise<void>
  /** Whether its disk is almost full. */
  readonly setLow: (isLow: boolean) => void
  /** Whether it takes nothing in because of that. */
  readonly isLow: () => boolean
  /** Why it let go of the last connection with this name. */
  readonly reasonFor: (peer: string) => string | undefined
  readonly run: <A, E>(effect: Effect.Effect<A, E>) => Promise<A>
}

/** Ends of connections whose reasons are remembered. */
const REASONS = 500
const MEBIBYTE = 1_048_576

export const BLOCKS_PER_PEER = 32

/** Figures are measured with the machine's own clocks, which a simulation has none of. */
const PARTS = EXTENSIONS.filter((extension) => extension !== engineFigures)

export const simulatedNode = (world: World, index: number, known: ReadonlyArray<Endpoint>): SimulatedNode => {
  const { network, plan, time: { clock, effectClock }, trace } = world
  const name = `node ${index}`
  const at = nodePlace(index)
  const directory = `/simulated/${index}`
  const environment = { now: clock.now, random: world.chanceFor(name) }
  const store = makeMemoryStore()
  const { cutPower, disk, setLow } = memoryDisk()
  const fibers = fiberCount((defect) => world.fault(`${name}: a defect at the top of a fiber: ${defect}`))
  const regtest = { ...REGTEST, minimumChainWork: world.ledger.base.at(-10)!.node.chainWork }
  let running: Running | undefined
  let scopes: { readonly chain: Scope.Closeable; readonly network: Scope.Closeable } | undefined
  let saved: SavedNetwork | undefined
  const seconds = (): UnixSeconds => secondsOf(clock.now())
  const notify = (text: string): void => trace.line(`${name}: ${text}`)

  const reasons = new Map<string, string>()
  const noteReason = ({ peer, reason }: EventPayload<"PeerDisconnected">): void => {
    reasons.delete(peer)
    reasons.set(peer, reason)
    if (reasons.size > REASONS) reasons.delete(reasons.keys().next().value!)
  }

  const run = <A, E>(effect: Effect.Effect<A, E>): Promise<A> =>
    Effect.runPromise(effect.pipe(
      Effect.provideService(Clock.Clock, effectClock),
      Effect.provideService(Metric.FiberRuntimeMetrics, fibers.metrics)
    ))

  const received = (news: EngineNotification): void => {
    if (news._tag === "Log" && news.level === "error") {
      world.fault(`${name}: ${news.message} ${JSON.stringify(news.fields)}`)
    }
    if (news._tag === "Fatal") world.fault(`${name}: ${news.message}`)
    if (news._tag === "Event") notify(news.event.type)
  }

  const startOn = (news: (news: EngineNotification) => void) =>
    Effect.gen(function*() {
      const parts = yield* engineParts({
        ...regtestOptions(directory),
        // Anyone can spend what its transactions make, which is not standard.
        mempool: {
          ...DEFAULT_MEMPOOL_SETTINGS,
          policy: { ...DEFAULT_MEMPOOL_SETTINGS.policy, requireStandard: false }
        },
        coinStatisticsIndex: plan.hasIndex,
        backend: "memory",
        minimumFreeBytes: MEBIBYTE
      }, {
        disk,
        store: { ...store, close: Effect.void },
        crypto: testCrypto,
        pool: inThreadPool(testCrypto),
        notify: (item) => {
          for (const each of singleNotifications(item)) received(each)
          news(item)
        }
      })
      return yield* startEngine({ ...parts, network: regtest, clock: { ...parts.clock, now: seconds } }, PARTS)
    })

  const firstBook = (): SavedNetwork => {
    const book = addressBook(environment)
    const seen = seconds() - 3_600
    const services = ServiceFlag.NETWORK | ServiceFlag.WITNESS
    for (const place of known) if (place !== at) book.add([{ ...place, services, time: seen }], place.address)
    return { book, bans: [], anchors: [] }
  }

  const startChain = Effect.gen(function*() {
    const { chain, defects, engine } = yield* p2pChainOn(directory, startOn, disk)
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        for (const defect of defects) world.fault(`${name}: a listener of the chain threw ${String(defect)}`)
      })
    )
    chain.listen({
      tip: ({ height }, fork) => notify(`tip ${height}, from ${fork.height}`),
      judged: ({ height }, rejection) =>
        rejection === undefined ? undefined : notify(`refused block ${height}: ${rejection.reason}`)
    })
    return { chain, engine }
  })

  const startNetwork = (chain: P2pChain) =>
    assembleP2p({
      network: regtest,
      crypto: testCrypto,
      limits: DEFAULT_LIMITS,
      environment,
      chain,
      notify: {
        event: (type, payload) => {
          notify(`${type} ${JSON.stringify(payload)}`)
          if (type === "PeerDisconnected") noteReason(payload as EventPayload<"PeerDisconnected">)
        },
        log: (level, message, fields = {}) => {
          notify(`${level}: ${message} ${JSON.stringify(fields)}`)
          // That it cannot go on for a while is said and no fault: it must have recovered in the end.
          if (level === "error" && !message.startsWith("sync: ")) {
            world.fault(`${name}: ${message} ${JSON.stringify(fields)}`)
          }
        }
      },
      transport: network.transport(at.address),
      reachable: new Set(["ipv4", "ipv6"]),
      resolve: resolveNothing,
      seeding: { names: [], built: [] },
      slots: slotsOf(plan.connections, undefined),
      persistent: [],
      saved: saved ?? firstBook(),
      download: {
        blocksPerRequest: 16,
        blocksPerPeer: BLOCKS_PER_PEER,
        fromOnePeer: plan.fromOnePeer,
        downloadTimeout: 30_000,
        headersTimeout: 30_000,
        headersFailures: 10
      },
      userAgent: `/Lockstep:${index}/`,
      wantsTransactions: true,
      minRelayFee: 100n,
      uploadTarget: 0,
      listen: at,
      mustListen: true,
      advertised: () => at,
      ownAddresses: () => [{ ...at, score: 1 }],
      reach: () => [],
      messagesHaveSubscribers: () => true
    })

  /** Nothing of that waits for time to pass. */
  const atOnce = async <A, E>(what: string, effect: Effect.Effect<A, E>): Promise<A> => {
    let exit: Exit.Exit<A, E> | undefined
    void run(Effect.exit(effect)).then((end) => {
      exit = end
    })
    await atRest()
    if (exit === undefined) throw new Error(`${name} does not ${what} unless time passes`)
    if (Exit.isFailure(exit)) throw new Error(`${name} does not ${what}: ${Cause.pretty(exit.cause)}`)
    return exit.value
  }

  return {
    name,
    at,
    fibers,
    run,
    setLow,
    reasonFor: (peer) => reasons.get(peer),
    isLow: () => running !== undefined && spaceFault(running.engine.chain) !== undefined,
    running: () => running,
    start: async () => {
      scopes = { chain: Scope.makeUnsafe(), network: Scope.makeUnsafe() }
      const { chain, engine } = await atOnce("start", Scope.provide(startChain, scopes.chain))
      const p2p = await atOnce("start", Scope.provide(startNetwork(chain), scopes.network))
      running = { engine, chain, p2p, since: clock.now() }
      notify(`is up at ${chain.tree.tip.height}`)
    },
    crash: async () => {
      notify("crashes")
      running = undefined
      network.drop(at.address)
      cutPower()
      await atOnce("end", Scope.close(scopes!.network, Exit.void))
      await atOnce("end", Scope.close(scopes!.chain, Exit.void))
      // Addresses are kept every quarter of an hour: those of the start are as good as any.
      saved = undefined
    },
    stop: async () => {
      notify("stops")
      const { engine, p2p } = running!
      saved = {
        book: p2p.service.book,
        bans: p2p.reputation.bans.list(seconds()),
        anchors: p2p.connections.anchors()
      }
      running = undefined
      await atOnce("stop", Scope.close(scopes!.network, Exit.void))
      await atOnce("stop", Effect.ignore(engine.call("close", undefined)))
      await atOnce("stop", Scope.close(scopes!.chain, Exit.void))
    }
  }
}
