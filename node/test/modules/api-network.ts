import * as Effect from "effect/Effect"
import { banList } from "../../src/p2p/connections/ban-list.ts"
import type { NetworkService } from "../../src/p2p/layer/network.ts"
import { servePolicies } from "../../src/p2p/serving/deny-list.ts"
import { unixMilliseconds } from "../../src/quantities.ts"

export const text = (value: string): Uint8Array => new TextEncoder().encode(value)
export const HASH = new Uint8Array(32).fill(7)

/** The network layer as far as modules reach it, with one peer. */
export const networkOf = () => {
  const bans = banList()
  const policies = servePolicies()
  const network = {
    peers: new Map([[1, {
      name: "192.0.2.1:8333",
      transport: { kind: () => "v2" },
      hello: { services: 9n, ownVersion: 70_016 },
      connectedAt: 5_000,
      isGone: false
    }]]),
    totals: { sent: 3, received: 4 },
    banSeconds: 60,
    time: () => unixMilliseconds(1_000_000),
    reputation: { ban: bans.ban },
    disconnectBanned: () => undefined,
    keepBans: Effect.void,
    servePolicies: policies,
    syncStatus: () => ({ stage: "Blocks", percent: 45, error: undefined })
  } as unknown as NetworkService
  return { bans, network, policies }
}

export const ok = (tag: string, value?: unknown): object => value === undefined ? { _tag: tag } : { _tag: tag, value }

/** Byte strings of a message are views of its frame, and fields without a value are there. */
export const plain = (value: unknown): unknown =>
  value instanceof Uint8Array
    ? Buffer.from(value).toString("hex")
    : value instanceof Map
    ? [...value].map(plain)
    : Array.isArray(value)
    ? value.map(plain)
    : typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).flatMap(([k, v]) => v === undefined ? [] : [[k, plain(v)]]))
    : value
