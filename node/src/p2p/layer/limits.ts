import { type Limit, LIMITS } from "@lockstep/protocol/wire/limits.ts"
import { ADDRESS_LIMITS } from "../addresses/address-limits.ts"
import { CONNECTION_LIMITS } from "../connections/connection-limits.ts"
import { PACKAGE_LIMITS } from "../relay/packages/package-limits.ts"
import { PEER_LIMITS } from "../peer/peer-limits.ts"
import { PRIVATE_BROADCAST_LIMITS } from "../private-broadcast/private-broadcast-limits.ts"
import { RELAY_LIMITS } from "../relay/relay-limits.ts"
import { SERVING_LIMITS } from "../serving/serving-limits.ts"
import {
  DOWNLOAD_WINDOW,
  HEADERS_DOWNLOAD_BASE,
  HEADERS_DOWNLOAD_PER_HEADER,
  REMEMBERED_SENDERS,
  SLOW_PEER_BLOCKS,
  STALL_TIMEOUT,
  STALL_TIMEOUT_MOST,
  WAITING_BLOCK_BYTES
} from "../sync/sync-limits.ts"

/** A limit on the requests of peers, named after the part of the node that it protects. */
export interface ProtectionLimit extends Limit {
  readonly name: string
}

const rows = (part: string, table: Readonly<Record<string, Limit>>): ReadonlyArray<ProtectionLimit> =>
  Object.entries(table).map(([name, limit]) => ({ name: `${part}.${name}`, ...limit }))

const SYNC: Readonly<Record<string, Limit>> = {
  window: {
    most: DOWNLOAD_WINDOW,
    unit: "blocks requested beyond the last connected one",
    source: "Core BLOCK_DOWNLOAD_WINDOW"
  },
  perPeer: {
    most: SLOW_PEER_BLOCKS,
    unit: "blocks in flight from one peer",
    source: "Core MAX_BLOCKS_IN_TRANSIT_PER_PEER"
  },
  stall: {
    most: STALL_TIMEOUT,
    unit: "milliseconds that one peer may stall the block download",
    source: "Core BLOCK_STALLING_TIMEOUT_DEFAULT"
  },
  stallAtMost: {
    most: STALL_TIMEOUT_MOST,
    unit: "milliseconds of that, at most, after several stalling peers",
    source: "Core BLOCK_STALLING_TIMEOUT_MAX"
  },
  headers: {
    most: HEADERS_DOWNLOAD_BASE,
    unit: "milliseconds for headers",
    source: "Core HEADERS_DOWNLOAD_TIMEOUT_BASE"
  },
  headersEach: {
    most: HEADERS_DOWNLOAD_PER_HEADER,
    unit: "milliseconds more for each of them",
    source: "Core HEADERS_DOWNLOAD_TIMEOUT_PER_HEADER"
  },
  senders: { most: REMEMBERED_SENDERS, unit: "blocks whose senders are remembered", source: "a table must end" },
  waitingBytes: {
    most: WAITING_BLOCK_BYTES,
    unit: "bytes of received blocks that are not accepted yet",
    source: "hostile: blocks faster than they connect"
  }
}

/** All limits on the cost of untrusted peers. */
export const PROTECTION: ReadonlyArray<ProtectionLimit> = [
  ...rows("wire", LIMITS),
  ...rows("peer", PEER_LIMITS),
  ...rows("connections", CONNECTION_LIMITS),
  ...rows("addresses", ADDRESS_LIMITS),
  ...rows("sync", SYNC),
  ...rows("serving", SERVING_LIMITS),
  ...rows("relay", RELAY_LIMITS),
  ...rows("packages", PACKAGE_LIMITS),
  ...rows("privateBroadcast", PRIVATE_BROADCAST_LIMITS)
]
