import type { UnixMilliseconds } from "../../quantities.ts"
import * as Effect from "effect/Effect"
import type { Environment } from "../environment.ts"
import type { Peer } from "./peer.ts"
import { concerns, type TickingPart } from "./peer-part.ts"

/** Milliseconds between ticks. */
export const TICK = 100

/** The subscribers to ticks. */
export interface Ticking {
  readonly environment: Environment
  readonly peers: ReadonlyMap<number, Peer>
  readonly parts: ReadonlyArray<TickingPart>
  /** Runs something about a peer whose defect costs that peer alone. */
  readonly guarded: (peer: Peer, what: string, run: () => void) => void
  /** A defect that no peer is to blame for. */
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

/** One tick of all parts. */
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

/** Ticks until it is interrupted. */
export const tickForever = (ticking: Ticking): Effect.Effect<never> =>
  Effect.forever(Effect.andThen(Effect.sleep(TICK), Effect.sync(() => tickOnce(ticking))))
