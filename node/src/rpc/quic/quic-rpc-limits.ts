import type { Limit } from "@lockstep/protocol/wire/limits.ts"

/** Limits for callers over QUIC. */
export const QUIC_RPC_LIMITS = {
  connections: { most: 64, unit: "connections of callers over QUIC", source: "a table must end" },
  streams: { most: 16, unit: "calls under way on one connection", source: "the work queue's default is 64" },
  window: {
    most: 1_000_000,
    unit: "bytes that a caller may send before they are read",
    source: "memory that an untrusted caller can claim"
  }
} satisfies Readonly<Record<string, Limit>>
