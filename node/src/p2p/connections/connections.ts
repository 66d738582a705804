import type { UnixMilliseconds } from "../../quantities.ts"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { AddressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import { AddressNetwork, type NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import type { AddressBook } from "../addresses/address-book.ts"
import { endpointText } from "../../net/endpoint-text.ts"
import { machineClock } from "../basics/environment.ts"
import { PREFIX_GROUPS } from "../../net/net-groups.ts"
import type { P2pContext } from "../peer/p2p-context.ts"
import type { PeerHost } from "../peer/peer-host.ts"
import type { TickingPart } from "../peer/peer-part.ts"
import type { Peer } from "../peer/peer.ts"
import { rateLimitedLog } from "../peer/rate-limited-log.ts"
import type { Accept, ListenError, Transport } from "../transport/transport.ts"
import type { Endpoint } from "../../net/endpoint.ts"
import { cjdnsConnection } from "./cjdns-connection.ts"
import { CONNECTION_LIMITS } from "./connection-limits.ts"
import { type Attempt, makeDialer } from "./dialer.ts"
import type { WorthOf } from "./extra-peer-eviction.ts"
import { inbound, type InboundOptions, type Objection, OBJECTIONS } from "./inbound.ts"
import { makeSeedNodes } from "./seed-nodes.ts"
import { resolveNothing } from "./system-resolve.ts"
import { findEndpoints, type Resolve } from "./find-endpoints.ts"
import { makeManual, type Manual } from "./manual.ts"
import { outbound } from "./outbound.ts"
import type { Reputation } from "./reputation.ts"
import { fixedSeeding } from "./fixed-seeding.ts"
import { makeSeeds, type Seeding } from "./seeds.ts"
import type { Slots } from "./slots.ts"
import { type UdpOutboundOptions, udpOutboundTick } from "./udp-outbound.ts"
import { type ConnectAs, connectAs } from "./connect-as.ts"
import { census } from "./connection-census.ts"

export interface ConnectionsOptions {
  readonly context: P2pContext
  readonly host: PeerHost
  readonly transport: Transport
  readonly book: AddressBook
  readonly reputation: Reputation
  /** True if connections are made from the start; the default. */
  readonly isActive?: boolean
  /** Reports whether an operator trusts the peer of an inbound connection. */
  readonly trusts?: InboundOptions["trusts"]
  readonly slots: Slots
  /**
   * True if the node fills its outbound slots automatically; otherwise they stay reserved, as with Bitcoin Core's
   * `-connect`.
   */
  readonly isAutomatic?: boolean
  /** Kinds of addresses that are reachable. */
  readonly reachable: ReadonlySet<AddressKind>
  readonly resolve: Resolve
  /** True if the proxy resolves names; this node then makes no name lookups. */
  readonly namesToProxy?: boolean
  /** True if names of nodes to connect to are looked up; the default. */
  readonly looksUpNames?: boolean
  readonly seeding: Seeding
  /** Anchors: block-relay-only peers of the last run that are connected to first. */
  readonly anchors: ReadonlyArray<Endpoint>
  /** Nodes to stay connected to, as the operator wrote them. */
  readonly persistent: ReadonlyArray<string>
  /** Returns what the sync knows of a peer. */
  readonly worthOf?: WorthOf
  /** Reports whether a peer of that address recently followed another chain; absent if that is not recorded. */
  readonly isForeign?: (address: NetworkAddress) => boolean
  /** This node's own addresses. */
  readonly ownAddresses?: () => ReadonlyArray<Endpoint>
  /** Nodes over QUIC and Iroh to connect to automatically; absent if only named nodes are connected to. */
  readonly udp?: Pick<UdpOutboundOptions, "book" | "listening" | "transportNames"> | undefined
}

/** A block-relay-only peer to connect to first after the next start, with its services. */
export interface Anchor extends Endpoint {
  readonly services?: bigint
}

/** The node's outbound and inbound connections. */
export interface Connections {
  /** Makes missing connections, and ends those that are banned or exceed the slots. */
  readonly part: TickingPart
  /**
   * Accepts connections at all of these endpoints and returns the bound ones. `network` is what peers connect through,
   * if their addresses do not show it. `beside` lists the other listening endpoints.
   */
  readonly listen: (
    endpoints: ReadonlyArray<Endpoint>,
    how?: { readonly network?: AddressKind; readonly beside?: ReadonlyArray<Endpoint> }
  ) => Effect.Effect<ReadonlyArray<Endpoint>, ListenError, Scope.Scope>
  /** Accepts an inbound connection from another source, such as I2P. */
  readonly accept: Accept
  readonly manual: Manual
  readonly connectAs: ConnectAs
  /** Number of refused inbound connections, by reason. */
  readonly refused: Readonly<Record<Objection, number>>
  readonly isActive: () => boolean
  /** Enables or disables the network. Disabling it disconnects all peers. */
  readonly setActive: (isActive: boolean) => void
  /** Requests one more outbound peer for a while, as the tip may be stale (stale tip). */
  readonly wantExtra: (isWanted: boolean) => void
  /** Connects to a node to request addresses (an addr-fetch connection). */
  readonly fetchAddresses: (endpoint: Endpoint) => void
  /** Returns the peers to connect to first after the next start (anchors). */
  readonly anchors: () => ReadonlyArray<Anchor>
}

const { addrFetchTime, anchors, dialInterval } = CONNECTION_LIMITS

const endAddrFetch = (peer: Peer, now: UnixMilliseconds): void => {
  if (peer.kind === "addr-fetch" && now - peer.connectedAt > addrFetchTime.most) {
    peer.disconnect({ _tag: "AddrFetchTimeout" })
  }
}

/** True if the same port listens on IPv4 as well, so that the IPv6 socket must not accept its connections. */
const isBesideIpv4 = ({ address, port }: Endpoint, all: ReadonlyArray<Endpoint>): boolean =>
  address.network === AddressNetwork.IPV6 &&
  all.some((other) => other.address.network === AddressNetwork.IPV4 && other.port === port)

export const makeConnections = Effect.fnUntraced(function*(
  options: ConnectionsOptions
): Effect.fn.Return<Connections, never, Scope.Scope> {
  const {
    book,
    context,
    host,
    isAutomatic = true,
    namesToProxy = false,
    reputation,
    resolve,
    seeding,
    slots,
    transport
  } = options
  const { environment, peers, notify } = context
  const machine = machineClock(environment)
  const log = rateLimitedLog(notify.log, machine)
  let { isActive = true } = options
  notify.trace?.({ _tag: "NetworkSwitched", isActive })

  const mayRetry = ({ endpoint, kind }: Attempt): boolean => kind === "manual" || !reputation.isBanned(endpoint.address)
  const dialer = yield* makeDialer(context, transport, host, () => isActive, mayRetry)
  const counted = census(peers, dialer, context.groups ?? PREFIX_GROUPS)
  const hasCjdns = options.reachable.has("cjdns")
  const find = findEndpoints(context, {
    resolve: options.looksUpNames === false ? resolveNothing : resolve,
    namesToProxy,
    hasCjdns
  })
  const manual = yield* makeManual({ context, dialer, census: counted, find })
  for (const text of options.persistent) manual.add(text)
  const automatic = outbound({
    ...options,
    dialer,
    census: counted,
    manual,
    isAutomatic,
    worthOf: options.worthOf ?? (() => ({ isProtected: false, isBusy: false, lastAnnouncement: 0 })),
    isForeign: options.isForeign ?? (() => false),
    ownAddresses: options.ownAddresses ?? (() => [])
  })
  const tickUdp = options.udp === undefined
    ? undefined
    : udpOutboundTick({ ...options.udp, context, dialer, census: counted, reputation, slots })
  const outboundCount = (): number => counted.count("outbound-full-relay") + counted.count("manual")
  const hasV2 = context.transportCrypto !== undefined
  const fetchAddresses = (endpoint: Endpoint): void => void dialer.dial({ endpoint, kind: "addr-fetch", isV2: hasV2 })
  const seeds = yield* makeSeeds({
    context,
    book,
    resolve,
    seeding,
    outboundCount,
    namesToProxy,
    fetchFrom: fetchAddresses
  })
  const seedNodes = yield* makeSeedNodes({
    context,
    book,
    nodes: seeding.nodes ?? [],
    hasDnsSeeds: seeding.names.length > 0,
    find,
    outboundCount,
    fetchFrom: fetchAddresses
  })
  const hasOtherSources = (): boolean =>
    seeding.names.length > 0 || (seeding.nodes ?? []).length > 0 || manual.list().length > 0
  const fixed = isAutomatic
    ? fixedSeeding({ context, book, reachable: options.reachable, built: seeding.built, hasOtherSources })
    : undefined
  const gate = inbound({
    context,
    reputation,
    most: slots.inbound,
    isActive: () => isActive,
    trusts: options.trusts ?? (() => false)
  })

  const refused: Record<Objection, number> = { inactive: 0, banned: 0, discouraged: 0, rate: 0, address: 0, full: 0 }

  const noteRefused = (remote: Endpoint, objection: Objection): void => {
    refused[objection]++
    if (objection === "banned" || objection === "discouraged" || objection === "full") {
      context.notify.trace?.({ _tag: "ConnectionDropped", why: objection, address: endpointText(remote) })
    }
    log("refused", "debug", "a connection was not taken", { peer: endpointText(remote), reason: OBJECTIONS[objection] })
  }

  const accept: Accept = (accepted) => {
    const connection = hasCjdns ? cjdnsConnection(accepted) : accepted
    const objection = gate.objection(connection)
    if (objection === undefined) return host.take(connection, { kind: "inbound" })
    noteRefused(connection.remote, objection)
    connection.close()
    return { received: () => undefined, drained: () => undefined, closed: () => undefined }
  }

  const turnedAway = (remote: Endpoint): void => {
    gate.turnedAway(remote)
    noteRefused(remote, "full")
  }

  /** Disconnects peers that were banned while they were connected. */
  const endBanned = (): void => {
    for (const peer of peers.values()) {
      const isKept = peer.kind === "manual" || peer.isTrusted
      if (!peer.isGone && !isKept && reputation.isBanned(peer.endpoint.address)) {
        peer.disconnect({ _tag: "AddressBanned" })
      }
    }
  }

  let bansSeen = reputation.bans.version()
  let nextTurn = 0
  /** Attempts to connect continue while the node's clock is stopped, as in Bitcoin Core. */
  const tickAll = (now: UnixMilliseconds): void => {
    if (bansSeen !== reputation.bans.version()) {
      bansSeen = reputation.bans.version()
      endBanned()
    }
    const at = machine()
    if (at < nextTurn) return
    nextTurn = at + dialInterval.most
    reputation.tick()
    if (!isActive) return
    dialer.tick()
    for (const peer of peers.values()) endAddrFetch(peer, now)
    manual.tick(at)
    seedNodes.tick()
    if (!seedNodes.areTried()) seeds.tick(at)
    fixed?.tick()
    tickUdp?.(at)
    automatic.tick(now)
  }

  return {
    part: {
      name: "connections",
      tickAll
    },
    accept,
    listen: (endpoints, { beside = [], network } = {}) =>
      Effect.forEach(
        endpoints,
        (bind) =>
          transport.listen(bind, network === undefined ? accept : (connection) => accept({ ...connection, network }), {
            leavesIpv4: isBesideIpv4(bind, [...endpoints, ...beside]),
            isFlooded: gate.isFlooded,
            turnedAway
          })
      ),
    manual: {
      ...manual,
      add: (text, isV2) => {
        const objection = manual.add(text, isV2)
        // A requested connection does not wait for the next tick.
        if (objection === undefined && isActive) manual.tick(machine())
        return objection
      }
    },
    connectAs: connectAs({ census: counted, dialer, find, slots }),
    refused,
    isActive: () => isActive,
    setActive: (active) => {
      isActive = active
      context.notify.trace?.({ _tag: "NetworkSwitched", isActive })
      if (!active) { for (const peer of peers.values()) peer.disconnect({ _tag: "NetworkOff" }) }
    },
    wantExtra: automatic.wantExtra,
    fetchAddresses,
    // Includes peers whose handshake is incomplete, as over a slow proxy, after those that completed it.
    anchors: () =>
      [...peers.values()]
        .filter(({ isGone, kind }) => kind === "block-relay-only" && !isGone)
        .toSorted((one, other) => Number(other.isReady) - Number(one.isReady))
        .slice(0, anchors.most)
        .map(({ endpoint, hello }) => ({ ...endpoint, services: hello?.services ?? 0n }))
  }
})
