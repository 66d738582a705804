import type { Transaction } from "@lockstep/kernel/model"
import type { MadeBlock } from "../made-block.ts"
import type { Link } from "./link.ts"
import { type View, view } from "./view.ts"

/** What a scripted peer has, and what it waits for. */
export interface Holdings {
  readonly view: View
  /** Loose transactions, by both of their names. */
  readonly transactions: Map<string, Transaction>
  /** Blocks that nodes announced and that are not here yet: when they were asked for last, and of whom. */
  readonly wanted: Map<MadeBlock, Asked>
  /** Blocks that came before their parents. */
  readonly early: Set<MadeBlock>
  readonly forget: (link: Link) => void
}

export interface Asked {
  readonly link: Link
  readonly at: number
}

export const holdings = (base: ReadonlyArray<MadeBlock>): Holdings => {
  const wanted = new Map<MadeBlock, Asked>()
  return {
    view: view(base),
    transactions: new Map(),
    wanted,
    early: new Set(),
    forget: (link) => {
      for (const [block, asked] of wanted) if (asked.link === link) wanted.set(block, { link, at: -Infinity })
    }
  }
}
