import type { ProtocolLimits } from "@lockstep/protocol/wire/limits.ts"
import type { NodeConfig } from "../config.ts"
import { type Effective, optionalValue, valueOf } from "../given/effective.ts"

/** `[ibd]` and its variables. */
export const downloadOf = (effective: Effective): NodeConfig["download"] => ({
  blocksPerRequest: valueOf(effective, "ibd.chunk_size"),
  blocksPerPeer: valueOf(effective, "ibd.max_blocks_in_transit_per_peer"),
  timeoutSeconds: valueOf(effective, "ibd.download_timeout_secs"),
  headersTimeoutSeconds: valueOf(effective, "ibd.headers_timeout_secs"),
  headersFailures: valueOf(effective, "ibd.headers_max_failures"),
  peers: optionalValue(effective, "ibd_peers") ?? [],
  fromOnePeer: valueOf(effective, "ibd_wan_single_peer")
})

/** `[protocol_limits]`. */
export const protocolLimitsOf = (effective: Effective): ProtocolLimits => ({
  messageLength: valueOf(effective, "protocol_limits.max_protocol_message_length"),
  addresses: valueOf(effective, "protocol_limits.max_addr_to_send"),
  inventory: valueOf(effective, "protocol_limits.max_inv_sz"),
  headers: valueOf(effective, "protocol_limits.max_headers_results")
})
