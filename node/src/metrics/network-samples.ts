import type { NetworkService } from "../p2p/layer/network.ts"
import { addToCounter } from "../p2p/peer/live-peer.ts"
import { connectedThrough, type Peer } from "../p2p/peer/peer.ts"
import type { FilterFigures } from "../p2p/serving/filter-figures.ts"
import { openConnections } from "../p2p/peer/open-connections.ts"
import { type Sample, sample } from "./sample.ts"

type Sampled = Pick<
  NetworkService,
  | "book"
  | "compactBlocks"
  | "connections"
  | "fibers"
  | "filtersSent"
  | "foreignChains"
  | "hiddenServices"
  | "peers"
  | "privateBroadcast"
  | "reputation"
  | "totals"
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

/** Label values that have a sample even if their count is zero. */
const KINDS = ["inbound", "outbound-full-relay", "block-relay-only", "manual"]
const TRANSPORTS = ["v1", "v2"]
const NETWORKS = ["ipv4", "ipv6", "onion", "i2p", "cjdns"]

const countedBy = (
  peers: ReadonlyArray<Peer>,
  names: ReadonlyArray<string>,
  nameOf: (peer: Peer) => string
): ReadonlyArray<readonly [name: string, count: number]> => {
  const counts = new Map(names.map((name) => [name, 0]))
  for (const peer of peers) addToCounter(counts, nameOf(peer), 1)
  return [...counts]
}

/** Samples of ready peers, by their properties. */
const peerSamples = (peers: ReadonlyArray<Peer>): ReadonlyArray<Sample> => [
  ...countedBy(peers, KINDS, ({ kind }) => kind).map(([kind, count]) => sample("lockstep_peers", count, { kind })),
  ...countedBy(peers, TRANSPORTS, ({ transport }) => transport.kind()).map(([transport, count]) =>
    sample("lockstep_peers_by_transport", count, { transport })
  ),
  ...countedBy(peers, NETWORKS, (peer) => connectedThrough(peer) ?? "other").map(([network, count]) =>
    sample("lockstep_peers_by_network", count, { network })
  )
]

const hiddenSamples = ({ hiddenServices, privateBroadcast }: Sampled): ReadonlyArray<Sample> => [
  ...hiddenServices().map(({ isUp, network }) => sample("lockstep_hidden_service_up", isUp ? 1 : 0, { network })),
  ...privateBroadcast === undefined
    ? []
    : [sample("lockstep_private_broadcast_transactions", privateBroadcast.all().length)]
]

const filterSamples = (sent: FilterFigures, peers: ReadonlyArray<Peer>): ReadonlyArray<Sample> => [
  ...Object.entries(sent).map(([message, count]) => sample("lockstep_filters_sent_total", count, { message })),
  sample("lockstep_peers_with_bloom_filter", peers.filter(({ hello }) => hello?.isFiltered === true).length)
]

/** Samples of the node's network layer. */
export const networkSamples = (network: Sampled): ReadonlyArray<Sample> => {
  const { book, compactBlocks, connections, fibers, filtersSent, foreignChains, peers, reputation, totals } = network
  const open = openConnections(peers)
  return [
    ...peerSamples(open.filter(({ isReady }) => isReady)),
    ...hiddenSamples(network),
    sample("lockstep_connections", open.length),
    sample("lockstep_connection_fibers", fibers()),
    ...Object.entries(connections.refused).map(([reason, count]) =>
      sample("lockstep_connections_refused_total", count, { reason })
    ),
    sample("lockstep_discouraged_addresses", reputation.discouraged.size()),
    ...Object.entries(foreignChains.met).map(([sign, count]) =>
      sample("lockstep_foreign_chain_peers_total", count, { sign })
    ),
    sample("lockstep_network_bytes_total", totals.received, { direction: "received" }),
    sample("lockstep_network_bytes_total", totals.sent, { direction: "sent" }),
    ...compactSamples(compactBlocks),
    ...filterSamples(filtersSent(), open),
    sample("lockstep_known_addresses", book.size())
  ]
}
