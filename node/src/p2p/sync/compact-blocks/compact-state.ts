import type { Height } from "@lockstep/kernel/quantities"
import type { Effect } from "effect/Effect"
import type { Peer } from "../../peer/peer.ts"
import { type CompactFigures, compactFigures } from "./compact-figures.ts"
import type { CompactForms } from "./compact-forms.ts"

/** How peers want new blocks announced, and whether they serve compact blocks. */
export interface BlockPreferences {
  /** By `headers`. */
  readonly prefersHeaders: (peer: Peer) => boolean
  /** As compact blocks, unrequested (high-bandwidth mode). */
  readonly prefersCompact: (peer: Peer) => boolean
  /** Whether it serves compact blocks. */
  readonly servesCompact: (peer: Peer) => boolean
}

/** What the sync needs for compact blocks. */
export interface CompactOptions {
  readonly preferences: BlockPreferences
  readonly forms: CompactForms
  /** Whether blocks are put together from the mempool: not where it holds no transactions of others. */
  readonly isOn: boolean
}

/** What is known about compact blocks. */
export interface CompactState extends CompactOptions {
  readonly figures: CompactFigures
  /** Peers chosen for high-bandwidth mode, the longest unused one first. */
  chosen: ReadonlyArray<number>
  /** The number of the next block that is put together. */
  next: number
  /** The greatest height that was announced before the scripts were verified. */
  announcedHeight: Height
  /** Does something besides the messages of peers. */
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
