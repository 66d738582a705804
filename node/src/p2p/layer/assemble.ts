import { addressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import { ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import * as Effect from "effect/Effect"
import type { ChainState } from "../../engine/api/chain-state.ts"
import type * as Scope from "effect/Scope"
import { subscription } from "../../finalizers/finalizers.ts"
import type { Endpoint } from "../../net/endpoint.ts"
import { PREFIX_GROUPS } from "../../net/net-groups.ts"
import { noPermissions } from "../../net/peer-permissions.ts"
import type { Misbehavior } from "../../runtime/misbehavior.ts"
import { addressKey, addressText, endpointText } from "../../net/endpoint-text.ts"
import type { AddressBook } from "../addresses/address-book.ts"
import type { KnownNode } from "../addresses/table/known-node.ts"
import { CONNECTION_LIMITS } from "../connections/connection-limits.ts"
import { boundEndpoints } from "../connections/bound-endpoints.ts"
import { type Connections, makeConnections } from "../connections/connections.ts"
import type { PeerWorth } from "../connections/extra-peer-eviction.ts"
import { type Reputation, reputation } from "../connections/reputation.ts"
import { makeParts } from "./make-parts.ts"
import type { OwnAddress } from "../addresses/own-address.ts"
import type { NetworkService } from "./network.ts"
import { nodeClock } from "../peer/node-clock.ts"
import type { P2pContext } from "../peer/p2p-context.ts"
import type { P2pNotifications } from "../basics/p2p-notifications.ts"
import type { P2pOptions } from "./p2p-options.ts"
import { makePeerHost } from "../peer/make-peer-host.ts"
import type { Peer } from "../peer/peer.ts"
import type { TickingPart } from "../peer/peer-part.ts"
import type { TrafficTotals } from "../peer/peer-host.ts"
import { ProtocolVersion } from "../peer/session/protocol-versions.ts"
import { PRIVATE_COMMANDS } from "../private-broadcast/conversation.ts"
import type { RunningPrivateBroadcast } from "../private-broadcast/private-broadcast.ts"
import { privateDialer, type PrivateDialerOptions } from "../private-broadcast/private-dialer.ts"
import type { Relay } from "../relay/relay.ts"
import { disconnectBanned } from "../connections/disconnect-banned.ts"
import type { Serving } from "../serving/serving.ts"
import { requestBlock } from "../sync/blocks/request-block.ts"
import { staleTipCheck } from "../sync/stale-tip.ts"
import { syncFigures } from "../sync/sync-figures.ts"
import type { Sync } from "../sync/sync-part.ts"
import type { ListenError } from "../transport/transport.ts"

/** A running network layer. */
export interface P2p {
  readonly service: NetworkService
  readonly sync: Sync
  readonly relay: Relay
  readonly serving: Serving
  readonly connections: Connections
  readonly reputation: Reputation
}

/** True if all blocks are stored, not only those after a snapshot. */
const servesWholeChain = ({ pruned, snapshot }: ChainState): boolean => !pruned && snapshot?.background === undefined

/**
 * Returns the services this node offers: the whole chain or its last blocks, with witnesses, the v2 transport, and
 * filters.
 */
const servicesOf =
  ({ chain, dandelion, relaysPackages, servesBlockFilters, servesBloomFilters, transportCrypto }: P2pOptions) =>
  (): bigint =>
    ServiceFlag.WITNESS | ServiceFlag.NETWORK_LIMITED | (servesWholeChain(chain.state()) ? ServiceFlag.NETWORK : 0n) |
    (transportCrypto === undefined ? 0n : ServiceFlag.P2P_V2) |
    (servesBlockFilters === true ? ServiceFlag.COMPACT_FILTERS : 0n) |
    (servesBloomFilters === true ? ServiceFlag.BLOOM : 0n) |
    (dandelion === undefined ? 0n : ServiceFlag.DANDELION) | (relaysPackages === true ? ServiceFlag.PACKAGE_RELAY : 0n)

const worthOf = ({ peers }: Sync["state"], { id }: Peer): PeerWorth => {
  const of = peers.get(id)
  return {
    isProtected: of?.chainSync.isProtected ?? false,
    isBusy: of !== undefined && of.inFlight.size > 0,
    lastAnnouncement: of?.lastAnnouncement ?? 0
  }
}

/** Disconnects all connections of a misbehaving peer's address, except manual ones. */
const endConnectionsOf = (peer: Peer, peers: ReadonlyMap<number, Peer>, what: Misbehavior): void => {
  const key = addressKey(peer.endpoint.address)
  for (const other of peers.values()) {
    if (other.kind !== "manual" && addressKey(other.endpoint.address) === key) {
      other.disconnect({ _tag: "Misbehaved", what })
    }
  }
}

/** Returns the source of an address: a peer, or a DNS seed, whose internal address means nothing to an operator. */
const sourceText = ({ source }: KnownNode): string =>
  addressKind(source) === undefined ? "a name server" : addressText(source)

/** Publishes an event for each node that enters or leaves the addrman. */
const publishAddresses = (book: AddressBook, notify: P2pNotifications): Effect.Effect<void, never, Scope.Scope> =>
  subscription(() =>
    book.observe({
      found: (node) => {
        notify.trace?.({ _tag: "AddressFound", address: endpointText(node) })
        notify.event("AddressDiscovered", { address: endpointText(node), source: sourceText(node) })
      },
      forgotten: (node) => notify.event("AddressExpired", { address: endpointText(node) })
    })
  )

/** Makes the dialer of private connections; empty if own transactions go to all peers. */
const makePrivateDialer = (
  { book, ...options }: Omit<PrivateDialerOptions, "transport" | "demand" | "say">,
  { privateTransport: transport }: P2pOptions,
  privately: RunningPrivateBroadcast | undefined
): Effect.Effect<ReadonlyArray<TickingPart>, never, Scope.Scope> => {
  if (transport === undefined || privately === undefined) return Effect.succeed([])
  const { demand, say } = privately
  return Effect.map(privateDialer({ book, ...options, transport, demand, say }), (part) => [part])
}

/** Bound endpoints. */
interface Bound {
  readonly open: ReadonlyArray<Endpoint>
  /** Endpoints that an onion service forwards to. */
  readonly onion: ReadonlyArray<Endpoint>
}

/** Binds the listening endpoints. Unless listening is required, a failure is logged and the node runs without them. */
const listenAt = (
  { alsoListen = [], listen, mayListen = [], mustListen, notify, onionListen = [] }: P2pOptions,
  connections: Connections
): Effect.Effect<Bound, ListenError, Scope.Scope> => {
  const beside = [...listen === undefined ? [] : [listen], ...alsoListen]
  const ifPossible = (place: Endpoint): Effect.Effect<ReadonlyArray<Endpoint>, never, Scope.Scope> =>
    Effect.catch(connections.listen([place], { beside }), ({ message }) =>
      Effect.sync(() => {
        notify.log("debug", message)
        return []
      }))
  const bound = Effect.gen(function*() {
    const onion = yield* connections.listen(onionListen, { network: "onion" })
    const open = yield* connections.listen(beside)
    return { open: [...open, ...(yield* Effect.forEach(mayListen, ifPossible)).flat()], onion }
  })
  if (mustListen) return bound
  return Effect.catch(bound, (failure) =>
    Effect.sync(() => {
      notify.log("warn", `no inbound connections are accepted: ${failure.message}`)
      return { open: [], onion: [] }
    }))
}

/**
 * Returns the nodes over QUIC and Iroh to connect to automatically, or `undefined` if only named nodes are connected
 * to.
 */
const chosenOverUdp = ({ udp, transportNames = ["tcp"] }: P2pOptions, listening: () => ReadonlyArray<Endpoint>) =>
  udp?.isAutomatic === true ? { book: udp.book, transportNames, listening } : undefined

/** Assembles the parts, listens and connects until the scope ends. Each part is built from the previous ones. */
export const assembleP2p = Effect.fn("p2p.assemble")(function*(
  options: P2pOptions
): Effect.fn.Return<P2p, ListenError, Scope.Scope> {
  const {
    chain,
    crypto,
    environment,
    groups = PREFIX_GROUPS,
    limits,
    network,
    notify,
    saved,
    transportCrypto,
    trusts = () => false
  } = options
  const peers = new Map<number, Peer>()
  const totals: TrafficTotals = { received: 0, sent: 0 }
  const context: P2pContext = {
    network,
    crypto,
    limits,
    groups,
    environment,
    chain,
    notify,
    peers,
    services: servicesOf(options),
    transportCrypto
  }
  const time = nodeClock(context)
  const bans = reputation({ ...environment, now: time }, notify, saved.bans)
  const bound = boundEndpoints()
  const ownAddresses = (): ReadonlyArray<OwnAddress> => options.ownAddresses(peers.values(), bound.current())
  yield* publishAddresses(saved.book, notify)

  const parts = yield* makeParts({
    context,
    options,
    isShunned: (address) => bans.isBanned(address) || bans.discouraged.has(address),
    ownAddresses,
    ownUdp: () => options.udp?.own(bound.current(), ownAddresses()) ?? []
  })
  const { privately, relay, serves, sessions, sync } = parts
  const host = yield* makePeerHost({
    context,
    peers,
    totals,
    sentBytes: serves.upload.count,
    parts: parts.inOrder,
    connected: (peer) => (peer.kind === "private-broadcast" ? privately?.part : sessions)?.connected(peer),
    maySend: ({ kind }, command) => kind !== "private-broadcast" || PRIVATE_COMMANDS.has(command),
    trusts,
    permits: options.permits ?? noPermissions,
    buffers: options.buffers,
    discouraged: (peer, what) => {
      bans.discourage(peer.endpoint.address, what)
      endConnectionsOf(peer, peers, what)
    },
    isServingUs: ({ id }) => (sync.state.peers.get(id)?.inFlight.size ?? 0) > 0,
    messagesHaveSubscribers: options.messagesHaveSubscribers,
    capture: options.capture
  })
  const connections = yield* makeConnections({
    context,
    host,
    transport: options.transport,
    book: saved.book,
    reputation: bans,
    trusts: ({ local, network: through, remote: { address } }) =>
      (through === undefined && trusts(address)) ||
      (options.permits ?? noPermissions)({ address, local, inbound: true, network: through }).has("noban"),
    slots: options.slots,
    isAutomatic: options.isAutomatic ?? true,
    isActive: options.isActive ?? true,
    reachable: options.reachable,
    resolve: options.resolve,
    namesToProxy: options.namesToProxy ?? false,
    looksUpNames: options.looksUpNames ?? true,
    seeding: options.seeding,
    anchors: saved.anchors,
    worthOf: (peer) => worthOf(sync.state, peer),
    isForeign: sync.state.foreign.has,
    ownAddresses,
    udp: chosenOverUdp(options, bound.current),
    persistent: options.persistent
  })
  const dialsPrivately = yield* makePrivateDialer(
    {
      context,
      host,
      book: saved.book,
      reachable: options.reachable,
      reputation: bans,
      isActive: connections.isActive,
      ownAddresses
    },
    options,
    privately
  )
  const listening = yield* listenAt(options, connections)
  bound.bind(listening.open)
  yield* host.startTicks([connections.part, staleTipCheck(sync.state, connections.wantExtra), ...dialsPrivately])

  return {
    sync,
    relay,
    serving: serves,
    connections,
    reputation: bans,
    service: {
      environment,
      time,
      chain,
      groups,
      peers,
      figures: {
        relay: relay.figures,
        sync: (peer) => syncFigures(sync.state, peer),
        addresses: parts.addresses.figures,
        filters: serves.filters.of
      },
      book: saved.book,
      reputation: bans,
      keepBans: options.keepBans?.(bans.bans) ?? Effect.void,
      connections,
      banSeconds: options.banSeconds ?? CONNECTION_LIMITS.banTime.most / 1_000,
      compactBlocks: sync.state.compact.figures,
      filtersSent: serves.filters.all,
      totals,
      fibers: host.fibers,
      sendPayload: host.sendPayload,
      services: context.services,
      userAgent: options.userAgent,
      protocolVersion: ProtocolVersion.OURS,
      relaysTransactions: options.wantsTransactions,
      hasV2: transportCrypto !== undefined,
      reach: options.reach,
      hiddenServices: options.hiddenServices ?? (() => []),
      ownAddresses,
      transportNames: options.transportNames ?? ["tcp"],
      listening: listening.open,
      onionListening: listening.onion,
      clocks: sessions.clocks,
      pingAll: sessions.pingAll,
      requestBlock: (peer, node) => requestBlock(sync.state, peer, node),
      uploadTarget: serves.upload,
      servePolicies: serves.policies,
      disconnectBanned: (subnet) => disconnectBanned(subnet, peers),
      orphans: relay.orphans,
      announceTransaction: relay.announce,
      privateBroadcast: privately,
      syncStatus: sync.progress.status,
      foreignChains: sync.state.foreign
    }
  }
})
