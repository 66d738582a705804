import type { MessageOf } from "@lockstep/protocol/wire/codecs.ts"
import type { DisconnectReason } from "../../../runtime/disconnect-reason.ts"
import type { ReconciliationStep } from "../../../runtime/trace.ts"
import type { P2pContext } from "../p2p-context.ts"
import { isFullRelay, type Peer } from "../peer.ts"
import { mayAnnounce, type OwnVersionInfo } from "./own-version.ts"
import { unforeseeable } from "./ping-pong.ts"
import { ProtocolVersion } from "./protocol-versions.ts"

/** The version of BIP330 that this node knows. */
const VERSION = 1

/**
 * Agrees with peers that transactions may be reconciled (BIP330). Bitcoin Core does no more than agree, and neither does
 * this node: transactions are announced all the same.
 */
export interface Reconciliation {
  /** Sends `sendtxrcncl` before `verack`, where this node would reconcile with the peer. */
  readonly offer: (peer: Peer) => void
  /** What follows from `sendtxrcncl` whatever it holds; `undefined`: it is to be read. As in Bitcoin Core, that is judged first. */
  readonly judge: (peer: Peer) => (() => void) | undefined
  /** A peer has sent `sendtxrcncl`, which was judged and read. */
  readonly receive: (peer: Peer, message: MessageOf<"sendtxrcncl">) => void
  /** The handshake is complete: a peer that has not agreed by now never does. */
  readonly settle: (peer: Peer) => void
  readonly gone: (peer: Peer) => void
}

/** Whether this node would reconcile with a peer whose `version` it has. */
const wouldReconcile = (peer: Peer, { wantsTransactions }: OwnVersionInfo): boolean =>
  wantsTransactions && isFullRelay(peer) && peer.hello?.relay === true &&
  peer.hello.version >= ProtocolVersion.WITNESS_IDS

/** Keeps for each peer whether reconciliation was only offered to it, or agreed with it. */
export const reconciliation = (
  { environment, notify }: P2pContext,
  versionInfo: OwnVersionInfo
): Reconciliation => {
  const states = new Map<number, "agreed" | "offered">()
  const isOn = versionInfo.reconciles === true

  const report = ({ id, inbound }: Peer, step: ReconciliationStep): void =>
    notify.trace?.({ _tag: "Reconciliation", peer: id, isInbound: inbound, step })

  const forget = (peer: Peer): void => {
    if (states.delete(peer.id)) report(peer, "forgotten")
  }

  /** Why a peer that sends `sendtxrcncl` is disconnected before it is read; none: it may send it. */
  const objection = (peer: Peer): DisconnectReason | undefined => {
    if (peer.isReady) return { _tag: "AfterVerack", command: "sendtxrcncl" }
    if (!mayAnnounce(peer, versionInfo)) return { _tag: "ReconciliationWithoutOurRelay" }
    return peer.hello?.relay === true ? undefined : { _tag: "ReconciliationWithoutTheirRelay" }
  }

  /** Why a peer is disconnected for what it sent in `sendtxrcncl`; none: that is as agreed. */
  const violation = (peer: Peer, { version }: MessageOf<"sendtxrcncl">): DisconnectReason | undefined => {
    const state = states.get(peer.id)
    if (state === "agreed") return { _tag: "ReconciliationRepeated" }
    return state === "offered" && version < VERSION ? { _tag: "ReconciliationVersion" } : undefined
  }

  return {
    offer: (peer) => {
      if (!isOn || !wouldReconcile(peer, versionInfo)) return
      states.set(peer.id, "offered")
      report(peer, "offered")
      peer.send({ command: "sendtxrcncl", version: VERSION, salt: unforeseeable(environment.random) })
    },
    judge: (peer) => {
      if (!isOn) return () => report(peer, "off")
      const reason = objection(peer)
      return reason === undefined ? undefined : () => peer.disconnect(reason)
    },
    receive: (peer, message) => {
      const reason = violation(peer, message)
      if (reason !== undefined) return peer.disconnect(reason)
      if (!states.has(peer.id)) return report(peer, "unexpected")
      states.set(peer.id, "agreed")
      report(peer, "agreed")
    },
    settle: (peer) => {
      if (peer.hello?.wtxidRelay !== true || states.get(peer.id) !== "agreed") forget(peer)
    },
    gone: forget
  }
}
