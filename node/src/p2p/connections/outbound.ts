import { type AddressKind, addressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import { offers, ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import type { AddressBook } from "../addresses/address-book.ts"
import type { KnownNode } from "../addresses/table/known-node.ts"
import { networkGroup } from "../endpoint/address-place.ts"
import { endpointKey } from "../endpoint/endpoint-text.ts"
import { nodeClock } from "../node-clock.ts"
import type { P2pContext } from "../p2p-context.ts"
import type { PeerKind } from "../peer/peer.ts"
import type { Endpoint } from "../transport/transport.ts"
import { BAD_PORTS } from "./bad-ports.ts"
import { CONNECTION_LIMITS } from "./connection-limits.ts"
import type { Dialer } from "./dialer.ts"
import { extraPeers, type WorthOf } from "./extra-peers.ts"
import type { Manual } from "./manual.ts"
import type { Reputation } from "./reputation.ts"
import type { Slots } from "./slots.ts"
import type { Standing } from "./standing.ts"

const { badPortTries, extraBlockRelayInterval, extraNetworkInterval, feelerInterval, recentTry, recentTryTries, triesPerDial } =
  CONNECTION_LIMITS

/** Connections that the node makes of itself. */
export interface Outbound {
  /** Makes at most one connection. */
  readonly tick: (now: number) => void
  /** Whether one more for everything is wanted for a while: the tip may be stale. */
  readonly wantExtra: (isWanted: boolean) => void
}

export interface OutboundOptions {
  readonly context: P2pContext
  readonly book: AddressBook
  readonly dialer: Dialer
  readonly standing: Standing
  readonly reputation: Reputation
  readonly slots: Slots
  readonly reachable: ReadonlySet<AddressKind>
  /** Peers of the last run that are connected to first. */
  readonly anchors: ReadonlyArray<Endpoint>
  /** Nodes of the operator have places of their own. */
  readonly manual: Pick<Manual, "list">
  /** What the sync thinks of a peer. */
  readonly worthOf: WorthOf
  /** Where others reach us. */
  readonly ownAddresses: () => ReadonlyArray<Endpoint>
}

/** A connection that is missing; `kinds`: the networks it may be in, where not all will do. */
interface Missing {
  readonly kind: PeerKind
  readonly kinds?: ReadonlySet<AddressKind>
}

export const outbound = (options: OutboundOptions): Outbound => {
  const { book, context, dialer, manual, ownAddresses, reachable, reputation, slots, standing, worthOf } = options
  const { chain, environment: { chance, now }, peers } = context
  const clock = nodeClock(context)
  const anchors = [...options.anchors]
  const timers = {
    nextFeeler: now() + chance.exponential(feelerInterval.most),
    nextExtra: now() + chance.exponential(extraBlockRelayInterval.most),
    nextNetwork: now() + chance.exponential(extraNetworkInterval.most)
  }
  let isExtraWanted = false

  const isWelcome = ({ address }: Endpoint): boolean => !reputation.isBanned(address) && !reputation.discouraged.has(address)

  const isUseful = (services: bigint, kind: PeerKind): boolean => {
    const least = chain.state().initialBlockDownload && kind !== "feeler" ? ServiceFlag.NETWORK : ServiceFlag.NETWORK_LIMITED
    const hasBlocks = offers(services, ServiceFlag.NETWORK) || offers(services, least)
    return hasBlocks && (kind === "feeler" || offers(services, ServiceFlag.WITNESS))
  }

  /** Endpoints that are not for us to choose: our own, and those of the operator. */
  const othersOf = (): ReadonlySet<string> => {
    const listed = manual.list().flatMap(({ endpoint }) => endpoint ?? [])
    return new Set([...ownAddresses(), ...listed].map(endpointKey))
  }

  /** Whether a node of the book is one to connect to now. `tries`: how many were looked at before. */
  const fits = (node: KnownNode, kind: PeerKind, groups: ReadonlySet<string>, tries: number): boolean => {
    if (kind !== "feeler" && groups.has(networkGroup(node.address))) return false
    if (standing.isConnectedToAddress(node.address) || !isWelcome(node)) return false
    if (clock() - node.lastTry * 1_000 < recentTry.most && tries < recentTryTries.most) return false
    if (BAD_PORTS.has(node.port) && tries < badPortTries.most) return false
    return isUseful(node.services, kind)
  }

  const nextOf = (kind: PeerKind, kinds: ReadonlySet<AddressKind>): KnownNode | undefined =>
    kind === "feeler" ? book.chooseRival() ?? book.choose({ onlyNew: true, kinds }) : book.choose({ kinds })

  const choose = ({ kind, kinds = reachable }: Missing): Endpoint | undefined => {
    const groups = standing.groups()
    const others = othersOf()
    book.resolveCollisions()
    for (let tries = 0; tries < triesPerDial.most; tries++) {
      const node = nextOf(kind, kinds)
      if (node === undefined) return undefined
      if (!others.has(node.key) && fits(node, kind, groups, tries)) return node
    }
    return undefined
  }

  const dial = (endpoint: Endpoint, kind: PeerKind): void => {
    const automatic = slots.fullRelay + slots.blockRelay
    // While hardly anybody is reached it is our own line that fails, not all of them.
    const counts = standing.reached() >= Math.min(automatic - 1, 2)
    dialer.dial({ endpoint, kind }, (error) => {
      // That our own proxy is gone says nothing about who was to be reached.
      if (error?.isProxy !== true) book.attempted(endpoint, counts)
    })
  }

  const openAnchor = (): boolean => {
    const anchor = anchors.pop()
    if (anchor === undefined || standing.isConnectedToAddress(anchor.address) || !isWelcome(anchor)) return false
    dial(anchor, "block-relay-only")
    return true
  }

  const canBeSpared = (): boolean => !chain.state().initialBlockDownload

  /** A network in which nodes are known and none is connected to: one that sees all of our others must not be all we see. */
  const missingNetwork = (): AddressKind | undefined => {
    const here = standing.networks()
    const missing = [...reachable].filter((kind) => !here.has(kind) &&
      book.table.list.some(({ address }) => addressKind(address) === kind))
    return missing[chance.below(missing.length)]
  }

  /** What is looked at now and then, once everything else is there. */
  const inTurn = (at: number): Missing | undefined => {
    if (slots.blockRelay > 0 && at >= timers.nextExtra && canBeSpared()) {
      timers.nextExtra = at + chance.exponential(extraBlockRelayInterval.most)
      return { kind: "block-relay-only" }
    }
    if (at >= timers.nextFeeler && standing.count("feeler") < slots.feelers) {
      timers.nextFeeler = at + chance.exponential(feelerInterval.most)
      return { kind: "feeler" }
    }
    const isFull = slots.fullRelay === CONNECTION_LIMITS.fullRelay.most && standing.count("outbound-full-relay") === slots.fullRelay
    if (!isFull || at < timers.nextNetwork) return undefined
    timers.nextNetwork = at + chance.exponential(extraNetworkInterval.most)
    const network = missingNetwork()
    return network === undefined ? undefined : { kind: "outbound-full-relay", kinds: new Set([network]) }
  }

  const missingAt = (at: number): Missing | undefined => {
    const full = standing.count("outbound-full-relay")
    if (full < slots.fullRelay) return { kind: "outbound-full-relay" }
    if (standing.count("block-relay-only") < slots.blockRelay) return { kind: "block-relay-only" }
    return isExtraWanted && full === slots.fullRelay ? { kind: "outbound-full-relay" } : inTurn(at)
  }

  const endExtra = (at: number): void => {
    for (const { peer, reason } of extraPeers(peers.values(), slots, worthOf, at)) {
      // There was somebody to connect to since: whether the tip is stale is looked at anew.
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
      if (anchors.length > 0 && standing.count("block-relay-only") < slots.blockRelay && openAnchor()) return
      if (book.size() === 0) return
      const missing = missingAt(at)
      const target = missing === undefined ? undefined : choose(missing)
      if (missing !== undefined && target !== undefined) dial(target, missing.kind)
    }
  }
}
