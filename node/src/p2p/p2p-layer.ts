import { nativeHashes } from "@lockstep/crypto/hash/native-hashes.ts"
import { nobleCrypto } from "@lockstep/kernel/noble"
import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { NETWORKS } from "@lockstep/protocol/networks/table.ts"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { Chain, type EngineFailure } from "../engine-client/chain.ts"
import { version } from "../version.ts"
import type { HostPort, NodeConfig, PeersConfig } from "../config/config.ts"
import { printHostPort } from "../config/host-port.ts"
import type { EngineFault } from "../engine/api/engine-error.ts"
import { EventBus } from "../events/event-bus.ts"
import { acquireRelease } from "../finalizers/finalizers.ts"
import { blockReader } from "../storage/block-files/block-reader.ts"
import { layoutOf } from "../storage/data-directory/layout.ts"
import { nodeDisk } from "../storage/disk/node-disk.ts"
import { fixedSeeds } from "./addresses/fixed-seeds.ts"
import { ownAddresses } from "./addresses/own-address.ts"
import { assembleP2p, type P2p } from "./assemble.ts"
import { makeP2pChain } from "./chain/make-p2p-chain.ts"
import { slotsOf, withoutOwn } from "./connections/slots.ts"
import { parseSubnet, subnetHolds } from "../net/subnet.ts"
import { resolveNothing, systemResolve } from "./connections/system-resolve.ts"
import { endpointText, parseAddress } from "../net/endpoint-text.ts"
import type { Environment } from "./environment.ts"
import type { OwnAddress } from "./network.ts"
import { nodeClock } from "./node-clock.ts"
import type { P2pNotifications } from "./p2p-notifications.ts"
import { RunningNetwork } from "./running-network.ts"
import { type Keep, savedFiles } from "./saved/saved-network.ts"
import { syncSettings } from "./sync/sync-settings.ts"
import { systemEnvironment } from "./system-environment.ts"
import { socks5Transport } from "./transport/socks5/socks5-transport.ts"
import { tcpTransport } from "./transport/tcp/tcp-transport.ts"
import { chosenTransport, reachableKinds, type Ways } from "./transport/transport-choice.ts"
import { ListenError, type Transport } from "./transport/transport.ts"
import type { Endpoint } from "../net/endpoint.ts"

/** How often what is known of other nodes is written down. */
const SAVE_INTERVAL = Duration.minutes(15)

/** How soon a change of the ban list is. */
const BAN_SAVE_INTERVAL = Duration.seconds(5)

const LEVELS = {
  debug: Effect.logDebug,
  info: Effect.logInfo,
  warn: Effect.logWarning,
  error: Effect.logError
} as const

const tellOf = Effect.fnUntraced(function*(): Effect.fn.Return<P2pNotifications, never, EventBus> {
  const bus = yield* EventBus
  const services = yield* Effect.context<EventBus>()
  const run = Effect.runForkWith(services)
  return {
    event: (type, payload) => {
      if (bus.isHeard(type)) run(bus.publish(type, payload))
    },
    log: (level, message, fields = {}) =>
      void run(Effect.annotateLogs(LEVELS[level](message), { ...fields, category: "net" }))
  }
})

const endpointOf = ({ host, port }: HostPort, key = "listen_addr"): Effect.Effect<Endpoint, ListenError> => {
  const address = parseAddress(host === "localhost" ? "127.0.0.1" : host)
  return address === undefined
    ? Effect.fail(new ListenError({ message: `${key}: ${host} is a name; give an address, such as 127.0.0.1` }))
    : Effect.succeed({ address, port })
}

const proxyOf = (proxy: HostPort, isIsolated: boolean): Effect.Effect<Transport, ListenError> =>
  Effect.map(
    endpointOf(proxy, "proxy"),
    (endpoint) => socks5Transport({ proxy: endpoint, isolation: isIsolated ? systemEnvironment.random : undefined })
  )

const waysOf = Effect.fnUntraced(
  function*({ isolateStreams, onionProxy, proxy }: PeersConfig): Effect.fn.Return<Ways, ListenError> {
    return {
      direct: tcpTransport,
      proxy: proxy === undefined ? undefined : yield* proxyOf(proxy, isolateStreams),
      onion: onionProxy === undefined ? undefined : yield* proxyOf(onionProxy, isolateStreams)
    }
  }
)

/** The proxy that addresses of a kind are reached through, as people write it; empty: none. */
const proxyFor = (name: string, { onionProxy, proxy }: PeersConfig): string => {
  const through = name === "onion" ? onionProxy ?? proxy : name === "ipv4" || name === "ipv6" ? proxy : undefined
  return through === undefined ? "" : printHostPort(through)
}

