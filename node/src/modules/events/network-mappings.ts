import { type Mappings, wireHashOf, type SentEventType, whole, wholeSeconds } from "./mapping.ts"

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Events of peers, of synchronization and of the mempool. */
export const NETWORK_MAPPINGS = {
  PeerConnected: ({ peer, services, transport, version }) => ({
    peer_addr: peer,
    transport_type: transport,
    services: BigInt(`0x${services}`),
    version,
    peer_node_id: undefined
  }),
  PeerDisconnected: ({ peer, reason }) => ({ peer_addr: peer, reason }),
  // A ban without an end means discouraged until the node stops: 0 on the wire.
  PeerBanned: ({ peer, reason, until }, now) => ({
    peer_addr: peer,
    reason,
    ban_duration_seconds: until === undefined ? 0 : whole(until - now)
  }),
  PeerUnbanned: ({ peer }) => ({ peer_addr: peer }),
  MessageReceived: ({ bytes, command, peer, version }) => ({
    peer_addr: peer,
    message_type: command,
    message_size: bytes,
    protocol_version: version
  }),
  MessageSent: ({ bytes, command, peer }) => ({ peer_addr: peer, message_type: command, message_size: bytes }),
  BroadcastStarted: ({ kind, peers }) => ({ message_type: kind, target_peers: peers }),
  BroadcastCompleted: ({ failed, kind, peers }) => ({ message_type: kind, successful: peers, failed }),
  RouteDiscovered: ({ destination, path }) => ({
    destination: utf8(destination),
    route_path: path,
    route_cost: path.length
  }),
  RouteFailed: ({ destination, reason }) => ({ destination: utf8(destination), reason }),
  // The size includes this node.
  NetworkPartition: ({ peers, tip }) => ({
    partition_id: wireHashOf(tip),
    disconnected_peers: peers,
    partition_size: peers.length + 1
  }),
  NetworkReconnected: ({ peers, tip }) => ({ partition_id: wireHashOf(tip), reconnected_peers: peers }),
  DoSAttackDetected: ({ kind, peer, severity }) => ({ peer_addr: peer, attack_type: kind, severity }),
  RateLimitExceeded: ({ current, limit, most, peer }) => ({
    peer_addr: peer,
    limit_type: limit,
    current_rate: current,
    limit: most
  }),
  ConnectionAttempt: ({ error, peer, success }) => ({ peer_addr: peer, success, error }),
  AddressDiscovered: ({ address, source }) => ({ peer_addr: address, source }),
  AddressExpired: ({ address }) => ({ peer_addr: address }),
  HeadersSyncStarted: ({ start_height }) => ({ start_height }),
  HeadersSyncProgress: ({ current_height, progress_percent, target_height }) => ({
    current_height,
    target_height,
    progress_percent
  }),
  HeadersSyncCompleted: ({ duration_ms, final_height }) => ({
    final_height,
    duration_seconds: wholeSeconds(duration_ms)
  }),
  BlockSyncStarted: ({ start_height, target_height }) => ({ start_height, target_height }),
  BlockSyncProgress: ({ blocks_per_second, current_height, progress_percent, target_height }) => ({
    current_height,
    target_height,
    progress_percent,
    blocks_per_second
  }),
  BlockSyncCompleted: ({ duration_ms, final_height }) => ({
    final_height,
    duration_seconds: wholeSeconds(duration_ms)
  }),
  SyncStateChanged: ({ new_state, old_state }) => ({ old_state, new_state }),
  MempoolThresholdExceeded: ({ current_size, threshold }) => ({ current_size, threshold }),
  MempoolTransactionAdded: ({ fee_rate, mempool_size, txid }) => ({
    tx_hash: wireHashOf(txid),
    fee_rate,
    mempool_size
  }),
  MempoolTransactionRemoved: ({ mempool_size, reason, txid }) => ({ tx_hash: wireHashOf(txid), reason, mempool_size }),
  FeeRateChanged: ({ mempool_size, new_fee_rate, old_fee_rate }) => ({ old_fee_rate, new_fee_rate, mempool_size })
} as const satisfies Partial<Mappings<SentEventType>>
