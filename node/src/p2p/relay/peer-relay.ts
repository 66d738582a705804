import type { Random } from "../basics/environment.ts"
import type { BloomFilter } from "@lockstep/protocol/bloom/bloom-filter.ts"
import type { Peer } from "../peer/peer.ts"
import { RELAY_LIMITS } from "./relay-limits.ts"
import { type RollingFilter, rollingFilter } from "./rolling-filter.ts"

/** State of a peer that transactions are relayed with. */
export interface PeerRelay {
  readonly peer: Peer
  /** True while transactions are announced to it. */
  receivesTransactions: boolean
  /**
   * True if it gets the transactions that it requests, as it wants announcements now or may by setting a Bloom filter.
   */
  readonly mayReceiveTransactions: boolean
  /** Its Bloom filter: only matching transactions are announced to it. */
  filter: BloomFilter | undefined
  /** True if it may announce transactions to this node. */
  readonly maySendTransactions: boolean
  /** True if it is sent `feefilter`, the feerate below which it need not announce. */
  readonly getsFeeFilter: boolean
  /** Transactions that it has, by the kind of id that it uses. */
  readonly known: RollingFilter
  /** Transactions to announce to it, by wtxid. */
  readonly waiting: Set<string>
  /** True if it requested announcements of the whole mempool. */
  wantsPool: boolean
  /** Time at which the next announcement to it is due. */
  nextTrickle: number
  /** True while an announcement to it is being prepared. */
  isAnnouncing: boolean
  /**
   * The mempool's sequence number at the last announcement. Transactions that entered later were not announced to it
   * yet.
   */
  poolSequence: number
  /** Its fee filter: the minimum feerate of announcements to it, in satoshis per 1,000 virtual bytes. */
  sendAbove: bigint
  /** The fee filter last sent to it; `undefined` before the first. */
  saidFeerate: bigint | undefined
  nextFeeFilter: number
}

/** True if transactions are relayed over this kind of connection. */
const isForTransactions = ({ kind }: Peer): boolean => kind !== "block-relay-only" && kind !== "feeler"

/**
 * True if transactions are announced to a peer: it is no block-relay-only connection or feeler, and requested them in
 * `version`.
 */
const wantsTransactions = (peer: Peer): boolean => isForTransactions(peer) && peer.hello?.relay === true

/** Makes the state of a new peer. `offersFilters` means that the peer may set a Bloom filter. */
export const peerRelay = (peer: Peer, wantsAny: boolean, offersFilters: boolean, random: Random): PeerRelay => ({
  peer,
  receivesTransactions: wantsTransactions(peer),
  mayReceiveTransactions: isForTransactions(peer) && (offersFilters || wantsTransactions(peer)),
  filter: undefined,
  maySendTransactions: (wantsAny || peer.permissions.has("relay")) && isForTransactions(peer),
  getsFeeFilter: wantsAny && isForTransactions(peer) && !peer.permissions.has("forcerelay"),
  known: rollingFilter(RELAY_LIMITS.known.most, random),
  waiting: new Set(),
  wantsPool: false,
  nextTrickle: 0,
  isAnnouncing: false,
  // Core's mempool sequence starts at 1.
  poolSequence: 1,
  sendAbove: 0n,
  saidFeerate: undefined,
  nextFeeFilter: 0
})
