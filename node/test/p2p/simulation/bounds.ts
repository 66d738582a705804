import { ADDRESS_LIMITS } from "../../../src/p2p/addresses/address-limits.ts"
import { CONNECTION_LIMITS } from "../../../src/p2p/connections/connection-limits.ts"
import { slotsOf } from "../../../src/p2p/connections/slots.ts"
import { PEER_LIMITS } from "../../../src/p2p/peer/peer-limits.ts"
import { RELAY_LIMITS } from "../../../src/p2p/relay/relay-limits.ts"
import { arrivingCount } from "../../../src/p2p/sync/blocks/arriving-blocks.ts"
import {
  ANNOUNCED_HEADERS,
  DOWNLOAD_WINDOW,
  REMEMBERED_SENDERS,
  WAITING_BLOCK_BYTES
} from "../../../src/p2p/sync/sync-limits.ts"
import { LIMITS } from "@lockstep/protocol/wire/limits.ts"
import { BLOCKS_PER_PEER, type Running } from "./node.ts"
import type { World } from "./world.ts"

/** What of a node is too much, or does not fit together. */
export const excessesOf = ({ chain, p2p }: Running, { ledger, plan }: World): ReadonlyArray<string> => {
  const found: Array<string> = []
  const atMost = (what: string, is: number, most: number): void => {
    if (is > most) found.push(`${what}: ${is}, at most ${most}`)
  }
  const { relay, reputation, service: { book, figures, peers }, sync: { state } } = p2p

  const slots = slotsOf(plan.connections, undefined)
  const outbound = slots.fullRelay + slots.blockRelay + slots.feelers + CONNECTION_LIMITS.manual.most
  const live = [...peers.values()].filter(({ isGone }) => !isGone)
  atMost("inbound peers", live.filter(({ inbound }) => inbound).length, slots.inbound)
  // One more of each kind is tried now and then.
  atMost("outbound peers", live.filter(({ inbound }) => !inbound).length, outbound + 2)
  for (const peer of live) {
    atMost(`bytes unsent to ${peer.name}`, peer.unsent(), PEER_LIMITS.unsentAtAll.most + LIMITS.block.most)
    atMost(`announcements for ${peer.name}`, figures.relay(peer).waiting, 100_000)
    atMost(`transactions asked of ${peer.name}`, relay.inFlight(peer), RELAY_LIMITS.announcements.most)
  }

  atMost("headers", chain.tree.nodes.length, ledger.size())
  atMost(
    "addresses",
    book.size(),
    (ADDRESS_LIMITS.newBuckets.most + ADDRESS_LIMITS.triedBuckets.most) * ADDRESS_LIMITS.bucketSize.most
  )
  atMost("discouraged addresses", reputation.discouraged.size(), CONNECTION_LIMITS.discouraged.most)
  const { announcements, orphans } = relay.sizes()
  atMost("announced transactions", announcements, RELAY_LIMITS.announcements.most * Math.max(1, peers.size))
  atMost("orphans", orphans, RELAY_LIMITS.orphanAnnouncements.most)

  const { arriving, headersFrom, inFlight, peers: syncing, sources, waitingBytes } = state
  atMost("blocks in flight", inFlight.size, BLOCKS_PER_PEER * syncing.size)
  atMost("blocks arriving", arrivingCount(arriving), DOWNLOAD_WINDOW)
  // Each peer may bring one more.
  atMost("bytes of blocks waiting", waitingBytes, WAITING_BLOCK_BYTES + LIMITS.block.most * syncing.size)
  atMost("senders remembered", sources.size, REMEMBERED_SENDERS)
  let [asked, started] = [0, 0]
  for (const [id, from] of syncing) {
    if (!peers.has(id)) found.push(`the sync remembers ${from.peer.name}, which is gone`)
    asked += from.inFlight.size
    started += from.syncStarted ? 1 : 0
    atMost(`blocks asked of ${from.peer.name}`, from.inFlight.size, BLOCKS_PER_PEER)
    atMost(`blocks to announce to ${from.peer.name}`, from.announcements.length, ANNOUNCED_HEADERS + 1)
    for (const { peer } of from.inFlight.values()) {
      if (peer !== from) found.push(`${from.peer.name} has a request of another`)
    }
  }
  if (asked !== inFlight.size) found.push(`${inFlight.size} blocks in flight, but peers were asked for ${asked}`)
  if (started !== headersFrom) found.push(`headers from ${headersFrom} peers, but ${started} are being asked`)
  for (const { peer: { peer } } of sources.values()) {
    if (!peers.has(peer.id)) found.push(`the sender ${peer.name} is gone`)
  }
  return found
}

/** What a node holds although it has no peer any more. */
export const leftoversOf = ({ p2p }: Running): ReadonlyArray<string> => {
  const { relay, service: { peers }, sync: { state } } = p2p
  const { announcements, orphans } = relay.sizes()
  const sizes = {
    peers: peers.size,
    "peers of the sync": state.peers.size,
    "blocks in flight": state.inFlight.size,
    "blocks arriving": arrivingCount(state.arriving),
    senders: state.sources.size,
    "announced transactions": announcements,
    orphans
  }
  return Object.entries(sizes).flatMap(([what, size]) => size === 0 ? [] : [`${what}: ${size}`])
}
