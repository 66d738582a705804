import type { Moment, UnixMilliseconds } from "../../../quantities.ts"
import type { Random } from "../../basics/environment.ts"
import type { OddPong } from "../../../runtime/trace.ts"
import type { Peer } from "../peer.ts"
import { PEER_LIMITS } from "../peer-limits.ts"
import { ProtocolVersion } from "./protocol-versions.ts"

/** The last ping of a peer. */
export interface Pinging {
  /** What its answer must have; none while no answer is awaited. */
  nonce: bigint | undefined
  sentAt: Moment
  /** The operator requested one out of turn. */
  isAsked: boolean
}

/** Before the first ping. */
export const pinging = (): Pinging => ({ nonce: undefined, sentAt: -Infinity, isAsked: false })

/** An unpredictable number of 64 bits, and not zero. */
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

/** Seconds that the answer to a ping has been awaited, once they are too many. */
export const pingTimeout = ({ nonce, sentAt }: Pinging, now: UnixMilliseconds): number | undefined =>
  nonce !== undefined && now > sentAt + PEER_LIMITS.silence.most ? (now - sentAt) / 1_000 : undefined

/** Sends a ping when it is time. */
export const keepPinging = (peer: Peer, state: Pinging, now: UnixMilliseconds, random: Random): void => {
  const isDue = state.nonce === undefined && now > state.sentAt + PEER_LIMITS.pingInterval.most
  if (isDue || state.isAsked) sendPing(peer, state, now, random)
}

const NONCE_BYTES = 8

/** The number of a pong; zero of one that is too short for any. */
const nonceOf = (payload: Uint8Array): bigint =>
  payload.length < NONCE_BYTES ? 0n : new DataView(payload.buffer, payload.byteOffset, 8).getBigUint64(0, true)

/** What is odd about a pong; nothing, where it answers the last ping. */
export const oddPong = ({ nonce: expected = 0n }: Pinging, payload: Uint8Array): OddPong | undefined => {
  const found = { expected, received: nonceOf(payload), bytes: payload.length }
  if (found.bytes < NONCE_BYTES) return { why: "short", ...found }
  if (expected === 0n) return { why: "unsolicited", ...found }
  if (found.received === expected) return undefined
  return { why: found.received === 0n ? "zero" : "mismatch", ...found }
}

/**
 * Takes the answer to a ping. One to another ping may have crossed it; zero, or no number at all, is what some answer
 * with.
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
