import type { Moment, UnixMilliseconds } from "../../quantities.ts"
import type { KnownAddress } from "@lockstep/protocol/wire/messages/addr.ts"
import { ADDRESS_LIMITS } from "./address-limits.ts"
import { type KnownToPeer, knownToPeer } from "./known-to-peer.ts"

/** What is known of a peer, as far as addresses go. */
export interface PeerAddresses {
  /** Addresses go to and fro with it: it never counts for peers that are for blocks alone, or that never sent any. */
  isEnabled: boolean
  readonly known: KnownToPeer
  /** To be sent with the next turn. */
  readonly waiting: Array<KnownAddress>
  nextSend: number
  /** When this node's own address is announced to it; 0: at once. */
  nextOwn: Moment
  /** Addresses that it may still send: filled with time, or at once by asking it. */
  tokens: number
  filledAt: Moment
  /** `getaddr` was sent to it, and the long answer is awaited. */
  isAsked: boolean
  /** It sent `getaddr`, and was answered. */
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

/** Gives what time has brought. */
export const refill = (state: PeerAddresses, now: UnixMilliseconds): void => {
  if (state.tokens < intakeBurst.most) {
    state.tokens = Math.min(
      intakeBurst.most,
      state.tokens + Math.max(0, now - state.filledAt) / 1_000 * intakeRate.most
    )
  }
  state.filledAt = now
}
