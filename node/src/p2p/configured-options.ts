import { feePerKilobyte } from "@lockstep/kernel/relay"
import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { NETWORKS } from "@lockstep/protocol/networks/table.ts"
import * as Effect from "effect/Effect"
import type { HostPort, NodeConfig, PeersConfig } from "../config/config.ts"
import { printHostPort } from "../config/host-port.ts"
import type { Endpoint } from "../net/endpoint.ts"
import { parseAddress } from "../net/endpoint-text.ts"
import { permitting } from "../net/peer-permissions.ts"
import { parseSubnet, subnetHolds } from "../net/subnet.ts"
import { version } from "../version.ts"
import { fixedSeeds } from "./addresses/fixed-seeds.ts"
import { ownAddresses } from "./addresses/own-address.ts"
import { slotsOf } from "./connections/slots.ts"
import { resolveNothing, systemResolve } from "./connections/system-resolve.ts"
import type { Random } from "./environment.ts"
import type { P2pOptions } from "./p2p-options.ts"
import { syncSettings } from "./sync/sync-settings.ts"
import { socks5Transport } from "./transport/socks5/socks5-transport.ts"
import { tcpTransport } from "./transport/tcp/tcp-transport.ts"
import { chosenTransport, reachableKinds, type Ways } from "./transport/transport-choice.ts"
import { ListenError, type Transport } from "./transport/transport.ts"

const endpointOf = ({ host, port }: HostPort, key = "listen_addr"): Effect.Effect<Endpoint, ListenError> => {
  const address = parseAddress(host === "localhost" ? "127.0.0.1" : host)
  return address === undefined
    ? Effect.fail(new ListenError({ message: `${key}: ${host} is a name; give an address, such as 127.0.0.1` }))
    : Effect.succeed({ address, port })
}

const proxyOf = (proxy: HostPort, isolation: Random | undefined): Effect.Effect<Transport, ListenError> =>
  Effect.map(
    endpointOf(proxy, "proxy"),
    (endpoint) => socks5Transport({ proxy: endpoint, isolation })
  )

const waysOf = Effect.fnUntraced(
  function*({ isolateStreams, onionProxy, proxy }: PeersConfig, random: Random): Effect.fn.Return<Ways, ListenError> {
    const isolation = isolateStreams ? random : undefined
    return {
      direct: tcpTransport,
      proxy: proxy === undefined ? undefined : yield* proxyOf(proxy, isolation),
      onion: onionProxy === undefined ? undefined : yield* proxyOf(onionProxy, isolation)
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

/** What the configuration says about the network layer. */
export type ConfiguredOptions = Omit<
  P2pOptions,
  "chain" | "crypto" | "environment" | "messagesHaveSubscribers" | "keepBans" | "network" | "notify" | "saved"
>

/** The options of the network layer that the configuration decides. */
export const optionsOf = Effect.fnUntraced(function*(
  config: NodeConfig,
  random: Random
): Effect.fn.Return<ConfiguredOptions, ListenError> {
  const { peers } = config
  const network = NETWORKS[config.network]
  const ways = yield* waysOf(peers, random)
  const reachable = reachableKinds(ways, peers.onlyNetworks)
  const shownIn = peers.onlyNetworks.length === 0 ? undefined : reachable
  return {
    limits: config.protocolLimits,
    transport: chosenTransport(ways),
    reachable,
    resolve: peers.proxy === undefined ? systemResolve : resolveNothing,
    namesToProxy: peers.proxy !== undefined,
    seeding: { names: peers.dnsSeeds ? network.dnsSeeds : [], built: peers.fixedSeeds ? fixedSeeds(network) : [] },
    slots: slotsOf(peers.maximum, peers.target),
    isAutomatic: !peers.isOnlyPersistent,
    persistent: [...peers.persistent, ...config.download.peers],
    download: syncSettings(config.download),
    userAgent: config.standIn?.userAgent ?? `/Lockstep:${version()}/`,
    wantsTransactions: !peers.isBlocksOnly,
    minRelayFee: feePerKilobyte(config.mempool.policy.minRelayFee),
    uploadTarget: peers.uploadTarget,
    trusts: trusting(peers.trusted),
    permits: permitting(peers.permissions),
    listen: peers.isListening ? yield* endpointOf(peers.listen) : undefined,
    alsoListen: yield* Effect.forEach(peers.moreListen, (place) => endpointOf(place, "more_listen_addrs")),
    mustListen: peers.isListenGiven || peers.moreListen.length > 0,
    ownAddresses: (others, listening) => ownAddresses(others, listening, shownIn),
    advertised: (own) => peers.isAdvertised ? own[0] : undefined,
    reach: (["ipv4", "ipv6", "onion", "i2p", "cjdns"] as const).map((name) => ({
      name,
      isReachable: reachable.has(name),
      proxy: proxyFor(name, peers),
      isIsolated: peers.isolateStreams && proxyFor(name, peers) !== ""
    }))
  }
})
