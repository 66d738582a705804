import { BLOCKCHAIN_EVENTS, CONSENSUS_EVENTS, MINING_EVENTS } from "./types/blockchain.ts"
import { MEMPOOL_EVENTS, NETWORK_EVENTS, RELAY_EVENTS } from "./types/network.ts"
import { GOVERNANCE_EVENTS, MODULE_EVENTS, OPERATION_EVENTS, SYNC_EVENTS } from "./types/operation.ts"
import { PAYMENT_EVENTS } from "./types/payment.ts"

/** All event types. A module subscribes to them by name. */
export const EVENT_TYPES = {
  ...BLOCKCHAIN_EVENTS,
  ...PAYMENT_EVENTS,
  ...MINING_EVENTS,
  ...MODULE_EVENTS,
  ...OPERATION_EVENTS,
  ...GOVERNANCE_EVENTS,
  ...NETWORK_EVENTS,
  ...CONSENSUS_EVENTS,
  ...SYNC_EVENTS,
  ...MEMPOOL_EVENTS,
  ...RELAY_EVENTS
} as const

export type EventType = keyof typeof EVENT_TYPES

/** The payload of an event of type `T`. */
export type EventPayload<T extends EventType> = (typeof EVENT_TYPES)[T]["payload"]["Type"]
