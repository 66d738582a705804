import { assert, describe, it } from "@effect/vitest"
import { networkSamples } from "../../src/metrics/network-samples.ts"
import type { NetworkService } from "../../src/p2p/layer/network.ts"
import { endpoint } from "../p2p/transport/transport-suite.ts"
import type { PeerKind } from "../../src/p2p/peer/peer.ts"

const ENDPOINTS = [endpoint("11.1.1.1:8333"), endpoint("[2a00::1]:8333")]

const peersOf = (...kinds: ReadonlyArray<readonly [kind: PeerKind, isReady: boolean, isGone: boolean]>) =>
  new Map(kinds.map(([kind, isReady, isGone], id) => [
    id,
    {
      kind,
      isReady,
      isGone,
      endpoint: ENDPOINTS[id % 2],
      network: id === 4 ? "onion" : undefined,
      hello: { isFiltered: id === 4 },
      transport: { kind: () => kind === "feeler" ? "v1" : "v2" }
    }
  ]))

describe("samples of the node among others", () => {
  it("count peers that are ready by kind, connections that were not ended, bytes, and addresses", () => {
    const peers = peersOf(["inbound", true, false], ["inbound", true, false], ["inbound", false, false], [
      "manual",
      true,
      true
    ], ["feeler", true, false])
    const network = {
      peers,
      totals: { received: 7, sent: 9 },
      book: { size: () => 11 },
      fibers: () => 6,
      hiddenServices: () => [{ network: "onion", isUp: true }, { network: "i2p", isUp: false }],
      privateBroadcast: { all: () => [{}, {}] },
      compactBlocks: {
        received: 30,
        withoutRequest: 21,
        withRequest: 5,
        failed: { collision: 1, mismatch: 2, impossible: 0 },
        transactions: { prefilled: 31, mempool: 32, extra: 33, requested: 34 },
        requestedBytes: 8_000,
        milliseconds: 1_500,
        announced: { early: 12, late: 13 }
      },
      filtersSent: () => ({ cfilter: 41, cfheaders: 42, cfcheckpt: 43, merkleblock: 44 }),
      connections: { refused: { full: 3, banned: 0 } },
      reputation: { discouraged: { size: () => 2 } },
      foreignChains: { met: { headers: 51, branch: 52 } }
    } as unknown as NetworkService
    const values = new Map(
      networkSamples(network).map(({ labels, name, value }) => [`${name} ${Object.values(labels).join()}`, value])
    )
    assert.deepStrictEqual([...values], [
      ["lockstep_peers inbound", 2],
      ["lockstep_peers outbound-full-relay", 0],
      ["lockstep_peers block-relay-only", 0],
      ["lockstep_peers manual", 0],
      ["lockstep_peers feeler", 1],
      ["lockstep_peers_by_transport v1", 1],
      ["lockstep_peers_by_transport v2", 2],
      ["lockstep_peers_by_network ipv4", 1],
      ["lockstep_peers_by_network ipv6", 1],
      ["lockstep_peers_by_network onion", 1],
      ["lockstep_peers_by_network i2p", 0],
      ["lockstep_peers_by_network cjdns", 0],
      ["lockstep_hidden_service_up onion", 1],
      ["lockstep_hidden_service_up i2p", 0],
      ["lockstep_private_broadcast_transactions ", 2],
      ["lockstep_connections ", 4],
      ["lockstep_connection_fibers ", 6],
      ["lockstep_connections_refused_total full", 3],
      ["lockstep_connections_refused_total banned", 0],
      ["lockstep_discouraged_addresses ", 2],
      ["lockstep_foreign_chain_peers_total headers", 51],
      ["lockstep_foreign_chain_peers_total branch", 52],
      ["lockstep_network_bytes_total received", 7],
      ["lockstep_network_bytes_total sent", 9],
      ["lockstep_compact_blocks_total mempool", 21],
      ["lockstep_compact_blocks_total requested", 5],
      ["lockstep_compact_blocks_total collision", 1],
      ["lockstep_compact_blocks_total mismatch", 2],
      ["lockstep_compact_blocks_total impossible", 0],
      ["lockstep_compact_block_transactions_total prefilled", 31],
      ["lockstep_compact_block_transactions_total mempool", 32],
      ["lockstep_compact_block_transactions_total extra", 33],
      ["lockstep_compact_block_transactions_total requested", 34],
      ["lockstep_compact_block_requested_bytes_total ", 8_000],
      ["lockstep_compact_block_seconds_total ", 1.5],
      ["lockstep_compact_blocks_announced_total early", 12],
      ["lockstep_compact_blocks_announced_total late", 13],
      ...Object.entries({ cfilter: 41, cfheaders: 42, cfcheckpt: 43, merkleblock: 44 }).map(([message, count]) =>
        [`lockstep_filters_sent_total ${message}`, count] as const
      ),
      ["lockstep_peers_with_bloom_filter ", 1],
      ["lockstep_known_addresses ", 11]
    ])
  })
})
