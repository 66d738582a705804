import type { AddressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import { offers, ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import type { AddressBook } from "../addresses/address-book.ts"
import type { KnownNode } from "../addresses/table/known-node.ts"
import { networkGroup } from "../endpoint/address-place.ts"
import { nodeClock } from "../node-clock.ts"
import type { P2pContext } from "../p2p-context.ts"
import type { Peer, PeerKind } from "../peer/peer.ts"
import type { Endpoint } from "../transport/transport.ts"
import { CONNECTION_LIMITS } from "./connection-limits.ts"
import type { Dialer } from "./dialer.ts"
import type { Reputation } from "./reputation.ts"
import type { Slots } from "./slots.ts"
import type { Standing } from "./standing.ts"

const { extraBlockRelayInterval, extraPeerAge, feelerInterval, recentTry, triesPerDial } = CONNECTION_LIMITS

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
}

interface Timers {
  nextFeeler: number
  nextExtra: number
}

/** The one of two peers for blocks that is let go: the younger one, unless it has brought a newer block. */
const lesserOf = (youngest: Peer, second: Peer | undefined): Peer =>
  second !== undefined && youngest.traffic.lastBlock > second.traffic.lastBlock ? second : youngest

export const outbound = (options: OutboundOptions): Outbound => {
  const { book, context, dialer, reachable, reputation, slots, standing } = options
  const { chain, environment: { chance, now }, peers } = context
  const clock = nodeClock(context)
  const anchors = [...options.anchors]
  const timers: Timers = {
    nextFeeler: now() + chance.exponential(feelerInterval.most),
    nextExtra: now() + chance.exponential(extraBlockRelayInterval.most)
  }
  let isExtraWanted = false

  const isWelcome = ({ address }: Endpoint): boolean => !reputation.isBanned(address) && !reputation.discouraged.has(address)

  const isUseful = (services: bigint, kind: PeerKind): boolean => {
    if (kind === "feeler") return true
    const least = chain.state().initialBlockDownload ? ServiceFlag.NETWORK : ServiceFlag.NETWORK_LIMITED
    const hasBlocks = offers(services, ServiceFlag.NETWORK) || offers(services, least)
    return hasBlocks && offers(services, ServiceFlag.WITNESS)
  }

  /** Whether a node of the book is one to connect to now. `tries`: how many were looked at before. */
  const fits = (node: KnownNode, kind: PeerKind, groups: ReadonlySet<string>, tries: number): boolean => {
    if (kind !== "feeler" && groups.has(networkGroup(node.address))) return false
    if (standing.isConnectedToAddress(node.address) || !isWelcome(node)) return false
    if (clock() - node.lastTry * 1_000 < recentTry.most && tries < 30) return false
    return isUseful(node.services, kind)
  }

  const nextOf = (kind: PeerKind): KnownNode | undefined =>
    kind === "feeler" ? book.chooseRival() ?? book.choose({ onlyNew: true, kinds: reachable }) : book.choose({ kinds: reachable })

  const choose = (kind: PeerKind): Endpoint | undefined => {
    const groups = standing.groups()
    book.resolveCollisions()
    for (let tries = 0; tries < triesPerDial.most; tries++) {
      const node = nextOf(kind)
      if (node === undefined) return undefined
      if (fits(node, kind, groups, tries)) return node
    }
    return undefined
  }

  const dial = (endpoint: Endpoint, kind: PeerKind): void => {
    const automatic = slots.fullRelay + slots.blockRelay
    // While hardly anybody is reached it is our own line that fails, not all of them.
    const counts = standing.groups().size >= Math.min(automatic - 1, 2)
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

  const kindWanted = (at: number): PeerKind | undefined => {
    if (standing.count("outbound-full-relay") < slots.fullRelay + (isExtraWanted ? 1 : 0)) return "outbound-full-relay"
    if (standing.count("block-relay-only") < slots.blockRelay) return "block-relay-only"
    if (slots.blockRelay > 0 && at >= timers.nextExtra && canBeSpared()) {
      timers.nextExtra = at + chance.exponential(extraBlockRelayInterval.most)
      return "block-relay-only"
    }
    if (at < timers.nextFeeler || standing.count("feeler") >= slots.feelers) return undefined
    timers.nextFeeler = at + chance.exponential(feelerInterval.most)
    return "feeler"
  }

  const oldEnough = (kind: PeerKind, at: number): Array<Peer> =>
    [...peers.values()].filter((peer) => peer.kind === kind && !peer.isGone && at - peer.connectedAt >= extraPeerAge.most)

  const evictExtra = (at: number): void => {
    const forBlocks = [...peers.values()].filter(({ isGone, kind }) => kind === "block-relay-only" && !isGone)
    const young = forBlocks.toSorted((a, b) => b.connectedAt - a.connectedAt || b.id - a.id)
    if (young.length > slots.blockRelay && at - young[0]!.connectedAt >= extraPeerAge.most) {
      lesserOf(young[0]!, young[1]).disconnect("one peer for blocks too many")
    }
    const full = oldEnough("outbound-full-relay", at)
    const total = [...peers.values()].filter(({ isGone, kind }) => kind === "outbound-full-relay" && !isGone).length
    if (total <= slots.fullRelay || full.length === 0) return
    full.toSorted((a, b) => a.traffic.lastBlock - b.traffic.lastBlock || b.id - a.id)[0]!.disconnect("one outbound peer too many")
    isExtraWanted = false
  }

  return {
    wantExtra: (isWanted) => {
      isExtraWanted = isWanted
    },
    tick: (at) => {
      evictExtra(at)
      if (anchors.length > 0 && standing.count("block-relay-only") < slots.blockRelay && openAnchor()) return
      if (book.size() === 0) return
      const kind = kindWanted(at)
      const target = kind === undefined ? undefined : choose(kind)
      if (kind !== undefined && target !== undefined) dial(target, kind)
    }
  }
}
