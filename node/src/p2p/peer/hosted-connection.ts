import type { Connection, ConnectionListener } from "../transport/transport.ts"
import type { DisconnectReason } from "../../runtime/disconnect-reason.ts"
import type { InboundWorkLimiter } from "./inbound-work-limiter.ts"
import { discard, heldFor, type Inbox, put } from "./inbox.ts"
import type { LivePeer } from "./live-peer.ts"
import { PEER_BUFFERS } from "./peer-buffers.ts"
import type { Hosted } from "./pump.ts"
import type { ReceiveBudget } from "./receive-budget.ts"

/** What a connection of a peer is hosted with. */
export interface HostedConnectionOptions {
  readonly peer: LivePeer
  readonly connection: Connection
  readonly inbox: Inbox
  readonly budget: ReceiveBudget
  readonly limiter: InboundWorkLimiter
  /** Whether messages of untrusted inbound peers are held back now. */
  readonly isHeldBack: () => boolean
  /** Bytes that may wait here before reading stops; none: those of Bitcoin Core. */
  readonly mostReceived?: number | undefined
  readonly arrived: (bytes: Uint8Array) => void
  /** The send queue is empty. */
  readonly drained: () => void
  /** The connection has ended. Never called from within `disconnect`. */
  readonly closed: (reason: DisconnectReason) => void
}

/** The two sides of a connection: the pump, which handles what arrived, and the transport, which brings it. */
export interface HostedConnection {
  readonly hosted: Hosted
  readonly listener: ConnectionListener
}

/**
 * Holds what arrives on a connection until the pump handles it, and pauses the connection when much is held. An untrusted
 * inbound peer has shares of the receive budget and of the work.
 */
export const hostedConnection = (options: HostedConnectionOptions): HostedConnection => {
  const { budget, connection, inbox, isHeldBack, limiter, mostReceived = PEER_BUFFERS.received, peer } = options
  let isPaused = false
  // What arrives while the fiber is on its way to sleep must not be slept over.
  let isAwake = true
  let resume: (() => void) | undefined
  const isUntrusted = peer.inbound && !peer.isTrusted
  const share = isUntrusted ? budget.join(peer, () => resumeReading()) : undefined
  const workShare = isUntrusted ? limiter.join(isHeldBack, () => wake()) : undefined
  if (workShare !== undefined) peer.work = workShare

  /**
   * Whether what this peer sends waits in the network. Not because it leaves answers unread: its own sending may have to
   * end first, and two nodes that both stopped reading would wait for each other for good.
   */
  const isKeptWaiting = (): boolean => workShare?.isSpent() === true || share?.isTooMuch() === true

  const resumeReading = (): void => {
    share?.set(heldFor(inbox))
    // A message on its way does not count: nothing but its rest will ever make it less.
    if (!isPaused || peer.isGone || inbox.held > mostReceived / 2) return
    if (isKeptWaiting()) return
    isPaused = false
    connection.resume()
  }

  const wake = (): void => {
    isAwake = true
    const wakeUp = resume
    resume = undefined
    // The fiber may run within this call, and be asleep again at its end.
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
      // A peer that this node makes wait does not count as waiting for its own sender.
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
      // The caller of `disconnect` may be in the middle of something that is about this peer.
      queueMicrotask(() => options.closed(peer.reason ?? { _tag: "ConnectionEnded", why }))
      wake()
    }
  }

  return { hosted, listener }
}
