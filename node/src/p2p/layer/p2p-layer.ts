import { nativeHashes } from "@lockstep/crypto/hash/native-hashes.ts"
import { fastestTransportCrypto } from "@lockstep/crypto/transport/transport-crypto.ts"
import { nobleCrypto } from "@lockstep/kernel/noble"
import { networkWith } from "@lockstep/protocol/networks/changed-network.ts"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { join } from "node:path"
import type * as Scope from "effect/Scope"
import type { NodeConfig } from "../../config/config.ts"
import { Chain, type EngineFailure } from "../../engine-client/chain.ts"
import type { EngineFault } from "../../engine/api/engine-error.ts"
import { makeScheduler, type Scheduler } from "../../engine/options/scheduler.ts"
import { EventBus } from "../../events/event-bus.ts"
import { acquireRelease } from "../../finalizers/finalizers.ts"
import type { NetGroups } from "../../net/net-groups.ts"
import { type AsmapError, loadAsmap } from "../../net/load-asmap.ts"
import { asmapHealth } from "../../net/asmap-health.ts"
import type { StartHappening } from "../../runtime/start-happening.ts"
import { endpointText } from "../../net/endpoint-text.ts"
import { Trace } from "../../runtime/trace.ts"
import { nodeBlockReader } from "../../storage/block-files/node-block-reader.ts"
import type { UdpBook } from "../addresses/udp/udp-book.ts"
import { assembleP2p, type P2p } from "./assemble.ts"
import type { P2pChain } from "../chain/p2p-chain.ts"
import { makeP2pChain } from "../chain/make-p2p-chain.ts"
import { optionsOf } from "./configured-options.ts"
import type { Environment } from "../basics/environment.ts"
import { forkHiddenServices } from "./hidden-services.ts"
import { nodeClock } from "../peer/node-clock.ts"
import type { P2pNotifications } from "../basics/p2p-notifications.ts"
import { captureMessages, type CaptureMessage } from "../peer/message-capture.ts"
import { RunningNetwork } from "./running-network.ts"
import { type AddressFileError, coreNetworkFiles } from "../saved/core-network-files.ts"
import { keptUdpBook, UDP_NODES } from "../saved/udp-nodes-file.ts"
import { type Keep, savedFiles, type SavedPlaces } from "../saved/saved-network.ts"
import { seededRandom } from "../basics/seeded-random.ts"
import { systemEnvironment } from "../basics/system-environment.ts"
import type { QuicError } from "../../quic/quic-key.ts"
import type { IrohError } from "../transport/iroh/start-iroh.ts"
import type { ListenError } from "../transport/transport.ts"

/** Interval at which the records of other nodes are saved. */
const SAVE_INTERVAL = Duration.minutes(15)

/** Bitcoin Core's names for the threads of its network layer. Each of these tasks runs from here on. */
const THREADS = ["net", "addcon", "opencon", "msghand"]

/** Interval at which the asmap is checked against the known addresses. */
const ASMAP_HEALTH_INTERVAL = Duration.hours(24)

/** Interval at which a change of the ban list is saved. */
const BAN_SAVE_INTERVAL = Duration.seconds(5)

const LEVELS = {
  debug: Effect.logDebug,
  info: Effect.logInfo,
  warn: Effect.logWarning,
  error: Effect.logError
} as const

/** Sends events to the bus, and lines to the log. */
const makeNotifications: Effect.Effect<P2pNotifications, never, EventBus> = Effect.gen(function*() {
  const bus = yield* EventBus
  const services = yield* Effect.context<EventBus>()
  const run = Effect.runForkWith(services)
  const trace = yield* Effect.serviceOption(Trace)
  return {
    trace: Option.isNone(trace) ? undefined : trace.value.notify,
    event: (type, payload) => {
      if (bus.hasSubscribers(type)) run(bus.publish(type, payload))
    },
    log: (level, message, fields = {}) =>
      void run(Effect.annotateLogs(LEVELS[level](message), { ...fields, category: "net" }))
  }
})

/** Key and randomness of a deterministic addrman for tests, as in Core. */
const deterministicAddrman = () => ({
  key: Uint8Array.of(1, ...new Uint8Array(31)),
  random: seededRandom(1)
})

/** Returns the files with records of other nodes. */
const savedPlaces = (
  { dataDirectory: directory, peers, standIn }: NodeConfig,
  magic: Uint8Array,
  groups: NetGroups,
  notify: P2pNotifications
): SavedPlaces => ({
  directory,
  groups,
  choosesPeers: !peers.isOnlyPersistent,
  core: standIn === undefined ? undefined : coreNetworkFiles({ directory, groups, magic }, notify),
  addrman: standIn?.network.isAddrmanDeterministic === true ? deterministicAddrman() : undefined,
  checkRatio: standIn?.network.addrmanCheckRatio
})

/** Captures all messages in files, if that is configured. */
const captureOf = (
  { standIn }: NodeConfig,
  chain: P2pChain,
  notify: P2pNotifications,
  clock: Clock.Clock
): CaptureMessage | undefined =>
  standIn?.captureDirectory === undefined ? undefined : captureMessages({
    directory: standIn.captureDirectory,
    now: () => {
      const { mockTime } = chain.state()
      return mockTime === 0 ? clock.currentTimeNanosUnsafe() / 1_000n : BigInt(mockTime) * 1_000_000n
    },
    failed: (reason) => notify.log("error", `messages are not captured any more: ${reason}`)
  })