/** Whether an address is in one of these subnets. */
const trusting = (texts: ReadonlyArray<string>): (address: NetworkAddress) => boolean => {
  const subnets = texts.flatMap((text) => parseSubnet(text) ?? [])
  return (address) => subnets.some((subnet) => subnetHolds(subnet, address))
}

/** Connects the node to others until the scope ends; then what is known of them is kept for the next start. */
export const startP2p = Effect.fn("p2p.start")(function*(
  config: NodeConfig
): Effect.fn.Return<P2p, ListenError | EngineFault | EngineFailure, Chain | EventBus | RunningNetwork | Scope.Scope> {
  const [chain, bus, running] = [yield* Chain, yield* EventBus, yield* RunningNetwork]
  const { peers } = config
  const network = NETWORKS[config.network]
  const crypto = { ...nobleCrypto, ...nativeHashes().hashes }
  const tell = yield* tellOf()
  const { blocks: directory } = layoutOf(config.dataDirectory)
  const { referenceBlocks } = config.storage
  const reader = yield* blockReader({
    disk: nodeDisk("block-files"),
    directory,
    referenceBlocks,
    magic: network.magic,
    crypto
  })
  const onDefect = (defect: unknown): void =>
    tell.log("error", "a defect in the network layer", { defect: String(defect) })
  const p2pChain = yield* makeP2pChain({ chain, reader, crypto, onDefect })
  const now = nodeClock({ chain: p2pChain, environment: systemEnvironment })
  const environment: Environment = { ...systemEnvironment, now, machine: systemEnvironment.now }
  const files = savedFiles(config.dataDirectory, environment, tell)
  const saved = yield* files.load
  const ways = yield* waysOf(config.peers)
  const reachable = reachableKinds(ways, peers.onlyNetworks)
  const shownIn = peers.onlyNetworks.length === 0 ? undefined : reachable
  const slots = slotsOf(peers.maximum, peers.target)
  const seenAt = (): ReadonlyArray<OwnAddress> => {
    const service = running.current()
    return service === undefined ? [] : ownAddresses(service.peers.values(), service.listening, shownIn)
  }
  const p2p = yield* assembleP2p({
    network,
    crypto,
    limits: config.protocolLimits,
    environment,
    chain: p2pChain,
    tell,
    transport: chosenTransport(ways),
    reachable,
    resolve: peers.proxy === undefined ? systemResolve : resolveNothing,
    namesToProxy: peers.proxy !== undefined,
    seeding: { names: peers.dnsSeeds ? network.dnsSeeds : [], built: peers.fixedSeeds ? fixedSeeds(network) : [] },
    slots: peers.isOnlyPersistent ? withoutOwn(slots) : slots,
    persistent: [...peers.persistent, ...config.download.peers],
    saved,
    keepBans: files.saveBans,
    download: syncSettings(config.download),
    userAgent: `/Lockstep:${version()}/`,
    wantsTransactions: !peers.isBlocksOnly,
    uploadTarget: peers.uploadTarget,
    trusts: trusting(peers.trusted),
    listen: peers.isListening ? yield* endpointOf(peers.listen) : undefined,
    alsoListen: yield* Effect.forEach(peers.moreListen, (place) => endpointOf(place, "more_listen_addrs")),
    mustListen: peers.isListenGiven || peers.moreListen.length > 0,
    own: () => peers.isAdvertised ? seenAt()[0] : undefined,
    ownAddresses: seenAt,
    reach: (["ipv4", "ipv6", "onion", "i2p", "cjdns"] as const).map((name) => ({
      name,
      isReachable: reachable.has(name),
      proxy: proxyFor(name, peers),
      isIsolated: peers.isolateStreams && proxyFor(name, peers) !== ""
    })),
    hearsMessages: () => bus.isHeard("MessageReceived") || bus.isHeard("MessageSent")
  })
  const keep: Keep = { book: saved.book, bans: p2p.reputation.bans, anchors: p2p.connections.anchors }
  yield* Effect.forkScoped(Effect.repeat(files.save(keep), Schedule.spaced(SAVE_INTERVAL)))
  yield* Effect.forkScoped(Effect.repeat(files.saveBans(keep.bans), Schedule.spaced(BAN_SAVE_INTERVAL)))
  yield* acquireRelease(running.set(p2p.service), () => Effect.andThen(running.set(undefined), files.saveAll(keep)))
  for (const place of p2p.service.listening) {
    yield* Effect.logInfo("other nodes may connect").pipe(
      Effect.annotateLogs({ category: "net", address: endpointText(place) })
    )
  }
  return p2p
})
