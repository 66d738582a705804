import * as Effect from "effect/Effect"
import {
  type CompactOptions,
  type CompactState,
  compactState
} from "../../../src/p2p/sync/compact-blocks/compact-state.ts"
import type { Peer } from "../../../src/p2p/peer/peer.ts"

/** Peers that want no compact blocks, and may want headers, or serve compact blocks. */
export const plainPreferences = (
  prefersHeaders: (peer: Peer) => boolean,
  servesCompact: (peer: Peer) => boolean = () => false
): CompactOptions => ({
  preferences: { prefersHeaders, prefersCompact: () => false, servesCompact },
  forms: { of: () => Effect.succeed(undefined), kept: () => undefined, note: () => undefined },
  isOn: true
})

/** The state of a sync with such peers. */
export const plainState = (prefersHeaders: (peer: Peer) => boolean): CompactState =>
  compactState(plainPreferences(prefersHeaders), (effect) => void Effect.runFork(effect))