/** Loads the known nodes over QUIC and Iroh; `undefined` if the node has neither transport. */
const udpBookOf = (
  { dataDirectory, peers }: NodeConfig,
  environment: Environment,
  scheduler: Scheduler,
  notify: P2pNotifications
): Effect.Effect<UdpBook | undefined, never, Scope.Scope> =>
  peers.quic === undefined && peers.iroh === undefined
    ? Effect.succeed(undefined)
    : keptUdpBook(join(dataDirectory, UDP_NODES), environment, scheduler, notify)

/** Errors that prevent the network layer from starting. */
export type P2pError = AddressFileError | AsmapError | IrohError | ListenError | QuicError | EngineFault | EngineFailure

/** Runs the network layer until the scope ends. Then the records of other nodes are saved for the next start. */
const startP2p = Effect.fn("p2p.start")(function*(
  config: NodeConfig
): Effect.fn.Return<P2p, P2pError, Chain | EventBus | RunningNetwork | Scope.Scope> {
  const [chain, bus, running] = [yield* Chain, yield* EventBus, yield* RunningNetwork]
  const network = networkWith(config.network, config.standIn?.changes)
  const crypto = { ...nobleCrypto, ...nativeHashes().hashes }
  const notify = yield* makeNotifications
  const reader = yield* nodeBlockReader(config, network, crypto)
  const onDefect = (defect: unknown): void =>
    notify.log("error", "a defect in the network layer", { defect: String(defect) })
  const machine = yield* systemEnvironment
  const p2pChain = yield* makeP2pChain({
    chain,
    filters: config.storage.blockFilterIndex ? chain.call : undefined,
    reader,
    crypto,
    random: machine.random,
    onDefect
  })
  const scheduler = yield* makeScheduler
  const environment: Environment = {
    ...machine,
    now: nodeClock({ chain: p2pChain, environment: machine }),
    machine: machine.now,
    scheduler
  }
  const groups = yield* loadAsmap(config.peers.asmap)
  const files = savedFiles(savedPlaces(config, network.magic, groups, notify), environment, notify)
  const say = (happening: StartHappening): void => notify.trace?.(happening)
  if (groups.version === undefined) say({ _tag: "BucketedByPrefix" })
  say({ _tag: "StageBegun", stage: "addresses" })
  const saved = yield* files.load
  const { i2p, learned, ownUdp: own, ...options } = yield* optionsOf(config, environment.random, notify.trace)
  const book = yield* udpBookOf(config, environment, scheduler, notify)
  const udp = book === undefined ? undefined : { book, isAutomatic: config.peers.choosesUdpPeers, own }
  const p2p = yield* assembleP2p({
    ...options,
    network,
    crypto,
    groups,
    transportCrypto: config.peers.isV2 ? fastestTransportCrypto() : undefined,
    environment,
    chain: p2pChain,
    notify,
    saved,
    udp,
    keepBans: files.saveBans,
    capture: captureOf(config, p2pChain, notify, yield* Clock.Clock),
    messagesHaveSubscribers: () => bus.hasSubscribers("MessageReceived") || bus.hasSubscribers("MessageSent")
  })
  say({ _tag: "StageBegun", stage: "network" })
  for (const name of THREADS) say({ _tag: "NetworkThread", name, isRunning: true })
  if (groups.version !== undefined) {
    const health = Effect.sync(() =>
      say({ _tag: "AsmapChecked", ...asmapHealth(groups, saved.book.table.list.map(({ address }) => address)) })
    )
    yield* Effect.forkScoped(Effect.andThen(health, scheduler.every(ASMAP_HEALTH_INTERVAL, health)))
  }
  const keep: Keep = { book: saved.book, bans: p2p.reputation.bans, anchors: p2p.connections.anchors }
  yield* Effect.forkScoped(Effect.andThen(files.save(keep), scheduler.every(SAVE_INTERVAL, files.save(keep))))
  yield* Effect.forkScoped(scheduler.every(BAN_SAVE_INTERVAL, files.saveBans(keep.bans)))
  const stopped = Effect.sync(() => THREADS.forEach((name) => say({ _tag: "NetworkThread", name, isRunning: false })))
  yield* acquireRelease(
    running.set(p2p.service),
    () => Effect.andThen(running.set(undefined), Effect.andThen(files.saveAll(keep), stopped))
  )
  yield* forkHiddenServices({ config, i2p, learned, network, notify, p2p, random: environment.random })
  for (const place of [...p2p.service.onionListening, ...p2p.service.listening]) {
    yield* Effect.logInfo("other nodes may connect").pipe(
      Effect.annotateLogs({ category: "net", address: endpointText(place) })
    )
  }
  for (const { score, ...place } of p2p.service.ownAddresses()) {
    say({ _tag: "OwnAddressAdded", address: endpointText(place), score })
  }
  return p2p
})

/** The network layer of a node. */
export class PeerToPeer extends Context.Service<PeerToPeer, P2p>()("@node/p2p/PeerToPeer") {}

/** Runs the network layer as long as this layer lives, and publishes it to the servers, which start earlier. */
export const p2pLayer = (
  config: NodeConfig
): Layer.Layer<PeerToPeer, P2pError, Chain | EventBus | RunningNetwork> => Layer.effect(PeerToPeer, startP2p(config))
