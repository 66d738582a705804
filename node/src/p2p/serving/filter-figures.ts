import type { Peer } from "../peer/peer.ts"

/** Counts of filter messages that were sent. */
export interface FilterFigures {
  /** BIP157: block filters, ranges of filter headers, and lists of checkpoints. */
  readonly cfilter: number
  readonly cfheaders: number
  readonly cfcheckpt: number
  /** BIP37: blocks filtered by the Bloom filter of the peer. */
  readonly merkleblock: number
}

/** The counted messages, by command. */
export type FilterAnswer = keyof FilterFigures

/** Counts these messages for each peer and in total. */
export interface FilterCounts {
  readonly count: (peer: Peer, answer: FilterAnswer) => void
  readonly of: (peer: Peer) => FilterFigures
  readonly all: () => FilterFigures
  readonly forget: (peer: Peer) => void
}

type Counted = Record<FilterAnswer, number>

const none = (): Counted => ({ cfilter: 0, cfheaders: 0, cfcheckpt: 0, merkleblock: 0 })

export const filterCounts = (): FilterCounts => {
  const peers = new Map<number, Counted>()
  const all = none()
  return {
    count: ({ id }, answer) => {
      const counted = peers.get(id) ?? none()
      peers.set(id, counted)
      counted[answer]++
      all[answer]++
    },
    of: ({ id }) => peers.get(id) ?? none(),
    all: () => all,
    forget: ({ id }) => void peers.delete(id)
  }
}
