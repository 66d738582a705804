import type { MessageOf } from "@lockstep/protocol/wire/codecs.ts"
import type { DisconnectReason } from "../../../runtime/disconnect-reason.ts"
import type { ReconciliationStep } from "../../../runtime/trace.ts"
import type { P2pContext } from "../p2p-context.ts"
import { isFullRelay, type Peer } from "../peer.ts"
import { mayAnnounce, type OwnVersionInfo } from "./own-version.ts"
import { unforeseeable } from "./ping-pong.ts"
import { ProtocolVersion } from "./protocol-versions.ts"

/** The supported version of BIP330. */
const VERSION = 1

/**
 * Negotiates transaction reconciliation with peers (BIP330). Like Bitcoin Core, this node only negotiates it:
 * transactions are announced all the same.
 */
export interface Reconciliation {
  /** Sends `sendtxrcncl` before `verack`, if this node would reconcile with the peer. */
  readonly offer: (peer: Peer) => void
  /**
   * Returns the consequence of `sendtxrcncl` that does not depend on its content, or `undefined` if it is to be
   * decoded. Bitcoin Core judges in the same order.
   */
  readonly judge: (peer: Peer) => (() => void) | undefined
  /** Processes a decoded `sendtxrcncl`, after `judge`. */
  readonly receive: (peer: Peer, message: MessageOf<"sendtxrcncl">) => void
  /** Called when the handshake is complete; drops the state of a peer that has not agreed. */
  readonly settle: (peer: Peer) => void
  readonly gone: (peer: Peer) => void
}

/** True if this node would reconcile with a peer, by its `version`. */
const wouldReconcile = (peer: Peer, { wantsTransactions }: OwnVersionInfo): boolean =>
  wantsTransactions && isFullRelay(peer) && peer.hello?.relay === true &&
  peer.hello.version >= ProtocolVersion.WITNESS_IDS

/** Records for each peer whether reconciliation was offered or agreed. */
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

  /** Returns the reason to disconnect a peer that sends `sendtxrcncl` at all, or `undefined` if it may send it. */
  const objection = (peer: Peer): DisconnectReason | undefined => {
    if (peer.isReady) return { _tag: "AfterVerack", command: "sendtxrcncl" }
    if (!mayAnnounce(peer, versionInfo)) return { _tag: "ReconciliationWithoutOurRelay" }
    return peer.hello?.relay === true ? undefined : { _tag: "ReconciliationWithoutTheirRelay" }
  }

  /**
   * Returns the reason to disconnect a peer for the content of its `sendtxrcncl`, or `undefined` if it is acceptable.
   */
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
