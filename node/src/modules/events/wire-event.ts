import type { ModuleEventPayload } from "@lockstep/protocol/module-ipc/index.ts"
import type { NodeEvent } from "../../events/node-event.ts"
import type { UnixSeconds } from "../../quantities.ts"
import { CHAIN_MAPPINGS } from "./chain-mappings.ts"
import type { Mappings, SentEventType } from "./mapping.ts"
import { NETWORK_MAPPINGS } from "./network-mappings.ts"
import { NODE_MAPPINGS } from "./node-mappings.ts"
import { RELAY_MAPPINGS } from "./relay-mappings.ts"

/** Mapping of each event of the node that modules receive; the compiler checks that the table is complete. */
export const MAPPINGS: Mappings = { ...CHAIN_MAPPINGS, ...NETWORK_MAPPINGS, ...RELAY_MAPPINGS, ...NODE_MAPPINGS }

const SENT: ReadonlySet<string> = new Set(Object.keys(MAPPINGS))

/** Reports whether modules receive events of this type. */
export const isSent = (type: NodeEvent["type"]): type is SentEventType => SENT.has(type)

/** Converts an event of the node for modules. Returns `undefined` if they do not receive it. */
export const wireEvent = ({ payload, type }: NodeEvent, now: UnixSeconds): ModuleEventPayload | undefined => {
  if (!isSent(type)) return undefined
  // The payload fits the event's type, which the compiler cannot see across the table.
  const mapping = MAPPINGS[type] as (payload: NodeEvent["payload"], now: UnixSeconds) => object
  return { _tag: type, ...mapping(payload, now) } as ModuleEventPayload
}
