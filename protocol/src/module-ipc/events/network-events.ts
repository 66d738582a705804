import { list, option } from "../layout/compounds.ts"
import type { Fields } from "../layout/layout.ts"
import { bool, bytes, count, f64, text, u32, u64 } from "../layout/scalars.ts"

/** Events of peers and connections. Hashes in internal byte order, amounts in satoshis unless the name says otherwise. */
export const NETWORK_EVENTS = {
  PeerConnected: { peer_addr: text, transport_type: text, services: u64, version: u32, peer_node_id: option(bytes) },
  PeerDisconnected: { peer_addr: text, reason: text },
  PeerBanned: { peer_addr: text, reason: text, ban_duration_seconds: count },
  PeerUnbanned: { peer_addr: text },
  MessageReceived: { peer_addr: text, message_type: text, message_size: count, protocol_version: u32 },
  MessageSent: { peer_addr: text, message_type: text, message_size: count },
  BroadcastStarted: { message_type: text, target_peers: count },
  BroadcastCompleted: { message_type: text, successful: count, failed: count },
  RouteDiscovered: { destination: bytes, route_path: list(text), route_cost: count },
  RouteFailed: { destination: bytes, reason: text },
  ConnectionAttempt: { peer_addr: text, success: bool, error: option(text) },
  AddressDiscovered: { peer_addr: text, source: text },
  AddressExpired: { peer_addr: text },
  NetworkPartition: { partition_id: bytes, disconnected_peers: list(text), partition_size: count },
  NetworkReconnected: { partition_id: bytes, reconnected_peers: list(text) },
  DoSAttackDetected: { peer_addr: text, attack_type: text, severity: text },
  RateLimitExceeded: { peer_addr: text, limit_type: text, current_rate: f64, limit: f64 }
} as const satisfies Readonly<Record<string, Fields>>
