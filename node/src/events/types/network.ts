import * as Schema from "effect/Schema"
import {
  Count,
  Flag,
  Fraction,
  HashText,
  inCategory,
  Milliseconds,
  Satoshis,
  ServiceFlags,
  Text,
  Texts
} from "./event-type.ts"

const network = inCategory("Network")
const mempool = inCategory("Mempool")
const dandelion = inCategory("Dandelion++")
const compact = inCategory("Compact blocks")
const fibre = inCategory("FIBRE")
const packages = inCategory("Package relay")
const commitments = inCategory("UTXO commitments")
const bans = inCategory("Ban-list sharing")
const mesh = inCategory("Mesh / Stratum")

/** Peers and the messages between them. */
export const NETWORK_EVENTS = {
  PeerConnected: network("a handshake is complete", {
    peer: Text,
    direction: Schema.Literals(["inbound", "outbound"]),
    services: ServiceFlags,
    version: Count,
    transport: Schema.Literals(["v1", "v2", "quic", "iroh"])
  }),
  PeerDisconnected: network("a connection is gone", { peer: Text, reason: Text }),
  PeerBanned: network("an address was banned until a time, or discouraged until the node stops", {
    peer: Text,
    reason: Text,
    until: Schema.optionalKey(Count)
  }),
  PeerUnbanned: network("a ban ended", { peer: Text }),
  MessageReceived: network("a message was received; version: the peer's, 0 before it is known", {
    peer: Text,
    command: Text,
    bytes: Count,
    version: Count
  }),
  MessageSent: network("a message was sent", { peer: Text, command: Text, bytes: Count }),
  BroadcastStarted: network("a broadcast to all peers starts", { kind: Text, hash: HashText, peers: Count }),
  BroadcastCompleted: network("a broadcast to all peers is over; failed: peers that it did not reach", {
    kind: Text,
    hash: HashText,
    peers: Count,
    failed: Count
  }),
  RouteDiscovered: network("a network is reached for the first time, or again; path: proxies in between", {
    destination: Text,
    path: Texts
  }),
  RouteFailed: network("the configured proxy to a network does not work", { destination: Text, reason: Text }),
  ConnectionAttempt: network("a connection was tried", { peer: Text, success: Flag, error: Schema.optionalKey(Text) }),
  AddressDiscovered: network("an address became known", { address: Text, source: Text }),
  AddressExpired: network("an address was forgotten", { address: Text }),
  NetworkPartition: network("no peer has brought a block for long; peers: those that this node has", {
    reason: Text,
    tip: HashText,
    peers: Texts
  }),
  NetworkReconnected: network("blocks come again; tip: the one of the partition, peers: those that have the new one", {
    duration_ms: Milliseconds,
    tip: HashText,
    peers: Texts
  }),
  DoSAttackDetected: network("a peer uses far more resources than it needs, or many do: then severity is high", {
    peer: Text,
    kind: Text,
    severity: Schema.Literals(["medium", "high"])
  }),
  RateLimitExceeded: network("a peer was slowed down", { peer: Text, limit: Text, current: Count, most: Count })
} as const

export const MEMPOOL_EVENTS = {
  MempoolTransactionAdded: mempool("a transaction entered the mempool", {
    txid: HashText,
    wtxid: HashText,
    fee: Satoshis,
    vsize: Count,
    fee_rate: Fraction,
    mempool_size: Count
  }),
  MempoolTransactionRemoved: mempool("a transaction left the mempool", {
    txid: HashText,
    reason: Text,
    mempool_size: Count
  }),
  MempoolThresholdExceeded: mempool("the mempool takes more than 90 % of the memory that it may take", {
    current_size: Count,
    threshold: Count
  }),
  FeeRateChanged: mempool("the lowest accepted feerate changed", {
    old_fee_rate: Fraction,
    new_fee_rate: Fraction,
    mempool_size: Count
  })
} as const

/** Relay of blocks and transactions, beyond the basic messages. */
export const RELAY_EVENTS = {
  DandelionStemStarted: dandelion("a transaction of this node starts its stem", { txid: HashText, peer: Text }),
  DandelionStemAdvanced: dandelion("a transaction went one hop on; hops: those that this node knows of", {
    txid: HashText,
    peer: Text,
    hops: Count
  }),
  DandelionFluffed: dandelion("a transaction goes to all peers; hops: those that this node knows of", {
    txid: HashText,
    hops: Count
  }),
  DandelionStemPathExpired: dandelion("a stem took too long; peer: the one that it went to", {
    txid: HashText,
    peer: Text
  }),
  CompactBlockReceived: compact("a compact block came in", {
    block_hash: HashText,
    height: Count,
    peer: Text,
    short_ids: Count
  }),
  BlockReconstructionStarted: compact("a block is being put together", { block_hash: HashText, height: Count }),
  BlockReconstructionCompleted: compact("a block was put together, or could not be", {
    block_hash: HashText,
    height: Count,
    success: Flag,
    missing: Count
  }),
  FibreBlockEncoded: fibre("a block was cut into packets", { block_hash: HashText, packets: Count }),
  FibreBlockSent: fibre("the packets of a block went out", { block_hash: HashText, peer: Text }),
  CompanionUdpPeerRegistered: fibre("a peer's UDP address is known", { peer: Text, address: Text }),
  CompanionUdpPeerUnregistered: fibre("a peer's UDP address is gone", { peer: Text }),
  PackageReceived: packages("a peer sent a package", { package_id: HashText, transactions: Count, peer: Text }),
  PackageRejected: packages("a package of a peer was refused", { package_id: HashText, reason: Text, peer: Text }),
  UtxoCommitmentReceived: commitments("a commitment came in", { block_hash: HashText, peer: Text }),
  UtxoCommitmentVerified: commitments("a commitment was checked", { block_hash: HashText, valid: Flag }),
  BanListShared: bans("the ban list went to a peer", { peer: Text, entries: Count }),
  BanListReceived: bans("a peer's ban list came in", { peer: Text, entries: Count }),
  MeshPacketReceived: mesh("a mesh packet came in", { peer: Text, bytes: Count }),
  StratumV2MessageReceived: mesh("a Stratum V2 message came in", { peer: Text, bytes: Count })
} as const
