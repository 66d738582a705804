import { type Rejection, rejectionText } from "@lockstep/protocol/rejection/rejection.ts"
import type { PeerSync } from "./peer-sync.ts"

const MUTATED = "mutated block"

/**
 * What a rejection means for the peer that sent the block or header (Core's `MaybePunishNodeForBlock`). What no honest
 * node relays is misbehavior and discourages the peer. A block from the future is not held against it, since time may
 * change the verdict. A block that was known to be invalid is held only against outbound peers, since an inbound one
 * may not know the rules yet. A block that came as a compact block says only that its header is valid, so only its header
 * is held against the peer, in the words `viaCompact`.
 */
export const maybePunishPeer = ({ peer }: PeerSync, rejection: Rejection, viaCompact?: string): void => {
  const reason = rejectionText(rejection)
  const isCompact = viaCompact !== undefined
  switch (rejection.class) {
    case "invalid header":
    case "invalid parent":
      return peer.discourage(viaCompact ?? reason)
    case "invalid":
      return isCompact ? undefined : peer.discourage(reason)
    case "mutated":
      if (isCompact) return undefined
      return peer.discourage(reason === MUTATED ? reason : `${MUTATED}: ${reason}`)
    case "known invalid":
      return peer.inbound || isCompact ? undefined : peer.discourage(reason)
    case "missing parent":
      return peer.discourage(viaCompact ?? reason)
    case "too far in the future":
      return undefined
  }
}
