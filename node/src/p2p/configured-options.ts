import { feePerKilobyte } from "@lockstep/kernel/relay"
import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { networkWith } from "@lockstep/protocol/networks/changed-network.ts"
import type { Network } from "@lockstep/protocol/networks/network.ts"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { join } from "node:path"
import type { AddressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import type { HostPort, NodeConfig, PeersConfig, Proxies, ProxyPlace } from "../config/config.ts"
import { isSocket, printProxyPlace, proxiesOf } from "../config/proxy-place.ts"
import type { Endpoint } from "../net/endpoint.ts"
import { parseAddress } from "../net/endpoint-text.ts"
import { parseGrant, permitting } from "../net/peer-permissions.ts"
import { parseSubnet, subnetHolds } from "../net/subnet.ts"
import { version } from "../version.ts"
import { fixedSeeds } from "./addresses/fixed-seeds.ts"
import { CHOSEN, ownAddresses } from "./addresses/own-address.ts"
import { slotsOf } from "./connections/slots.ts"
import { resolveNothing, systemResolve } from "./connections/system-resolve.ts"
import type { Random } from "./environment.ts"
import type { P2pOptions } from "./p2p-options.ts"
import { syncSettings } from "./sync/sync-settings.ts"
import type { QuicError } from "./transport/quic/quic-key.ts"
import { QUIC_KEY, startQuic } from "./transport/quic/start-quic.ts"
import { socks5Transport } from "./transport/socks5/socks5-transport.ts"
import { DIAL_TIMEOUT_MS, tcpTransportWithin, type UnixSocket } from "./transport/tcp/tcp-transport.ts"
import { chosenTransport, reachableKinds, type Ways } from "./transport/transport-choice.ts"
import { ListenError, type Transport } from "./transport/transport.ts"

const endpointOf = ({ host, port }: HostPort, key = "listen_addr"): Effect.Effect<Endpoint, ListenError> => {
  const address = parseAddress(host === "localhost" ? "127.0.0.1" : host)
  return address === undefined
    ? Effect.fail(new ListenError({ message: `${key}: ${host} is a name; give an address, such as 127.0.0.1` }))
    : Effect.succeed({ address, port })
}

const waysOf = Effect.fnUntraced(
  function*(
    config: NodeConfig,
    random: Random
  ): Effect.fn.Return<Ways, ListenError | QuicError, Scope.Scope> {
    const { dataDirectory, peers, standIn } = config
    const { isolateStreams } = peers
    const { connectTimeout = DIAL_TIMEOUT_MS, hasCjdns = false } = standIn?.network ?? {}
    const isolation = isolateStreams ? random : undefined
    const through = (place: ProxyPlace): Effect.Effect<Transport, ListenError> =>
      Effect.map(
        isSocket(place) ? Effect.succeed<Endpoint | UnixSocket>(place) : endpointOf(place, "proxy"),
        (proxy) => socks5Transport({ proxy, isolation, connectTimeout })
      )
    const { cjdns, ipv4, ipv6, names, onion } = proxiesOf(config)
    const maybe = (place: ProxyPlace | undefined): Effect.Effect<Transport | undefined, ListenError> =>
      place === undefined ? Effect.succeed(undefined) : through(place)
    return {
      direct: tcpTransportWithin(connectTimeout),
      proxies: yield* Effect.all({
        ipv4: maybe(ipv4),
        ipv6: maybe(ipv6),
        onion: maybe(onion),
        cjdns: maybe(cjdns),
        names: maybe(names)
      }),
      hasCjdns,
      quic: peers.quic === undefined
        ? undefined
        : yield* startQuic(join(dataDirectory, QUIC_KEY), random, connectTimeout),
      isQuicOnly: peers.quic?.isOnly === true
    }
  }
)

/** The proxy that addresses of a kind are reached through, as people write it; empty: none. */
const proxyFor = (kind: AddressKind, proxies: Proxies): string => {
  const through = kind === "i2p" ? undefined : proxies[kind]
  return through === undefined ? "" : printProxyPlace(through)
}

/** Whether an address is in one of these subnets. */
const trusting = (texts: ReadonlyArray<string>): (address: NetworkAddress) => boolean => {
  const subnets = texts.flatMap((text) => parseSubnet(text) ?? [])
  return (address) => subnets.some((subnet) => subnetHolds(subnet, address))
}

/** What the configuration says about the network layer. */
export type ConfiguredOptions = Omit<
  P2pOptions,
  "chain" | "crypto" | "environment" | "messagesHaveSubscribers" | "keepBans" | "network" | "notify" | "saved"
>

/** What permissions peers have, by Bitcoin Core's options and by those of this node. */
const permitsOf = ({ peers, standIn }: NodeConfig): NonNullable<P2pOptions["permits"]> =>
  permitting([...peers.permissions.flatMap((text) => parseGrant(text) ?? []), ...standIn?.grants ?? []])

/** What Bitcoin Core's options alone decide; nothing where there are none. */
const standInOptions = (
  { standIn }: NodeConfig
): Pick<P2pOptions, "banSeconds" | "isActive" | "looksUpNames" | "peerTimeout"> =>
  standIn === undefined ? {} : {
    looksUpNames: standIn.network.looksUpNames,
    banSeconds: standIn.banSeconds,
    isActive: standIn.isNetworkActive,
    peerTimeout: standIn.peerTimeoutSeconds * 1_000
  }

/** Where first addresses come from. */
const seedingOf = ({ peers, standIn }: NodeConfig, network: Network): P2pOptions["seeding"] => ({
  names: (standIn?.network.asksSeeds ?? peers.dnsSeeds) ? network.dnsSeeds : [],
  built: peers.fixedSeeds ? fixedSeeds(network) : undefined,
  nodes: standIn?.network.seedNodes ?? [],
  isForced: standIn?.network.forcesSeeds ?? false
})

/** Where others may connect to. */
const listeningOf = Effect.fnUntraced(function*(
  { isListenGiven, isListening, listen, moreListen, quic }: PeersConfig
): Effect.fn.Return<Pick<P2pOptions, "alsoListen" | "listen" | "mustListen">, ListenError> {
  if (!isListening) return { listen: undefined, alsoListen: [], mustListen: isListenGiven || moreListen.length > 0 }
  const overQuic = quic === undefined
    ? []
    : [{ ...yield* endpointOf(quic.listen, "quic_listen_addr"), quic: { identity: undefined } }]
  if (quic?.isOnly === true) return { listen: overQuic[0], mustListen: true }
  const more = yield* Effect.forEach(moreListen, (place) => endpointOf(place, "more_listen_addrs"))
  return {
    listen: yield* endpointOf(listen),
    alsoListen: [...more, ...overQuic],
    mustListen: isListenGiven || moreListen.length > 0 || quic !== undefined
  }
})

/** The options of the network layer that the configuration decides. */
export const optionsOf = Effect.fnUntraced(function*(
  config: NodeConfig,
  random: Random
): Effect.fn.Return<ConfiguredOptions, ListenError | QuicError, Scope.Scope> {
  const { peers } = config
  const network = networkWith(config.network, config.standIn?.changes)
  const ways = yield* waysOf(config, random)
  const proxies = proxiesOf(config)
  const reachable = reachableKinds(ways, config.standIn?.network.onlyNetworks ?? peers.onlyNetworks)
  const external = config.standIn?.externalAddresses ?? []
  const shownIn = peers.onlyNetworks.length === 0 ? undefined : reachable
  return {
    limits: config.protocolLimits,
    transport: chosenTransport(ways),
    reachable,
    resolve: proxies.names === undefined ? systemResolve : resolveNothing,
    namesToProxy: proxies.names !== undefined,
    seeding: seedingOf(config, network),
    slots: slotsOf(peers.maximum, peers.target),
    isAutomatic: !peers.isOnlyPersistent,
    persistent: [...peers.persistent, ...config.download.peers],
    download: syncSettings(config.download, config.standIn !== undefined),
    userAgent: config.standIn?.userAgent ?? `/Lockstep:${version()}/`,
    wantsTransactions: !peers.isBlocksOnly,
    dandelion: peers.dandelion,
    relaysPackages: peers.relaysPackages,
    minRelayFee: feePerKilobyte(config.mempool.policy.minRelayFee),
    servesBlockFilters: peers.servesBlockFilters,
    servesBloomFilters: peers.servesBloomFilters,
    uploadTarget: peers.uploadTarget,
    trusts: trusting(peers.trusted),
    permits: permitsOf(config),
    peerTimeout: peers.handshakeSeconds * 1_000,
    ...standInOptions(config),
    ...yield* listeningOf(peers),
    ownAddresses: (others, listening) => [
      ...external.map((endpoint) => ({ ...endpoint, score: CHOSEN })),
      // Messages of addresses name ports of TCP.
      ...ownAddresses(others, listening.filter(({ quic }) => quic === undefined), shownIn)
    ],
    advertised: (own) => peers.isAdvertised ? own[0] : undefined,
    reach: (["ipv4", "ipv6", "onion", "i2p", "cjdns"] as const).map((name) => ({
      name,
      isReachable: reachable.has(name),
      proxy: proxyFor(name, proxies),
      isIsolated: peers.isolateStreams && proxyFor(name, proxies) !== ""
    }))
  }
})
