import { assert, describe, it } from "@effect/vitest"
import { networkSamples } from "../../src/metrics/network-samples.ts"
import type { NetworkService } from "../../src/p2p/network.ts"
import type { PeerKind } from "../../src/p2p/peer/peer.ts"

const peersOf = (...kinds: ReadonlyArray<readonly [kind: PeerKind, isReady: boolean, isGone: boolean]>) =>
  new Map(kinds.map(([kind, isReady, isGone], id) => [
    id,
    { kind, isReady, isGone, transport: { kind: () => kind === "feeler" ? "v1" : "v2" } }
  ]))

describe("samples of the node among others", () => {
  it("count peers that are ready by kind, connections, bytes, and addresses", () => {
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
      connections: { refused: { full: 3, banned: 0 } },
      reputation: { discouraged: { size: () => 2 } }
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
      ["lockstep_connections ", 5],
      ["lockstep_connection_fibers ", 6],
      ["lockstep_connections_refused_total full", 3],
      ["lockstep_connections_refused_total banned", 0],
      ["lockstep_discouraged_addresses ", 2],
      ["lockstep_network_bytes_total received", 7],
      ["lockstep_network_bytes_total sent", 9],
      ["lockstep_known_addresses ", 11]
    ])
  })
})
