import type { Chance } from "../environment.ts"
import type { PoolTransaction } from "../chain/p2p-chain.ts"
import type { Peer } from "../peer/peer.ts"
import { RELAY_LIMITS } from "./relay-limits.ts"
import { type RollingSet, rollingSet } from "./rolling-set.ts"

/** What is known of a peer that transactions go to and fro with. */
export interface PeerRelay {
  readonly peer: Peer
  /** Whether it wants to be told of transactions. */
  readonly isTold: boolean
  /** Whether it may tell us of transactions. */
  readonly mayTell: boolean
  /** Names of transactions that it has, as it calls them. */
  readonly known: RollingSet
  /** What it is to be told of, in order of arrival, by txid. */
  readonly waiting: Map<string, PoolTransaction>
  /** When it is next told something. */
  nextTrickle: number
  /** The pool as it was then: what came later it cannot have heard of from us. */
  poolSequence: number
  /** Satoshis a thousand virtual bytes that a transaction must pay for the peer to be told of it. */
  sendAbove: bigint
  /** What we last told it that we want to be told of; nothing yet. */
  saidFeerate: bigint | undefined
  nextFeeFilter: number
}

/** Whether a peer can be told of transactions: it is no connection for blocks only, and it said that it wants them. */
const wantsTransactions = ({ hello, kind }: Peer): boolean =>
  kind !== "block-relay-only" && kind !== "feeler" && hello?.relay === true

/** Whether we want to be told of transactions over such a connection. */
const isForTransactions = ({ kind }: Peer): boolean => kind !== "block-relay-only" && kind !== "feeler"

export const peerRelay = (peer: Peer, wantsAny: boolean, chance: Chance): PeerRelay => ({
  peer,
  isTold: wantsTransactions(peer),
  mayTell: wantsAny && isForTransactions(peer),
  known: rollingSet(RELAY_LIMITS.known.most, chance),
  waiting: new Map(),
  nextTrickle: 0,
  poolSequence: 0,
  sendAbove: 0n,
  saidFeerate: undefined,
  nextFeeFilter: 0
})
