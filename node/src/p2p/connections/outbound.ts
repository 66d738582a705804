import type { UnixMilliseconds } from "../../quantities.ts"
import { type AddressKind, addressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { offers, ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import { desiredServices } from "../peer/session/read-version.ts"
import { millisecondsOf, unixSeconds } from "../../quantities.ts"
import type { AddressBook } from "../addresses/address-book.ts"
import type { KnownNode } from "../addresses/table/known-node.ts"
import { PREFIX_GROUPS } from "../../net/net-groups.ts"
import { endpointKey, endpointText } from "../../net/endpoint-text.ts"
import { schedulerClock } from "../basics/environment.ts"
import { nodeClock } from "../peer/node-clock.ts"
import type { P2pContext } from "../peer/p2p-context.ts"
import type { PeerKind } from "../peer/peer.ts"
import type { Endpoint } from "../../net/endpoint.ts"
import { BAD_PORTS } from "../../net/bad-ports.ts"
import { CONNECTION_LIMITS } from "./connection-limits.ts"
import type { Dialer } from "./dialer.ts"
import { extraPeersToEvict, type WorthOf } from "./extra-peer-eviction.ts"
import type { Manual } from "./manual.ts"
import type { Reputation } from "./reputation.ts"
import type { Slots } from "./slots.ts"
import { type ConnectionCensus, isIp } from "./connection-census.ts"

const {
  badPortTries,
  extraBlockRelayInterval,
  extraNetworkInterval,
  extraPeerCheck,
  feelerInterval,
  recentTry,
  recentTryTries,
  triesPerDial
} = CONNECTION_LIMITS

/** Automatic outbound connections. */
export interface Outbound {
  /** Makes at most one connection. */
  readonly tick: (now: UnixMilliseconds) => void
  /** Sets whether one more full-relay connection is wanted for a while, as the tip may be stale. */
  readonly wantExtra: (isWanted: boolean) => void
}

export interface OutboundOptions {
  readonly context: P2pContext
  readonly book: AddressBook
  readonly dialer: Dialer
  readonly census: ConnectionCensus
  readonly reputation: Reputation
  readonly slots: Slots
  /** True if free slots are filled; otherwise only excess connections end. */
  readonly isAutomatic: boolean
  readonly reachable: ReadonlySet<AddressKind>
  /** Anchors: block-relay-only peers of the last run that are connected to first. */
  readonly anchors: ReadonlyArray<Endpoint>
  /** Manual connections have slots of their own. */
  readonly manual: Pick<Manual, "list">
  /** Returns what the sync knows of a peer. */
  readonly worthOf: WorthOf
  /** Reports whether a peer of that address recently followed another chain. */
  readonly isForeign: (address: NetworkAddress) => boolean
  /** This node's own addresses. */
  readonly ownAddresses: () => ReadonlyArray<Endpoint>
}

/** A missing connection. `kinds` restricts the networks that it may be in. */
interface Missing {
  readonly kind: PeerKind
  readonly kinds?: ReadonlySet<AddressKind>
}

export const outbound = (options: OutboundOptions): Outbound => {
  const { book, context, dialer, manual, ownAddresses, reachable, reputation, slots, census, worthOf } = options
  const { chain, environment: { random, now }, notify, peers } = context
  const { group } = context.groups ?? PREFIX_GROUPS
  const clock = nodeClock(context)
  const anchors = [...options.anchors]
  const timers = {
    nextFeeler: now() + random.exponential(feelerInterval.most),
    nextExtra: now() + random.exponential(extraBlockRelayInterval.most),
    nextNetwork: now() + random.exponential(extraNetworkInterval.most)
  }
  const scheduled = schedulerClock(context.environment)
  let nextCheck = scheduled() + extraPeerCheck.most
  let isExtraWanted = false

  const isWelcome = ({ address }: Endpoint): boolean =>
    !reputation.isBanned(address) && !reputation.discouraged.has(address)

  /**
   * True if the network is still in use. The addrman and the anchors may hold nodes in networks that the operator has
   * excluded since.
   */
  const isReachable = ({ address }: Endpoint): boolean => {
    const kind = addressKind(address)
    return kind !== undefined && reachable.has(kind)
  }

  const isUseful = (services: bigint, kind: PeerKind): boolean =>
    kind === "feeler"
      ? offers(services, ServiceFlag.NETWORK) || offers(services, ServiceFlag.NETWORK_LIMITED)
      : offers(services, desiredServices(services, context))

  /** Returns the endpoints that must not be chosen: this node's own, and the manual ones. */
  const othersOf = (): ReadonlySet<string> => {
    const listed = manual.list().flatMap(({ endpoint }) => endpoint ?? [])
    return new Set([...ownAddresses(), ...listed].map(endpointKey))
  }

  /**
   * True if the node may connect to an address of the addrman now. `tries` counts the addresses tried so far, including
   * this one.
   */
  const fits = (node: KnownNode, kind: PeerKind, groups: ReadonlySet<string>, tries: number): boolean => {
    if (kind !== "feeler" && groups.has(group(node.address))) return false
    if (!isReachable(node) || census.isConnectedToAddress(node.address) || !isWelcome(node)) return false
    if (clock() - millisecondsOf(unixSeconds(node.lastTry)) < recentTry.most && tries < recentTryTries.most) {
      return false
    }
    if (BAD_PORTS.has(node.port) && isIp(node) && tries < badPortTries.most) return false
    // A peer on this chain is preferred, as long as one can be chosen.
    if (options.isForeign(node.address) && tries < badPortTries.most) return false
    return isUseful(node.services, kind)
  }

  const nextOf = (kind: PeerKind, kinds: ReadonlySet<AddressKind>): KnownNode | undefined =>
    kind === "feeler" ? book.chooseRival() ?? book.choose({ onlyNew: true, kinds }) : book.choose({ kinds })

  const choose = ({ kind, kinds = reachable }: Missing): Endpoint | undefined => {
    const groups = census.groups()
    const others = othersOf()
    book.resolveCollisions()
    for (let tries = 1; tries <= triesPerDial.most; tries++) {
      const node = nextOf(kind, kinds)
      if (node === undefined) return undefined
      if (!others.has(node.key) && fits(node, kind, groups, tries)) return node
    }
    return undefined
  }

  /** True if this node has the v2 transport and, by the addrman, the other has it too. */
  const mayBeginWithV2 = (endpoint: Endpoint): boolean =>
    context.transportCrypto !== undefined && offers(book.servicesOf(endpoint), ServiceFlag.P2P_V2)

  const dial = (endpoint: Endpoint, kind: PeerKind): void => {
    const automatic = slots.fullRelay + slots.blockRelay
    // While hardly any peer is connected, this node's own internet connection is the likelier cause of a failure.
    const counts = census.reached() >= Math.min(automatic - 1, 2)
    dialer.dial({ endpoint, kind, isV2: mayBeginWithV2(endpoint), lastSeen: book.lastSeenOf(endpoint) }, (error) => {
      // A failure of this node's own proxy says nothing about the address dialed.
      if (error?.isProxy !== true) book.attempted(endpoint, counts)
    })
  }

  const openAnchor = (): boolean => {
    const anchor = anchors.pop()
    if (
      anchor === undefined || !isReachable(anchor) || census.isConnectedToAddress(anchor.address) || !isWelcome(anchor)
    ) return false
    notify.trace?.({ _tag: "AnchorDialed", address: endpointText(anchor) })
    dial(anchor, "block-relay-only")
    return true
  }

  const canBeSpared = (): boolean => !chain.state().initialBlockDownload

  /**
   * Returns a network with known nodes and no connection. An attacker that controls all the connected networks must not
   * hide this one.
   */
  const missingNetwork = (): AddressKind | undefined => {
    const here = census.networks()
    const missing = [...reachable].filter((kind) =>
      !here.has(kind) &&
      book.table.list.some(({ address }) => addressKind(address) === kind)
    )
    return missing[random.below(missing.length)]
  }

  /**
   * Returns the occasional connection that is due once all others exist: an extra block-relay-only peer, a feeler, or a
   * peer in a missing network.
   */
  const inTurn = (at: number): Missing | undefined => {
    if (slots.blockRelay > 0 && at >= timers.nextExtra && canBeSpared()) {
      timers.nextExtra = at + random.exponential(extraBlockRelayInterval.most)
      return { kind: "block-relay-only" }
    }
    if (at >= timers.nextFeeler && census.count("feeler") < slots.feelers) {
      timers.nextFeeler = at + random.exponential(feelerInterval.most)
      return { kind: "feeler" }
    }
    const isFull = slots.fullRelay === CONNECTION_LIMITS.fullRelay.most &&
      census.count("outbound-full-relay") === slots.fullRelay
    if (!isFull || at < timers.nextNetwork) return undefined
    const network = missingNetwork()
    if (network === undefined) return undefined
    timers.nextNetwork = at + random.exponential(extraNetworkInterval.most)
    return { kind: "outbound-full-relay", kinds: new Set([network]) }
  }

  const missingAt = (at: number): Missing | undefined => {
    const full = census.count("outbound-full-relay")
    if (full < slots.fullRelay) return { kind: "outbound-full-relay" }
    if (census.count("block-relay-only") < slots.blockRelay) return { kind: "block-relay-only" }
    return isExtraWanted && full === slots.fullRelay ? { kind: "outbound-full-relay" } : inTurn(at)
  }

  const endExtra = (at: UnixMilliseconds): void => {
    if (scheduled() < nextCheck) return
    nextCheck = scheduled() + extraPeerCheck.most
    for (const { peer, reason } of extraPeersToEvict(peers.values(), slots, worthOf, at)) {
      // The extra peer did connect, so the stale tip check starts again.
      if (peer.kind === "outbound-full-relay") isExtraWanted = false
      peer.disconnect(reason)
    }
  }

  return {
    wantExtra: (isWanted) => {
      isExtraWanted = isWanted
    },
    tick: (at) => {
      endExtra(at)
      if (!options.isAutomatic) return
      if (census.count("block-relay-only") < slots.blockRelay && openAnchor()) return
      if (book.size() === 0) return
      const missing = missingAt(at)
      const target = missing === undefined ? undefined : choose(missing)
      if (missing !== undefined && target !== undefined) dial(target, missing.kind)
    }
  }
}
