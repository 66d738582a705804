import { type Mappings, type SentEventType, wireHashOf } from "./mapping.ts"

/** `current_peer` of a stem that begins at this node. */
const HERE = "this node"

/** The wire has one byte; no stem known to this node is longer. */
const hopCount = (hops: number): number => Math.min(255, hops)

/** Events of block and transaction relay. */
export const RELAY_MAPPINGS = {
  DandelionStemStarted: ({ peer, txid }) => ({ tx_hash: wireHashOf(txid), current_peer: HERE, next_peer: peer }),
  DandelionStemAdvanced: ({ hops, peer, txid }) => ({
    tx_hash: wireHashOf(txid),
    hop_count: hopCount(hops),
    next_peer: peer
  }),
  DandelionFluffed: ({ hops, txid }) => ({ tx_hash: wireHashOf(txid), stem_hops: hopCount(hops) }),
  DandelionStemPathExpired: ({ peer }) => ({ peer_addr: peer }),
  CompactBlockReceived: ({ block_hash, height, short_ids }) => ({
    block_hash: wireHashOf(block_hash),
    height,
    short_ids_count: short_ids
  }),
  BlockReconstructionStarted: ({ block_hash, height }) => ({ block_hash: wireHashOf(block_hash), height }),
  BlockReconstructionCompleted: ({ block_hash, height, missing, success }) => ({
    block_hash: wireHashOf(block_hash),
    height,
    success,
    missing_txs: missing
  }),
  CompanionUdpPeerRegistered: ({ address, peer }) => ({ p2p_peer_addr: peer, udp_addr: address }),
  CompanionUdpPeerUnregistered: ({ peer }) => ({ p2p_peer_addr: peer }),
  PackageReceived: ({ package_id, peer, transactions }) => ({
    package_id: wireHashOf(package_id),
    transaction_count: transactions,
    peer_addr: peer
  }),
  PackageRejected: ({ package_id, peer, reason }) => ({ package_id: wireHashOf(package_id), reason, peer_addr: peer }),
  BanListShared: ({ entries, peer }) => ({ peer_addr: peer, ban_count: entries }),
  BanListReceived: ({ entries, peer }) => ({ peer_addr: peer, ban_count: entries })
} as const satisfies Partial<Mappings<SentEventType>>
