import type { Moment, UnixMilliseconds } from "../../quantities.ts"
import type { KnownAddress } from "@lockstep/protocol/wire/messages/addr.ts"
import { ADDRESS_LIMITS } from "./address-limits.ts"
import { type KnownToPeer, knownToPeer } from "./known-to-peer.ts"

/** State of the address exchange with a peer. */
export interface PeerAddresses {
  /**
   * True once addresses are exchanged with it; false for block-relay-only peers, and for inbound peers until they send
   * an address message.
   */
  isEnabled: boolean
  readonly known: KnownToPeer
  /** Addresses to send at the next turn. */
  readonly waiting: Array<KnownAddress>
  nextSend: number
  /** Time at which this node's own address is next announced to it; 0 means at once. */
  nextOwn: Moment
  /** Addresses that it may still send. Time adds to them, and so does `getaddr`. */
  tokens: number
  filledAt: Moment
  /** True after `getaddr` was sent to it, while the long answer is awaited. */
  isAsked: boolean
  /** True if it sent `getaddr` and was answered. */
  wasAnswered: boolean
  processed: number
  limited: number
}

export const peerAddresses = (now: UnixMilliseconds): PeerAddresses => ({
  isEnabled: false,
  known: knownToPeer(),
  waiting: [],
  nextSend: 0,
  nextOwn: 0,
  tokens: 1,
  filledAt: now,
  isAsked: false,
  wasAnswered: false,
  processed: 0,
  limited: 0
})

const { intakeBurst, intakeRate } = ADDRESS_LIMITS

/** Adds the tokens earned since the last call. */
export const refill = (state: PeerAddresses, now: UnixMilliseconds): void => {
  if (state.tokens < intakeBurst.most) {
    state.tokens = Math.min(
      intakeBurst.most,
      state.tokens + Math.max(0, now - state.filledAt) / 1_000 * intakeRate.most
    )
  }
  state.filledAt = now
}
