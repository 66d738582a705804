import type { Height } from "@lockstep/kernel/quantities"
import type { Effect } from "effect/Effect"
import type { Peer } from "../../peer/peer.ts"
import { type CompactFigures, compactFigures } from "./compact-figures.ts"
import type { CompactForms } from "./compact-forms.ts"

/** Peers' preferences for announcements of new blocks, and their support for compact blocks. */
export interface BlockPreferences {
  /** True if the peer prefers `headers`. */
  readonly prefersHeaders: (peer: Peer) => boolean
  /** True if the peer prefers unrequested compact blocks (high-bandwidth mode). */
  readonly prefersCompact: (peer: Peer) => boolean
  /** True if the peer serves compact blocks. */
  readonly servesCompact: (peer: Peer) => boolean
}

/** Options of the sync for compact blocks. */
export interface CompactOptions {
  readonly preferences: BlockPreferences
  readonly forms: CompactForms
  /** True if blocks are reconstructed from the mempool; false if it holds no transactions of peers. */
  readonly isOn: boolean
}

/** State of compact block relay. */
export interface CompactState extends CompactOptions {
  readonly figures: CompactFigures
  /** Peers chosen for high-bandwidth mode, the least recently useful one first. */
  chosen: ReadonlyArray<number>
  /** Id of the next reconstruction. */
  next: number
  /** Greatest height that was announced before the scripts were verified. */
  announcedHeight: Height
  /** Runs an effect in the background. */
  readonly fork: (effect: Effect<void>) => void
}

export const compactState = (options: CompactOptions, fork: CompactState["fork"]): CompactState => ({
  ...options,
  figures: compactFigures(),
  chosen: [],
  next: 0,
  announcedHeight: 0,
  fork
})
