import { type AddressKind, addressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { MIN_RELAY_RATE } from "../engine/mempool/mempool-limits.ts"
import { acquireRelease } from "../finalizers/finalizers.ts"
import { addressesPart } from "./addresses/addresses-part.ts"
import type { KnownNode } from "./addresses/table/known-node.ts"
import { broadcasts } from "./broadcasts.ts"
import { type Connections, makeConnections } from "./connections/connections.ts"
import type { PeerWorth } from "./connections/extra-peer-eviction.ts"
import type { Resolve } from "./connections/manual.ts"
import type { BanList } from "./connections/ban-list.ts"
import { type Reputation, reputation } from "./connections/reputation.ts"
import type { Seeding } from "./connections/seeds.ts"
import type { Slots } from "./connections/slots.ts"
import { addressKey, addressText, endpointText } from "../net/endpoint-text.ts"
import type { NetworkReach, NetworkService, OwnAddress } from "./network.ts"
import { nodeClock } from "./node-clock.ts"
import { makePeerHost, type Totals } from "./peer/make-peer-host.ts"
import type { Peer } from "./peer/peer.ts"
import { ProtocolVersion } from "./peer/session/protocol-versions.ts"
import { session } from "./peer/session/session.ts"
import type { P2pContext } from "./p2p-context.ts"
import { makeRelay, type Relay } from "./relay/relay.ts"
import type { SavedNetwork } from "./saved/saved-network.ts"
import { type Serving, serving } from "./serving/serving.ts"
import { requestBlock } from "./sync/request-block.ts"
import { syncFigures } from "./sync/sync-figures.ts"
import { makeSync, type Sync } from "./sync/sync-part.ts"
import { staleTipCheck } from "./sync/stale-tip.ts"
import type { SyncSettings } from "./sync/sync-state.ts"
import type { ListenError, Transport } from "./transport/transport.ts"
import type { Endpoint } from "../net/endpoint.ts"

/** What a network layer is put together from. */
export interface P2pOptions extends Omit<P2pContext, "peers" | "services"> {
  readonly transport: Transport
  /** Kinds of addresses that the transport reaches. */
  readonly reachable: ReadonlySet<AddressKind>
  readonly resolve: Resolve
  /** Whether the proxy resolves names: this node then makes no name lookups. */
  readonly namesToProxy?: boolean
  /** Whether an operator trusts the peer at this address. */
  readonly trusts?: (address: NetworkAddress) => boolean
  readonly seeding: Seeding
  readonly slots: Slots
  /** Nodes to stay connected to, as they were written. */
  readonly persistent: ReadonlyArray<string>
  readonly saved: SavedNetwork
  /** Puts bans on disk; none: they are kept nowhere. */
  readonly keepBans?: (bans: BanList) => Effect.Effect<void>
  readonly download: SyncSettings
  readonly userAgent: string
  /** Whether transactions of others are wanted. */
  readonly wantsTransactions: boolean
  /** Bytes that are sent in a day at most; 0: any. */
  readonly uploadTarget: number
  /** Where others may connect to; none: nowhere. */
  readonly listen: Endpoint | undefined
  /** Where else. */
  readonly alsoListen?: ReadonlyArray<Endpoint>
  /** Whether it is a failure when that cannot be had; else the node only says so. */
  readonly mustListen: boolean
  /** This node's own addresses, if it advertises any. */
  readonly own: () => Endpoint | undefined
  readonly ownAddresses: () => ReadonlyArray<OwnAddress>
  readonly reach: ReadonlyArray<NetworkReach>
  /** Whether there is a subscriber to events about single messages. */
  readonly hearsMessages: () => boolean
}

/** A network layer that runs. */
export interface P2p {
  readonly service: NetworkService
  readonly sync: Sync
  readonly relay: Relay
  readonly serving: Serving
  readonly connections: Connections
  readonly reputation: Reputation
}

/** The services this node offers: the whole chain or its last blocks, with witnesses. */
const servicesOf = ({ chain }: Pick<P2pContext, "chain">) => (): bigint =>
  ServiceFlag.WITNESS | ServiceFlag.NETWORK_LIMITED | (chain.state().pruned ? 0n : ServiceFlag.NETWORK)

const worthOf = ({ peers }: Sync["state"], { id }: Peer): PeerWorth => {
  const of = peers.get(id)
  return {
    isProtected: of?.chainSync.isProtected ?? false,
    isBusy: of !== undefined && of.inFlight.size > 0,
    lastAnnouncement: of?.lastAnnouncement ?? 0
  }
}

/** A peer that misbehaves on one connection is discouraged on all others. */
const endOthersOf = (peer: Peer, peers: ReadonlyMap<number, Peer>, reason: string): void => {
  const key = addressKey(peer.endpoint.address)
  for (const other of peers.values()) {
    if (other !== peer && other.kind !== "manual" && addressKey(other.endpoint.address) === key) {
      other.disconnect(reason)
    }
  }
}

/** The source of an address: a peer, or a DNS seed, whose internal address means nothing to an operator. */
const sourceText = ({ source }: KnownNode): string =>
  addressKind(source) === undefined ? "a name server" : addressText(source)

/** Puts the parts together and begins to listen and to connect, until the scope ends. */
export const assembleP2p = Effect.fn("p2p.assemble")(function*(
  options: P2pOptions
): Effect.fn.Return<P2p, ListenError, Scope.Scope> {
  const { chain, crypto, environment, limits, network, saved, tell, trusts = () => false } = options
  const peers = new Map<number, Peer>()
  const context: P2pContext = {
    network,
    crypto,
    limits,
    environment,
    chain,
    tell,
    peers,
    services: servicesOf({ chain })
  }
  const time = nodeClock(context)
  const bans = reputation({ ...environment, now: time }, tell, saved.bans)
  saved.book.table.onFound = (node) =>
    tell.event("AddressDiscovered", { address: endpointText(node), source: sourceText(node) })
  saved.book.table.onForgotten = (node) => tell.event("AddressExpired", { address: endpointText(node) })

  const told = broadcasts(context)
  const relay: Relay = yield* makeRelay(context, {
    blocksAnnounced: (peer, hashes) => sync.blocksAnnounced(peer, hashes),
    blocksNotFound: (peer, hashes) => sync.blocksNotFound(peer, hashes),
    wantsTransactions: options.wantsTransactions,
    broadcast: (txid, isWaiting) => told.begin("transaction", txid, isWaiting),
    wantedFeerate: { pool: () => chain.poolRate?.() ?? 0, least: BigInt(MIN_RELAY_RATE) }
  })
  const sync: Sync = yield* makeSync(context, options.download, relay.prefersHeaders)
  // After the sync, which notes for each peer what to announce to it.
  yield* acquireRelease(
    Effect.sync(() =>
      chain.listen({
        tip: ({ hash }, _fork, initialBlockDownload) => {
          if (initialBlockDownload) return
          told.begin("block", hash, ({ id }) => (sync.state.peers.get(id)?.announcements.length ?? 0) > 0)
          sync.announceNow()
        }
      })
    ),
    (stop) => Effect.sync(stop)
  )
  const voice = { userAgent: options.userAgent, wantsTransactions: options.wantsTransactions }
  const talk = session(context, voice, (peer, services) => {
    if (!peer.inbound) saved.book.services(peer.endpoint, services)
  })
  const addresses = addressesPart({
    context,
    book: saved.book,
    reachable: options.reachable,
    isShunned: (address) => bans.isBanned(address) || bans.discouraged.has(address),
    own: options.own
  })
  const connections = yield* makeConnections({
    context,
    transport: options.transport,
    book: saved.book,
    reputation: bans,
    trusts,
    slots: options.slots,
    reachable: options.reachable,
    resolve: options.resolve,
    namesToProxy: options.namesToProxy ?? false,
    seeding: options.seeding,
    anchors: saved.anchors,
    worthOf: (peer) => worthOf(sync.state, peer),
    ownAddresses: options.ownAddresses,
    persistent: options.persistent
  })
  // The host comes after its parts, and they ask for its totals.
  let totals: Totals = { received: 0, sent: 0 }
  const serves = serving(context, {
    headersSent: sync.headersSent,
    transactionFor: relay.transactionFor,
    transactionSent: relay.transactionSent,
    relaysTo: relay.relaysTo,
    announcePool: relay.announcePool,
    uploadTarget: options.uploadTarget,
    bytesSent: () => totals.sent
  })
  const host = yield* makePeerHost({
    context,
    peers,
    parts: [
      addresses,
      talk,
      sync.part,
      relay.part,
      serves,
      connections.part,
      told,
      staleTipCheck(sync.state, connections.wantExtra)
    ],
    connected: talk.connected,
    unknown: talk.unknown,
    trusts,
    discouraged: (peer, reason) => {
      bans.discourage(peer.endpoint.address, reason)
      endOthersOf(peer, peers, reason)
    },
    gives: ({ id }) => (sync.state.peers.get(id)?.inFlight.size ?? 0) > 0,
    hearsMessages: options.hearsMessages
  })
  totals = host.totals
  const listenAt = options.listen === undefined ? [] : [options.listen, ...options.alsoListen ?? []]
  const listening = yield* connections.start(host, listenAt).pipe(
    Effect.catch((failure) => {
      if (options.mustListen) return Effect.fail(failure)
      tell.log("warn", `nobody can connect to this node: ${failure.message}`)
      return connections.start(host, [])
    })
  )

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
      peers,
      figures: {
        relay: relay.figures,
        sync: (peer) => ({ ...syncFigures(sync.state, peer), bip152_hb_from: relay.prefersCompact(peer) }),
        addresses: addresses.figures
      },
      book: saved.book,
      reputation: bans,
      keepBans: options.keepBans?.(bans.bans) ?? Effect.void,
      connections,
      totals: host.totals,
      fibers: host.fibers,
      services: context.services,
      userAgent: options.userAgent,
      protocolVersion: ProtocolVersion.OURS,
      relaysTransactions: options.wantsTransactions,
      reach: options.reach,
      ownAddresses: options.ownAddresses,
      listening,
      clocks: talk.clocks,
      pingAll: talk.pingAll,
      requestBlock: (peer, node) => requestBlock(sync.state, peer, node),
      uploadTarget: serves.upload,
      syncStatus: sync.progress.status
    }
  }
})
