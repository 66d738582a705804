import { type Rejection, rejectionText } from "@lockstep/protocol/rejection/rejection.ts"
import type { PeerSync } from "./peer-sync.ts"

const MUTATED = "mutated block"

/**
 * What a rejection means for the peer that sent the block or header (Core's `MaybePunishNodeForBlock`). What no honest
 * node relays is misbehavior and discourages the peer. A block from the future is not held against it, since time may
 * change the verdict. A block that was known to be invalid is held only against outbound peers, since an inbound one
 * may not know the rules yet.
 */
export const maybePunishPeer = ({ peer }: PeerSync, rejection: Rejection): void => {
  const reason = rejectionText(rejection)
  switch (rejection.class) {
    case "invalid":
    case "invalid header":
    case "invalid parent":
      return peer.discourage(reason)
    case "mutated":
      return peer.discourage(reason === MUTATED ? reason : `${MUTATED}: ${reason}`)
    case "known invalid":
      return peer.inbound ? undefined : peer.discourage(reason)
    case "missing parent":
      return peer.discourage(reason)
    case "too far in the future":
      return undefined
  }
}
