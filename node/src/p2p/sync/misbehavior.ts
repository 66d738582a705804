import type { Rejection } from "@lockstep/protocol/rejection/rejection.ts"
import type { PeerSync } from "./peer-sync.ts"

/**
 * Punishes the peer that sent a rejected block or header (Core's `MaybePunishNodeForBlock`). It is misbehavior to relay
 * what no honest node relays. A block from the future is not, since time may change the verdict. A block known to be
 * invalid counts only against outbound peers, since an inbound one may not know the rules yet. A compact block only
 * asserts that its header is valid, so only the header counts against the peer.
 */
export const maybePunishPeer = (
  { peer }: PeerSync,
  rejection: Rejection,
  via: "block" | "cmpctblock" | "headers"
): void => {
  const isCompact = via === "cmpctblock"
  const discourage = (): void => peer.discourage({ _tag: "BlockRejected", rejection, via })
  switch (rejection.class) {
    case "invalid header":
    case "invalid parent":
    case "missing parent":
      return discourage()
    case "invalid":
    case "mutated":
      return isCompact ? undefined : discourage()
    case "known invalid":
      return peer.inbound || isCompact ? undefined : discourage()
    case "too far in the future":
      return undefined
  }
}
