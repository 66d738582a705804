import type { Command } from "@lockstep/protocol/wire/codecs.ts"
import { frameConsequence, payloadConsequence } from "@lockstep/protocol/wire/consequence.ts"
import { endsConnection, faultText, passedOver } from "@lockstep/protocol/wire/fault.ts"
import type { KnownFrame } from "@lockstep/protocol/wire/frame-reader.ts"
import type { ArrivedFrame } from "@lockstep/protocol/wire/peer-transport.ts"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import { type BadPayload, misbehaviorText } from "../../runtime/misbehavior.ts"
import type { Dispatch } from "./dispatcher.ts"
import { type Inbox, nextMessage } from "./inbox.ts"
import type { LivePeer } from "./live-peer.ts"
import type { CaptureMessage } from "./message-capture.ts"
import type { Peer } from "./peer.ts"
import type { P2pNotifications } from "../basics/p2p-notifications.ts"
import type { RateLimitedLog } from "./rate-limited-log.ts"

/** A peer with its inbox. */
export interface Hosted {
  readonly peer: LivePeer
  readonly inbox: Inbox
  /** The last stage of the handshake that the parts were notified of. */
  stage: "none" | "greeted" | "ready"
  /** Called before the inbox is processed. */
  readonly looking: () => void
  /**
   * Calls `resume` when something arrives, all unsent bytes are out, its work share is refilled, or the connection
   * ends. It does so at once if that happened since the inbox was last processed.
   */
  readonly sleep: (resume: () => void) => void
  /** Called after the inbox was processed. `isWhole` is true if it contained a whole message. */
  readonly relieved: (isWhole: boolean) => void
}

/** Options of a pump. */
export interface Pumping {
  readonly dispatch: Dispatch
  readonly received: (hosted: Hosted, command: Command | undefined, bytes: number) => void
  /** Called after each message. What it makes due is sent before the next message is processed. */
  readonly handled: (hosted: Hosted) => void
  readonly log: RateLimitedLog
  readonly trace?: P2pNotifications["trace"]
  readonly capture?: CaptureMessage | undefined
}

const arrival = ({ sleep }: Hosted): Effect.Effect<void> =>
  Effect.callback((resume) => sleep(() => resume(Effect.void)))

const follow = (peer: Peer, bad: BadPayload): void => {
  const consequence = payloadConsequence(bad.command, bad.fault)
  if (consequence === "disconnect") peer.disconnect(bad)
  if (consequence === "discourage") peer.discourage(bad)
}

const workOf = (
  peer: LivePeer,
  { command, payload }: KnownFrame,
  { dispatch, log, trace }: Pumping
): Effect.Effect<void> => {
  const dispatched = dispatch(peer, command, payload)
  if (dispatched === undefined) {
    const why = peer.hello === undefined ? "before version" : "before verack"
    if (!peer.isReady) trace?.({ _tag: "LeftOut", peer: peer.id, command, why })
    return Effect.void
  }
  if (Result.isSuccess(dispatched)) return dispatched.success
  const bad: BadPayload = { _tag: "BadPayload", command, fault: dispatched.failure }
  trace?.({ ...bad, peer: peer.id, bytes: payload.length })
  log("payload", "debug", "a message that is none", { peer: peer.name, reason: misbehaviorText(bad) })
  follow(peer, bad)
  return Effect.void
}

const reportDefect = (peer: Peer, where: string, cause: Cause.Cause<unknown>, log: RateLimitedLog): void => {
  log(`defect:${where}`, "error", "a defect in the network layer", {
    peer: peer.name,
    where,
    defect: Cause.pretty(cause)
  })
  peer.disconnect({ _tag: "InternalError" })
}

const handle = (hosted: Hosted, { bytes, frame }: ArrivedFrame, pumping: Pumping): Effect.Effect<void> => {
  const { peer } = hosted
  const size = frame._tag === "Unknown" ? frame.length : frame.payload.length
  pumping.trace?.({ _tag: "Received", peer: peer.id, command: frame.command, bytes: size })
  if (frame._tag === "Unknown") {
    pumping.received(hosted, undefined, bytes)
    const why = peer.hello === undefined ? "before version" : peer.isReady ? "unknown type" : "before verack"
    pumping.trace?.({ _tag: "LeftOut", peer: peer.id, command: frame.command, why })
    return Effect.sync(() => pumping.handled(hosted))
  }
  pumping.received(hosted, frame.command, bytes)
  pumping.capture?.("received", peer.name, frame.command, frame.payload)
  // Answers reflect the chain with all blocks received earlier, and follow all announcements that were due.
  const isAtOnce = frame.command === "block" || (peer.blocks.isSettled() && peer.announcements.isSettled())
  const before = isAtOnce ? Effect.void : Effect.andThen(peer.blocks.settled, peer.announcements.settled)
  return Effect.map(Effect.andThen(before, Effect.suspend(() => workOf(peer, frame, pumping))), () => {
    pumping.handled(hosted)
  })
}

/**
 * Handles the messages of a peer, one after another, until its connection ends. Other peers have their turn between any
 * two messages. A defect in a handler ends this connection only.
 */
export const pump = (hosted: Hosted, pumping: Pumping): Effect.Effect<void> => {
  const { inbox, looking, peer, relieved } = hosted
  const { log } = pumping
  const step = Effect.suspend((): Effect.Effect<void> => {
    looking()
    // A peer that does not read its answers, or spent its share of work, gets no further request processed.
    if (!peer.hasRoom()) return arrival(hosted)
    const next = nextMessage(inbox)
    relieved(Result.isFailure(next) || next.success !== undefined)
    if (Result.isFailure(next)) {
      const fault = next.failure
      pumping.trace?.({ _tag: "BadFrame", peer: peer.id, fault })
      log("frame", "debug", "a frame that is none", { peer: peer.name, reason: faultText(fault) })
      if (!endsConnection(fault)) pumping.received(hosted, undefined, passedOver(fault))
      if (frameConsequence(fault) === "disconnect") peer.disconnect({ _tag: "BadFrame", fault })
      return Effect.yieldNow
    }
    const arrived = next.success
    if (arrived === undefined) return arrival(hosted)
    const where = arrived.frame._tag === "Known" ? arrived.frame.command : "an unknown command"
    return Effect.suspend(() => handle(hosted, arrived, pumping)).pipe(
      Effect.exit,
      Effect.flatMap((exit) => {
        if (Exit.isFailure(exit)) reportDefect(peer, where, exit.cause, log)
        return Effect.yieldNow
      })
    )
  })
  return Effect.whileLoop({ while: () => !peer.isGone, body: () => step, step: () => {} })
}
