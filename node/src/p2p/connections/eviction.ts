import type { Milliseconds, Moment } from "../../quantities.ts"
import type { AddressKind } from "@lockstep/protocol/wire/address/address-kind.ts"

/** An inbound peer that may be evicted. Times are in milliseconds; 0 means never. */
export interface EvictionCandidate {
  readonly id: number
  readonly connectedAt: Moment
  readonly leastPing: Milliseconds | undefined
  readonly lastBlock: Moment
  readonly lastTransaction: Moment
  readonly offersBlocks: boolean
  readonly relaysTransactions: boolean
  /** True if it has set a Bloom filter, as light clients do. */
  readonly isFiltered: boolean
  /** An unpredictable number, the same for addresses of one network group. */
  readonly keyedGroup: number
  readonly group: string
  readonly isDiscouraged: boolean
  readonly isLocal: boolean
  readonly network: AddressKind | undefined
}

type Order = (a: EvictionCandidate, b: EvictionCandidate) => number

const longestFirst: Order = (a, b) => a.connectedAt - b.connectedAt
const byLatestBlock: Order = (a, b) =>
  b.lastBlock - a.lastBlock || Number(b.offersBlocks) - Number(a.offersBlocks) || longestFirst(a, b)

/**
 * Protects the first `count` candidates in this order from eviction, and returns the others. An attacker cannot easily
 * have many peers of this kind.
 */
const protect = (
  candidates: ReadonlyArray<EvictionCandidate>,
  count: number,
  order: Order,
  is: (candidate: EvictionCandidate) => boolean = () => true
): ReadonlyArray<EvictionCandidate> => {
  const kept = new Set(candidates.filter(is).toSorted(order).slice(0, count))
  return candidates.filter((candidate) => !kept.has(candidate))
}

const byTransactions: Order = (a, b) =>
  b.lastTransaction - a.lastTransaction || Number(b.relaysTransactions) - Number(a.relaysTransactions) ||
  Number(a.isFiltered) - Number(b.isFiltered) || longestFirst(a, b)

const byPing: Order = (a, b) => (a.leastPing ?? Infinity) - (b.leastPing ?? Infinity)

const RARE: ReadonlyArray<(candidate: EvictionCandidate) => boolean> = [
  ({ network }) => network === "cjdns",
  ({ network }) => network === "i2p",
  ({ isLocal }) => isLocal,
  ({ network }) => network === "onion"
]

/**
 * Protects the half of the candidates that are connected longest (Core: `ProtectEvictionCandidatesByRatio`). Up to half
 * of these slots go to networks with worse pings, an odd one to the network with the fewest peers. Returns the others.
 */
export const protectByAge = (candidates: ReadonlyArray<EvictionCandidate>): ReadonlyArray<EvictionCandidate> => {
  const places = Math.floor(candidates.length / 2)
  let left = candidates
  let rare = Math.floor(places / 2)
  const kinds = RARE.filter((is) => candidates.some(is)).toSorted((a, b) =>
    candidates.filter(a).length - candidates.filter(b).length
  )
  for (const [i, is] of kinds.entries()) {
    const before = left.length
    left = protect(left, Math.ceil(rare / (kinds.length - i)), longestFirst, is)
    rare -= before - left.length
  }
  return protect(left, places - (candidates.length - left.length), longestFirst)
}

/**
 * Returns the inbound peer to evict for a new one, or `undefined` if all are protected. As in Core's
 * `SelectNodeToEvict`, peers are protected by properties that an attacker cannot have all of. Then the youngest peer of
 * the network group with the most connections is evicted.
 */
export const peerToEvict = (all: ReadonlyArray<EvictionCandidate>): number | undefined => {
  let left = protect(all, 4, (a, b) => a.keyedGroup - b.keyedGroup)
  left = protect(left, 8, byPing)
  left = protect(left, 4, byTransactions)
  left = protect(
    left,
    8,
    byLatestBlock,
    ({ offersBlocks, relaysTransactions }) => !relaysTransactions && offersBlocks
  )
  left = protect(left, 4, byLatestBlock)
  left = protectByAge(left)
  if (left.length === 0) return undefined
  if (left.some(({ isDiscouraged }) => isDiscouraged)) left = left.filter(({ isDiscouraged }) => isDiscouraged)
  const groups = new Map<string, Array<EvictionCandidate>>()
  for (const candidate of left) groups.set(candidate.group, [...groups.get(candidate.group) ?? [], candidate])
  const largest = [...groups.values()].toSorted((a, b) =>
    b.length - a.length || youngestOf(b).connectedAt - youngestOf(a).connectedAt
  )[0]!
  return youngestOf(largest).id
}

const youngestOf = (candidates: ReadonlyArray<EvictionCandidate>): EvictionCandidate =>
  candidates.toSorted((a, b) => b.connectedAt - a.connectedAt)[0]!
