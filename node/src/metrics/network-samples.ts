import type { NetworkService } from "../p2p/network.ts"
import { type Sample, sample } from "./sample.ts"

type Sampled = Pick<NetworkService, "book" | "connections" | "fibers" | "peers" | "reputation" | "totals">

/** Samples of the node among others. */
export const networkSamples = (
  { book, connections, fibers, peers, reputation, totals }: Sampled
): ReadonlyArray<Sample> => {
  const counts = new Map<string, number>([["inbound", 0], ["outbound-full-relay", 0], ["block-relay-only", 0], [
    "manual",
    0
  ]])
  const transports = new Map<string, number>([["v1", 0], ["v2", 0]])
  for (const { isGone, isReady, kind, transport } of peers.values()) {
    if (!isReady || isGone) continue
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
    transports.set(transport.kind(), (transports.get(transport.kind()) ?? 0) + 1)
  }
  return [
    ...[...counts].map(([kind, count]) => sample("lockstep_peers", count, { kind })),
    ...[...transports].map(([transport, count]) => sample("lockstep_peers_by_transport", count, { transport })),
    sample("lockstep_connections", peers.size),
    sample("lockstep_connection_fibers", fibers()),
    ...Object.entries(connections.refused).map(([reason, count]) =>
      sample("lockstep_connections_refused_total", count, { reason })
    ),
    sample("lockstep_discouraged_addresses", reputation.discouraged.size()),
    sample("lockstep_network_bytes_total", totals.received, { direction: "received" }),
    sample("lockstep_network_bytes_total", totals.sent, { direction: "sent" }),
    sample("lockstep_known_addresses", book.size())
  ]
}
