import type { NetworkService } from "../p2p/network.ts"
import { openConnections } from "../p2p/peer/open-connections.ts"
import { type Sample, sample } from "./sample.ts"

type Sampled = Pick<
  NetworkService,
  "book" | "compactBlocks" | "connections" | "fibers" | "peers" | "reputation" | "totals"
>

const MILLISECOND = 1e-3

const compactSamples = ({
  announced,
  failed,
  milliseconds,
  requestedBytes,
  transactions,
  withRequest,
  withoutRequest
}: NetworkService["compactBlocks"]): ReadonlyArray<Sample> => {
  const outcomes = { mempool: withoutRequest, requested: withRequest, ...failed }
  return [
    ...Object.entries(outcomes).map(([outcome, count]) => sample("lockstep_compact_blocks_total", count, { outcome })),
    ...Object.entries(transactions).map(([source, count]) =>
      sample("lockstep_compact_block_transactions_total", count, { source })
    ),
    sample("lockstep_compact_block_requested_bytes_total", requestedBytes),
    sample("lockstep_compact_block_seconds_total", milliseconds * MILLISECOND),
    ...Object.entries(announced).map(([moment, count]) =>
      sample("lockstep_compact_blocks_announced_total", count, { moment })
    )
  ]
}

/** Samples of the node among others. */
export const networkSamples = (
  { book, compactBlocks, connections, fibers, peers, reputation, totals }: Sampled
): ReadonlyArray<Sample> => {
  const counts = new Map<string, number>([["inbound", 0], ["outbound-full-relay", 0], ["block-relay-only", 0], [
    "manual",
    0
  ]])
  const transports = new Map<string, number>([["v1", 0], ["v2", 0]])
  const open = openConnections(peers)
  for (const { isReady, kind, transport } of open) {
    if (!isReady) continue
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
    transports.set(transport.kind(), (transports.get(transport.kind()) ?? 0) + 1)
  }
  return [
    ...[...counts].map(([kind, count]) => sample("lockstep_peers", count, { kind })),
    ...[...transports].map(([transport, count]) => sample("lockstep_peers_by_transport", count, { transport })),
    sample("lockstep_connections", open.length),
    sample("lockstep_connection_fibers", fibers()),
    ...Object.entries(connections.refused).map(([reason, count]) =>
      sample("lockstep_connections_refused_total", count, { reason })
    ),
    sample("lockstep_discouraged_addresses", reputation.discouraged.size()),
    sample("lockstep_network_bytes_total", totals.received, { direction: "received" }),
    sample("lockstep_network_bytes_total", totals.sent, { direction: "sent" }),
    ...compactSamples(compactBlocks),
    sample("lockstep_known_addresses", book.size())
  ]
}
