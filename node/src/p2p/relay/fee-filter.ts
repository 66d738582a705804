import type { P2pContext } from "../p2p-context.ts"
import { ProtocolVersion } from "../peer/session/protocol-versions.ts"
import type { PeerRelay } from "./peer-relay.ts"
import { NOTHING_WANTED, RELAY_LIMITS } from "./relay-limits.ts"

/** Tells a peer what we want to be told of, when that has changed, and not more often than every few minutes. */
export const keepFeeFilter = (to: PeerRelay, context: P2pContext, minimum: () => bigint, now: number): void => {
  if (!to.mayTell || (to.peer.hello?.version ?? 0) < ProtocolVersion.FEE_FILTER) return
  const feerate = context.chain.state().initialBlockDownload ? NOTHING_WANTED : minimum()
  // Once the download is over nobody has to wait to hear it.
  const isOver = to.saidFeerate === NOTHING_WANTED && feerate !== NOTHING_WANTED
  if (now < to.nextFeeFilter && !isOver) return
  to.nextFeeFilter = now + context.environment.chance.exponential(RELAY_LIMITS.feeFilterInterval.most)
  if (feerate === to.saidFeerate) return
  to.saidFeerate = feerate
  to.peer.send({ command: "feefilter", feerate })
}
