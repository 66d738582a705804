/** The transports that a chain is synced over. */
export const TRANSPORTS = ["v1", "v2", "quic", "iroh"] as const

/** One of them. */
export type TransportName = (typeof TRANSPORTS)[number]
