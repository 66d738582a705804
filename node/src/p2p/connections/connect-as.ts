import * as Effect from "effect/Effect"
import type { ConnectionCensus } from "./connection-census.ts"
import type { Dialer } from "./dialer.ts"
import type { FindEndpoints } from "./find-endpoints.ts"
import type { Slots } from "./slots.ts"

/** The kinds of connections that the node otherwise makes automatically, by Bitcoin Core's names. */
export const AUTOMATIC_KINDS = ["outbound-full-relay", "block-relay-only", "addr-fetch", "feeler"] as const

export type AutomaticKind = (typeof AUTOMATIC_KINDS)[number]

/**
 * Connects once with a connection of this kind, as Bitcoin Core's `CConnman::AddConnection` does. Returns false if all
 * slots of the kind are taken, and otherwise true when the attempt is over, whatever its outcome. `isV2` begins with
 * the v2 transport.
 */
export type ConnectAs = (text: string, kind: AutomaticKind, isV2: boolean) => Effect.Effect<boolean>

interface ConnectAsOptions {
  readonly census: ConnectionCensus
  readonly dialer: Dialer
  readonly find: FindEndpoints
  readonly slots: Slots
}

/** Address fetches and feelers are not limited here. */
const mostOf = (kind: AutomaticKind, { blockRelay, fullRelay }: Slots): number =>
  kind === "outbound-full-relay" ? fullRelay : kind === "block-relay-only" ? blockRelay : Infinity

export const connectAs = ({ census, dialer, find, slots }: ConnectAsOptions): ConnectAs => (text, kind, isV2) =>
  Effect.suspend(() => {
    if (census.count(kind) >= mostOf(kind, slots)) return Effect.succeed(false)
    return Effect.flatMap(find(text), ([endpoint]) =>
      Effect.callback<boolean>((resume) => {
        const over = (): void => resume(Effect.succeed(true))
        if (endpoint === undefined || census.isConnectedTo(endpoint)) return over()
        return dialer.dial({ endpoint, kind, writtenAs: text, isV2 }, over) ? undefined : over()
      }))
  })
