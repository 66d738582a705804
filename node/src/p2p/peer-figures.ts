import type { PeerCompactFigures } from "./compact-blocks/compact-figures.ts"
import type { Peer } from "./peer/peer.ts"
import type { FilterFigures } from "./serving/filter-figures.ts"

/** What the sync knows of a peer. */
export interface SyncFigures {
  /** Headers of the presync so far; -1: none. */
  readonly presynced_headers: number
  /** Height of the last header that both have; -1: not known. */
  readonly synced_headers: number
  /** Height of the last block that both have; -1: not known. */
  readonly synced_blocks: number
  /** Heights of blocks in flight from it. */
  readonly inflight: ReadonlyArray<number>
  /** BIP152 high-bandwidth mode: whether this node selected the peer for it, and the peer this node. */
  readonly bip152_hb_to: boolean
  readonly bip152_hb_from: boolean
  readonly compactBlocks: Readonly<PeerCompactFigures>
}

/** What the relay of transactions knows of a peer. */
export interface RelayFigures {
  /** Whether transactions are announced to it. */
  readonly relaytxes: boolean
  readonly last_inv_sequence: number
  readonly inv_to_send: number
  /** Satoshis for a thousand bytes: it wants no transaction that pays less. */
  readonly minfeefilter: bigint
  /** Whether it has set a bloom filter. */
  readonly isFiltered: boolean
}

/** What happened to the addresses that a peer sent. */
export interface AddressFigures {
  readonly addr_relay_enabled: boolean
  readonly addr_processed: number
  readonly addr_rate_limited: number
}

/** What parts of the network layer know of a peer, for RPC. */
export interface PeerFigures {
  readonly sync: (peer: Peer) => SyncFigures
  readonly relay: (peer: Peer) => RelayFigures
  readonly addresses: (peer: Peer) => AddressFigures
  readonly filters: (peer: Peer) => FilterFigures
}
