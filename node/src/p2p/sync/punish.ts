import type { Rejection } from "@lockstep/protocol/rejection/rejection.ts"
import type { PeerSync } from "./peer-sync.ts"

/**
 * What a refusal means for whoever sent the block or header: what no honest node passes on discourages it. Waiting may change
 * what comes from the future; a parent that is missing is nobody's fault; that an ancestor is invalid is held only against
 * outbound peers, which we rely on, since an inbound one may just not know the rules yet.
 */
export const punish = ({ peer }: PeerSync, { reason, what }: Rejection): void => {
  switch (what) {
    case "invalid":
    case "invalid header":
    case "mutated":
    case "invalid parent":
      return peer.discourage(reason)
    case "known invalid":
      return peer.inbound ? undefined : peer.discourage(reason)
    case "missing parent":
      return peer.discourage(reason)
    case "too far in the future":
      return undefined
  }
}
