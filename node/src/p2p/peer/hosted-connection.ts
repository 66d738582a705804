import type { Connection, ConnectionListener } from "../transport/transport.ts"
import type { DisconnectReason } from "../../runtime/disconnect-reason.ts"
import type { InboundWorkLimiter } from "./inbound-work-limiter.ts"
import { discard, heldFor, type Inbox, put } from "./inbox.ts"
import type { LivePeer } from "./live-peer.ts"
import { PEER_BUFFERS } from "./peer-buffers.ts"
import type { Hosted } from "./pump.ts"
import type { ReceiveBudget } from "./receive-budget.ts"

/** Options for hosting a peer's connection. */
export interface HostedConnectionOptions {
  readonly peer: LivePeer
  readonly connection: Connection
  readonly inbox: Inbox
  readonly budget: ReceiveBudget
  readonly limiter: InboundWorkLimiter
  /** True while messages of untrusted inbound peers are held back. */
  readonly isHeldBack: () => boolean
  /** Limit in bytes on the receive buffer before reading stops; Bitcoin Core's by default. */
  readonly mostReceived?: number | undefined
  readonly arrived: (bytes: Uint8Array) => void
  /** Called when the send queue becomes empty. */
  readonly drained: () => void
  /** Called when the connection has ended; never from within `disconnect`. */
  readonly closed: (reason: DisconnectReason) => void
}

/** The two sides of a connection: the pump, which handles what arrived, and the transport, which delivers it. */
export interface HostedConnection {
  readonly hosted: Hosted
  readonly listener: ConnectionListener
}

/**
 * Buffers what arrives on a connection until the pump handles it, and pauses reading when the buffer is full. An
 * untrusted inbound peer has shares of the receive budget and of the work.
 */
export const hostedConnection = (options: HostedConnectionOptions): HostedConnection => {
  const { budget, connection, inbox, isHeldBack, limiter, mostReceived = PEER_BUFFERS.received, peer } = options
  let isPaused = false
  // True if something arrived since the fiber last looked. It prevents a lost wake-up while the fiber goes to sleep.
  let isAwake = true
  let resume: (() => void) | undefined
  const isUntrusted = peer.inbound && !peer.isTrusted
  const share = isUntrusted ? budget.join(peer, () => resumeReading()) : undefined
  const workShare = isUntrusted ? limiter.join(isHeldBack, () => wake()) : undefined
  if (workShare !== undefined) peer.work = workShare

  /**
   * True if reading from this peer has to pause. Unread answers are no reason: the peer may have to finish sending
   * first, and two nodes that both stopped reading would wait for each other forever.
   */
  const isKeptWaiting = (): boolean => workShare?.isSpent() === true || share?.isTooMuch() === true

  const resumeReading = (): void => {
    share?.set(heldFor(inbox))
    // A partial message in the transport does not count, as only its remaining bytes can reduce it.
    if (!isPaused || peer.isGone || inbox.held > mostReceived / 2) return
    if (isKeptWaiting()) return
    isPaused = false
    connection.resume()
  }

  const wake = (): void => {
    isAwake = true
    const wakeUp = resume
    resume = undefined
    // The fiber may run within this call, and sleep again when it returns.
    wakeUp?.()
  }

  const hosted: Hosted = {
    peer,
    inbox,
    stage: "none",
    looking: () => {
      isAwake = false
    },
    sleep: (wakeUp) => {
      // While this node makes the peer wait, that does not count as waiting for the peer.
      if (workShare?.isSpent() !== true) share?.waits()
      if (isAwake) wakeUp()
      else resume = wakeUp
    },
    relieved: (isWhole) => {
      if (isWhole) share?.progressed()
      resumeReading()
    }
  }

  const listener: ConnectionListener = {
    received: (bytes) => {
      if (peer.isGone) return
      options.arrived(bytes)
      put(inbox, bytes)
      const held = heldFor(inbox)
      share?.set(held)
      workShare?.charge(bytes.length)
      if (!isPaused && (held > mostReceived || isKeptWaiting())) {
        isPaused = true
        connection.pause()
      }
      wake()
    },
    drained: () => {
      if (peer.isGone) return
      options.drained()
      wake()
    },
    closed: (why) => {
      peer.isGone = true
      share?.leave()
      workShare?.leave()
      discard(inbox)
      // The caller of `disconnect` may be using the state of this peer.
      queueMicrotask(() => options.closed(peer.reason ?? { _tag: "ConnectionEnded", why }))
      wake()
    }
  }

  return { hosted, listener }
}
