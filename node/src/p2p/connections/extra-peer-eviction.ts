import type { Moment, UnixMilliseconds } from "../../quantities.ts"
import { addressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import type { DisconnectReason } from "../../runtime/disconnect-reason.ts"
import type { Peer, PeerKind } from "../peer/peer.ts"
import { CONNECTION_LIMITS } from "./connection-limits.ts"
import type { Slots } from "./slots.ts"

/** The sync's record of an outbound peer. */
export interface PeerWorth {
  /** True if it is one of the few that are protected from eviction. */
  readonly isProtected: boolean
  /** True if blocks are in flight from it. */
  readonly isBusy: boolean
  /** Time at which it last was the first to announce a block, in milliseconds; 0 means never. */
  readonly lastAnnouncement: Moment
}

export type WorthOf = (peer: Peer) => PeerWorth

const { extraPeerAge } = CONNECTION_LIMITS

interface ExtraPeer {
  readonly peer: Peer
  readonly reason: DisconnectReason
}

/** Returns the block-relay-only peer to evict of two: the younger one, unless it has sent a newer block. */
const lesserOf = (youngest: Peer, second: Peer | undefined): Peer =>
  second !== undefined && youngest.traffic.lastBlock > second.traffic.lastBlock ? second : youngest

/** Selects full-relay and manual peers that are not the only one of their network. */
const notAlone = (all: ReadonlyArray<Peer>): (peer: Peer) => boolean => {
  const counts = new Map<string | undefined, number>()
  for (const { endpoint, kind } of all) {
    if (kind !== "outbound-full-relay" && kind !== "manual") continue
    const network = addressKind(endpoint.address)
    counts.set(network, (counts.get(network) ?? 0) + 1)
  }
  return ({ endpoint }) => counts.get(addressKind(endpoint.address)) !== 1
}

/**
 * Returns extra outbound peers to evict, each with the reason (Core: `EvictExtraOutboundPeers`). A peer is not evicted
 * right after it connected, nor while it sends blocks.
 */
export const extraPeersToEvict = (
  peers: Iterable<Peer>,
  { blockRelay, fullRelay }: Slots,
  worthOf: WorthOf,
  now: UnixMilliseconds
): ReadonlyArray<ExtraPeer> => {
  const all = [...peers].filter(({ isGone }) => !isGone)
  const of = (wanted: PeerKind): ReadonlyArray<Peer> => all.filter(({ kind }) => kind === wanted)
  const extra: Array<ExtraPeer> = []
  const consider = (peer: Peer | undefined, _tag: "ExtraBlockRelayPeer" | "ExtraOutboundPeer"): void => {
    if (peer === undefined || now - peer.connectedAt < extraPeerAge.most || worthOf(peer).isBusy) return
    extra.push({ peer, reason: { _tag } })
  }
  const forBlocks = of("block-relay-only").toSorted((a, b) => b.id - a.id)
  if (forBlocks.length > blockRelay) consider(lesserOf(forBlocks[0]!, forBlocks[1]), "ExtraBlockRelayPeer")
  const full = of("outbound-full-relay")
  if (full.length > fullRelay) {
    const announced = (peer: Peer): number => worthOf(peer).lastAnnouncement
    const replaceable = full.filter(notAlone(all)).filter((peer) => !worthOf(peer).isProtected)
    consider(
      replaceable.toSorted((a, b) => announced(a) - announced(b) || b.id - a.id)[0],
      "ExtraOutboundPeer"
    )
  }
  return extra
}
