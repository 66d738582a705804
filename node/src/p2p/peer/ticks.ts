import type { UnixMilliseconds } from "../../quantities.ts"
import * as Effect from "effect/Effect"
import type { Environment } from "../basics/environment.ts"
import type { Peer } from "./peer.ts"
import { concerns, type TickingPart } from "./peer-part.ts"

/** Milliseconds between ticks. */
export const TICK = 100

/** The subscribers to ticks. */
export interface Ticking {
  readonly environment: Environment
  readonly peers: ReadonlyMap<number, Peer>
  readonly parts: ReadonlyArray<TickingPart>
  /** Runs code about a peer whose defect costs only that peer. */
  readonly guarded: (peer: Peer, what: string, run: () => void) => void
  /** Reports a defect that concerns no single peer. */
  readonly defect: (what: string, defect: unknown) => void
}

const tickPeers = (part: TickingPart, now: UnixMilliseconds, { guarded, peers }: Ticking): void => {
  const { tick } = part
  if (tick === undefined) return
  for (const peer of peers.values()) {
    if (peer.isReady && !peer.isGone && concerns(part, peer.kind)) {
      guarded(peer, `${part.name}.tick`, () => tick(peer, now))
    }
  }
}

/** Milliseconds that the clock may be ahead of the last tick. Beyond, the clock was moved or the thread was busy. */
const MOST_BEHIND = 2 * TICK

/**
 * Ticks all peers if the last tick, at `last`, was long ago by the node's clock. Bitcoin Core processes all peers
 * between any two messages of one. So a test that moves the mocked clock and pings gets due messages to the others
 * sent.
 */
export const catchUp = (ticking: Ticking, last: UnixMilliseconds): UnixMilliseconds => {
  const now = ticking.environment.now()
  if (Math.abs(now - last) < MOST_BEHIND) return last
  for (const part of ticking.parts) tickPeers(part, now, ticking)
  return now
}

/** Runs one tick of all parts. */
export const tickOnce = (ticking: Ticking): void => {
  const now = ticking.environment.now()
  for (const part of ticking.parts) {
    try {
      part.tickAll?.(now)
    } catch (defect) {
      ticking.defect(`${part.name}.tickAll`, defect)
    }
    tickPeers(part, now, ticking)
  }
}

/** Ticks until interrupted, and reports the time of each tick by the node's clock. */
export const tickForever = (ticking: Ticking, ticked: (at: UnixMilliseconds) => void): Effect.Effect<never> =>
  Effect.forever(Effect.andThen(
    Effect.sleep(TICK),
    Effect.sync(() => {
      tickOnce(ticking)
      ticked(ticking.environment.now())
    })
  ))
