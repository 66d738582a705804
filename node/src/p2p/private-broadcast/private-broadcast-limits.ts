import type { Limit } from "@lockstep/protocol/wire/limits.ts"
import { MILLISECONDS } from "../../units.ts"

/** Limits of the private broadcast of own transactions. */
export const PRIVATE_BROADCAST_LIMITS = {
  queue: {
    most: 10_000,
    unit: "transactions that are broadcast privately at a time",
    source: "Core MAX_PRIVATE_BROADCAST_TRANSACTIONS"
  },
  perTransaction: {
    most: 3,
    unit: "connections for a transaction at first",
    source: "Core NUM_PRIVATE_BROADCAST_PER_TX"
  },
  connections: {
    most: 64,
    unit: "private broadcast connections at a time",
    source: "Core MAX_PRIVATE_BROADCAST_CONNECTIONS"
  },
  lifetime: {
    most: 3 * MILLISECONDS.minute,
    unit: "milliseconds of a private broadcast connection",
    source: "Core PRIVATE_BROADCAST_MAX_CONNECTION_LIFETIME"
  },
  staleAtFirst: {
    most: 5 * MILLISECONDS.minute,
    unit: "milliseconds before a transaction without a pong is stale",
    source: "Core INITIAL_STALE_DURATION"
  },
  stale: {
    most: MILLISECONDS.minute,
    unit: "milliseconds since the last pong before a transaction is stale",
    source: "Core STALE_DURATION"
  },
  sweep: {
    most: 2 * MILLISECONDS.minute,
    unit: "milliseconds between sweeps for stale transactions, at least",
    source: "Core ReattemptPrivateBroadcast"
  },
  sweepSpread: {
    most: MILLISECONDS.minute,
    unit: "milliseconds added to that at random",
    source: "Core ReattemptPrivateBroadcast"
  }
} satisfies Readonly<Record<string, Limit>>
