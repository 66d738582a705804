import type { Moment, UnixMilliseconds } from "../../../quantities.ts"
import type { Random } from "../../basics/environment.ts"
import type { OddPong } from "../../../runtime/trace.ts"
import type { Peer } from "../peer.ts"
import { PEER_LIMITS } from "../peer-limits.ts"
import { ProtocolVersion } from "./protocol-versions.ts"

/** State of the last ping to a peer. */
export interface Pinging {
  /** Nonce that the pong must have; `undefined` while none is awaited. */
  nonce: bigint | undefined
  sentAt: Moment
  /** True if the operator requested a ping out of turn. */
  isAsked: boolean
}

/** Makes the state before the first ping. */
export const pinging = (): Pinging => ({ nonce: undefined, sentAt: -Infinity, isAsked: false })

/** Returns an unpredictable nonzero 64-bit number. */
export const unforeseeable = (random: Random): bigint => {
  const bytes = random.bytes(8)
  return new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0) | 1n
}

const sendPing = (peer: Peer, state: Pinging, now: UnixMilliseconds, random: Random): void => {
  const isAnswered = (peer.hello?.version ?? 0) > ProtocolVersion.PONG_ABOVE
  state.nonce = isAnswered ? unforeseeable(random) : undefined
  state.sentAt = now
  state.isAsked = false
  peer.latency.waitingSince = isAnswered ? now : undefined
  peer.send({ command: "ping", nonce: state.nonce })
}

/** Returns the seconds for which a pong has been awaited if that is too long, or `undefined`. */
export const pingTimeout = ({ nonce, sentAt }: Pinging, now: UnixMilliseconds): number | undefined =>
  nonce !== undefined && now > sentAt + PEER_LIMITS.silence.most ? (now - sentAt) / 1_000 : undefined

/** Sends a ping if it is due. */
export const keepPinging = (peer: Peer, state: Pinging, now: UnixMilliseconds, random: Random): void => {
  const isDue = state.nonce === undefined && now > state.sentAt + PEER_LIMITS.pingInterval.most
  if (isDue || state.isAsked) sendPing(peer, state, now, random)
}

const NONCE_BYTES = 8

/** Returns the nonce of a pong, little-endian; 0 if the payload is too short. */
const nonceOf = (payload: Uint8Array): bigint =>
  payload.length < NONCE_BYTES ? 0n : new DataView(payload.buffer, payload.byteOffset, 8).getBigUint64(0, true)

/** Returns what is wrong with a pong, or `undefined` if it answers the last ping. */
export const oddPong = ({ nonce: expected = 0n }: Pinging, payload: Uint8Array): OddPong | undefined => {
  const found = { expected, received: nonceOf(payload), bytes: payload.length }
  if (found.bytes < NONCE_BYTES) return { why: "short", ...found }
  if (expected === 0n) return { why: "unsolicited", ...found }
  if (found.received === expected) return undefined
  return { why: found.received === 0n ? "zero" : "mismatch", ...found }
}

/**
 * Processes a pong. One with another nonce may answer an earlier ping and is ignored. A zero or missing nonce ends the
 * wait, as some nodes send it.
 */
export const receivePong = (peer: Peer, state: Pinging, payload: Uint8Array, now: UnixMilliseconds): void => {
  if (state.nonce === undefined) return
  const nonce = nonceOf(payload)
  if (nonce === state.nonce) {
    const took = Math.max(0, now - state.sentAt)
    peer.latency.last = took
    peer.latency.least = Math.min(peer.latency.least ?? took, took)
  } else if (nonce !== 0n) return
  state.nonce = undefined
  peer.latency.waitingSince = undefined
}
