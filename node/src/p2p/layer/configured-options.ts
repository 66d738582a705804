import { feePerKilobyte } from "@lockstep/kernel/relay"
import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { networkWith } from "@lockstep/protocol/networks/changed-network.ts"
import type { Network } from "@lockstep/protocol/networks/network.ts"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { AddressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import type { NodeConfig } from "../../config/config.ts"
import { ownUserAgent } from "../../config/own-user-agent.ts"
import { proxiesOf } from "../../config/proxy-place.ts"
import { isOverTcp } from "../../net/endpoint.ts"
import { parseGrant, permitting } from "../../net/peer-permissions.ts"
import { parseSubnet, subnetHolds } from "../../net/subnet.ts"
import { advertisedAddress } from "../addresses/advertised-address.ts"
import { fixedSeeds } from "../addresses/fixed-seeds.ts"
import { ownUdpEndpoints } from "../addresses/udp/own-udp-endpoints.ts"
import { CHOSEN, ownAddresses } from "../addresses/own-address.ts"
import { listeningOf } from "./configured-listening.ts"
import { reachOf, configuredTransports } from "./configured-transports.ts"
import { slotsOf } from "../connections/slots.ts"
import { resolveNothing, systemResolve } from "../connections/system-resolve.ts"
import type { Random } from "../basics/environment.ts"
import { hiddenServicesOf } from "./hidden-service-state.ts"
import { type LearnedAddresses, learnedNetwork } from "../addresses/learned-network.ts"
import type { OwnAddress } from "../addresses/own-address.ts"

import type { P2pNotifications } from "../basics/p2p-notifications.ts"
import type { P2pOptions, UdpOptions } from "./p2p-options.ts"
import { syncSettings } from "../sync/sync-settings.ts"
import type { I2pNetwork } from "../transport/i2p/i2p-transport.ts"
import type { QuicError } from "../../quic/quic-key.ts"
import type { IrohError } from "../transport/iroh/start-iroh.ts"
import { chosenTransport, transportNamesOf, reachableKinds } from "../transport/transport-choice.ts"
import type { ListenError } from "../transport/transport.ts"

/** Tests whether an address is in one of these subnets. */
const trusting = (texts: ReadonlyArray<string>): (address: NetworkAddress) => boolean => {
  const subnets = texts.flatMap((text) => parseSubnet(text) ?? [])
  return (address) => subnets.some((subnet) => subnetHolds(subnet, address))
}

/** The options of the network layer that the configuration sets. */
export type ConfiguredOptions = Omit<
  P2pOptions,
  "chain" | "crypto" | "environment" | "messagesHaveSubscribers" | "keepBans" | "network" | "notify" | "saved" | "udp"
>

/** Returns the permissions of peers, by Bitcoin Core's options and by this node's own. */
const permitsOf = ({ peers, standIn }: NodeConfig): NonNullable<P2pOptions["permits"]> =>
  permitting([...peers.permissions.flatMap((text) => parseGrant(text) ?? []), ...standIn?.grants ?? []])

/** Returns the options that only Bitcoin Core's options set; empty without them. */
const standInOptions = (
  { standIn }: NodeConfig
): Pick<P2pOptions, "banSeconds" | "buffers" | "isActive" | "looksUpNames" | "peerTimeout" | "reconciles"> =>
  standIn === undefined ? {} : {
    looksUpNames: standIn.network.looksUpNames,
    reconciles: standIn.network.reconciles,
    banSeconds: standIn.banSeconds,
    buffers: standIn.network.buffers,
    isActive: standIn.isNetworkActive,
    peerTimeout: standIn.peerTimeoutSeconds * 1_000
  }

/** Returns the sources of the first addresses. */
const seedingOf = ({ peers, standIn }: NodeConfig, network: Network): P2pOptions["seeding"] => ({
  names: (standIn?.network.asksSeeds ?? peers.dnsSeeds) ? network.dnsSeeds : [],
  built: peers.fixedSeeds ? fixedSeeds(network) : undefined,
  nodes: standIn?.network.seedNodes ?? [],
  isForced: standIn?.network.forcesSeeds ?? false
})

/** Makes the options of the network layer that the configuration sets, with the state that changes them later. */
export const optionsOf = Effect.fnUntraced(function*(
  config: NodeConfig,
  random: Random,
  trace?: P2pNotifications["trace"]
): Effect.fn.Return<
  ConfiguredOptions & {
    readonly learned: LearnedAddresses
    readonly i2p: I2pNetwork | undefined
    readonly ownUdp: UdpOptions["own"]
  },
  IrohError | ListenError | QuicError,
  Scope.Scope
> {
  const { peers } = config
  const network = networkWith(config.network, config.standIn?.changes)
  const only = peers.onlyNetworks
  const reachable = new Set<AddressKind>()
  const learned = learnedNetwork(reachable, (kind) => only.length === 0 || only.includes(kind))
  const proxies = proxiesOf(config)
  const transports = yield* configuredTransports(config, random, learned, trace)
  for (const kind of reachableKinds(transports, only)) reachable.add(kind)
  const external = (config.standIn?.externalAddresses ?? []).map((endpoint) => ({ ...endpoint, score: CHOSEN }))
  /** Addresses that the operator named, or that were made by other programs, such as Tor. */
  const wanted = (): ReadonlyArray<OwnAddress> => [...external, ...learned.own()]
  const shownIn = peers.onlyNetworks.length === 0 ? undefined : reachable
  return {
    learned,
    i2p: transports.i2pNetwork,
    limits: config.protocolLimits,
    transport: chosenTransport(transports),
    transportNames: transportNamesOf(transports),
    reachable,
    privateTransport: peers.broadcastsPrivately ? transports.hidden : undefined,
    resolve: proxies.names === undefined ? systemResolve : resolveNothing,
    namesToProxy: proxies.names !== undefined,
    seeding: seedingOf(config, network),
    slots: slotsOf(peers.maximum, peers.target),
    isAutomatic: !peers.isOnlyPersistent,
    persistent: [...peers.persistent, ...config.download.peers],
    download: syncSettings(config.download, config.standIn !== undefined),
    userAgent: config.standIn?.userAgent ?? ownUserAgent(peers.userAgent),
    wantsTransactions: !peers.isBlocksOnly,
    takesNonStandard: !config.mempool.policy.requireStandard,
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
      ...wanted(),
      // Address messages carry TCP ports only.
      ...ownAddresses(others, listening.filter(isOverTcp), shownIn)
    ],
    advertised: (own, peer) => {
      if (!peers.isListening) return undefined
      return advertisedAddress(peers.isAdvertised ? own : wanted(), peer)
    },
    ownUdp: (listening, own) => peers.isListening && peers.isAdvertised ? ownUdpEndpoints(listening, own) : [],
    reach: reachOf(config, reachable, learned),
    hiddenServices: hiddenServicesOf(config, learned)
  }
})
