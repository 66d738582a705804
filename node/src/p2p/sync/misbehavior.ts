import { type Rejection, rejectionText } from "@lockstep/protocol/rejection/rejection.ts"
import type { PeerSync } from "./peer-sync.ts"

const MUTATED = "mutated block"

const wordsOf = (reason: string, about: string | undefined, isCompact: boolean): string => {
  if (about === undefined) return reason
  return isCompact ? about : `${about}: ${reason}`
}

/**
 * What a rejection means for the peer that sent the block or header (Core's `MaybePunishNodeForBlock`). What no honest
 * node relays is misbehavior and discourages the peer. A block from the future is not held against it, since time may
 * change the verdict. A block that was known to be invalid is held only against outbound peers, since an inbound one
 * may not know the rules yet. A block that came as a compact block (`isCompact`) says only that its header is valid, so
 * only its header is held against the peer. `about`: Bitcoin Core's words for a header; the reason follows them, but for a
 * compact block.
 */
export const maybePunishPeer = (
  { peer }: PeerSync,
  rejection: Rejection,
  about?: string,
  isCompact = false
): void => {
  const reason = rejectionText(rejection)
  const words = wordsOf(reason, about, isCompact)
  switch (rejection.class) {
    case "invalid header":
    case "invalid parent":
    case "missing parent":
      return peer.discourage(words)
    case "invalid":
      return isCompact ? undefined : peer.discourage(words)
    case "mutated":
      if (isCompact) return undefined
      return peer.discourage(reason === MUTATED ? reason : `${MUTATED}: ${reason}`)
    case "known invalid":
      return peer.inbound || isCompact ? undefined : peer.discourage(words)
    case "too far in the future":
      return undefined
  }
}
