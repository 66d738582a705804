import type { Moment } from "../../quantities.ts"
import { displayHash } from "../../hex.ts"
import { machineClock } from "../basics/environment.ts"
import type { P2pContext } from "../peer/p2p-context.ts"
import type { PeerPart } from "../peer/peer-part.ts"
import type { Peer } from "../peer/peer.ts"

/** Milliseconds after which a broadcast ends: a peer may never request what is announced. */
const PATIENCE = 5 * 60_000

/** Maximum number of broadcasts that are tracked; more would cause a flood of events. */
const MOST = 100

/** True while it has yet to be announced to a peer. */
type IsWaiting = (peer: Peer) => boolean

interface Broadcast {
  readonly kind: "block" | "transaction"
  readonly hash: string
  readonly isWaiting: IsWaiting
  readonly since: Moment
  /** The peers it has yet to reach, and the number of those that received it. */
  readonly waiting: Set<number>
  received: number
  /** Number of peers that disconnected before they received it. */
  lost: number
}

/** Reports when a block, or a transaction of this node, has been announced to all peers. */
export interface Broadcasts extends PeerPart {
  readonly begin: (kind: Broadcast["kind"], hash: Uint8Array, isWaiting: IsWaiting) => void
}

export const broadcasts = (
  { environment, peers, notify }: Pick<P2pContext, "environment" | "peers" | "notify">
): Broadcasts => {
  const now = machineClock(environment)
  const underWay = new Set<Broadcast>()

  const look = (broadcast: Broadcast, at: Moment): void => {
    const { hash, isWaiting, kind, since, waiting } = broadcast
    for (const id of waiting) {
      const peer = peers.get(id)
      if (peer !== undefined && !peer.isGone && isWaiting(peer)) continue
      waiting.delete(id)
      if (peer === undefined) broadcast.lost++
      else broadcast.received++
    }
    if (waiting.size > 0 && at - since < PATIENCE) return
    underWay.delete(broadcast)
    const { lost, received } = broadcast
    notify.event("BroadcastCompleted", { kind, hash, peers: received, failed: lost + waiting.size })
  }

  return {
    name: "broadcasts",
    handlers: {},
    tickAll: () => {
      const at = now()
      for (const broadcast of underWay) look(broadcast, at)
    },
    begin: (kind, hash, isWaiting) => {
      const waiting = new Set(
        [...peers.values()].filter((peer) => peer.isReady && !peer.isGone && isWaiting(peer)).map(({ id }) => id)
      )
      if (waiting.size === 0 || underWay.size >= MOST) return
      const shown = displayHash(hash)
      underWay.add({ kind, hash: shown, isWaiting, since: now(), waiting, received: 0, lost: 0 })
      notify.event("BroadcastStarted", { kind, hash: shown, peers: waiting.size })
    }
  }
}
