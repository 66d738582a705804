import type { Random } from "../basics/environment.ts"
import type { BloomFilter } from "@lockstep/protocol/bloom/bloom-filter.ts"
import type { Peer } from "../peer/peer.ts"
import { RELAY_LIMITS } from "./relay-limits.ts"
import { type RollingFilter, rollingFilter } from "./rolling-filter.ts"

/** What is known of a peer that transactions are relayed with. */
export interface PeerRelay {
  readonly peer: Peer
  /** Whether transactions are announced to it, now. */
  receivesTransactions: boolean
  /** Whether it gets transactions that it requests, and may come to want all by a bloom filter. */
  readonly mayReceiveTransactions: boolean
  /** Its bloom filter: it gets no announcements of other transactions. */
  filter: BloomFilter | undefined
  /** Whether it may announce transactions to this node. */
  readonly maySendTransactions: boolean
  /** Whether it gets a feefilter: below which feerate it need not announce. */
  readonly getsFeeFilter: boolean
  /** Transactions that it has, by the id it uses. */
  readonly known: RollingFilter
  /** Transactions to announce to it, by wtxid. */
  readonly waiting: Set<string>
  /** It asked for announcements of the whole mempool. */
  wantsPool: boolean
  /** When the next announcement to it is due. */
  nextTrickle: number
  /** An announcement to it is being made. */
  isAnnouncing: boolean
  /** The mempool's sequence number at the last announcement: what entered later was not announced to it yet. */
  poolSequence: number
  /** Its fee filter: satoshis a thousand virtual bytes that a transaction must pay to be announced to it. */
  sendAbove: bigint
  /** The fee filter last sent to it; none yet. */
  saidFeerate: bigint | undefined
  nextFeeFilter: number
}

/** Whether transactions may go over such a connection. */
const isForTransactions = ({ kind }: Peer): boolean => kind !== "block-relay-only" && kind !== "feeler"

/**
 * Whether transactions are announced to a peer: it is no block-relay-only connection or feeler, and asked for them in
 * `version`.
 */
const wantsTransactions = (peer: Peer): boolean => isForTransactions(peer) && peer.hello?.relay === true

/** `offersFilters`: the peer may set a bloom filter. */
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
  // Core's mempool counts from 1.
  poolSequence: 1,
  sendAbove: 0n,
  saidFeerate: undefined,
  nextFeeFilter: 0
})
