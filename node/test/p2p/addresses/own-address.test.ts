import { assert, describe, it } from "@effect/vitest"
import { ownAddresses } from "../../../src/p2p/addresses/own-address.ts"
import { endpointText } from "../../../src/net/endpoint-text.ts"
import type { Peer } from "../../../src/p2p/peer/peer.ts"
import { endpoint } from "../transport/transport-suite.ts"

const ANYWHERE = endpoint("0.0.0.0:8333")

const peer = (at: string, sees: string, more: Partial<Peer> = {}): Peer =>
  ({ endpoint: endpoint(at), inbound: false, isReady: true, hello: { addressSeen: endpoint(sees) }, ...more }) as Peer

const shown = (peers: ReadonlyArray<Peer>, ...listening: ReadonlyArray<typeof ANYWHERE>) =>
  ownAddresses(peers, listening.length === 0 ? [ANYWHERE] : listening).map((own) => `${endpointText(own)} ${own.score}`)

describe("where others reach us", () => {
  it("where peers of two networks see us, at the port that we listen on", () => {
    const peers = [peer("11.1.1.1:1", "20.1.1.1:5"), peer("12.1.1.1:1", "20.1.1.1:6"), peer("13.1.1.1:1", "21.1.1.1:6")]
    assert.deepStrictEqual(shown(peers), ["20.1.1.1:8333 2"])
  })

  it("first where peers of most networks see us", () => {
    const peers = [11, 12, 13, 14, 15].map((net) => peer(`${net}.1.1.1:1`, net < 13 ? "20.1.1.1:5" : "21.1.1.1:5"))
    assert.deepStrictEqual(shown(peers), ["21.1.1.1:8333 3", "20.1.1.1:8333 2"])
  })

  it("nowhere, when one network alone says so, or inbound peers, or an address that cannot be reached", () => {
    assert.deepStrictEqual(shown([peer("11.1.1.1:1", "20.1.1.1:5"), peer("11.1.2.2:1", "20.1.1.1:5")]), [])
    assert.deepStrictEqual(
      shown(["11.1.1.1:1", "12.1.1.1:1"].map((at) => peer(at, "20.1.1.1:5", { inbound: true }))),
      []
    )
    assert.deepStrictEqual(shown(["11.1.1.1:1", "12.1.1.1:1"].map((at) => peer(at, "192.168.1.1:5"))), [])
  })

  it("where the operator listens, if that can be reached; nowhere when the node does not listen", () => {
    assert.deepStrictEqual(shown([], endpoint("20.1.1.1:8333")), ["20.1.1.1:8333 4"])
    const places = [ANYWHERE, endpoint("20.1.1.1:8333"), endpoint("[2a01::1]:8444")]
    assert.deepStrictEqual(shown([], ...places), ["20.1.1.1:8333 4", "[2a01::1]:8444 4"])
    assert.deepStrictEqual(ownAddresses(["11.1.1.1:1", "12.1.1.1:1"].map((at) => peer(at, "20.1.1.1:5")), []), [])
  })

  it("in no network that the operator has excluded", () => {
    const places = [endpoint("20.1.1.1:8333"), endpoint("[2a01::1]:8444")]
    assert.deepStrictEqual(ownAddresses([], places, new Set(["ipv6"])).map(endpointText), ["[2a01::1]:8444"])
    const peers = [peer("11.1.1.1:1", "20.1.1.1:5"), peer("12.1.1.1:1", "20.1.1.1:6")]
    assert.deepStrictEqual(ownAddresses(peers, [ANYWHERE], new Set(["onion"])), [])
    assert.deepStrictEqual(ownAddresses(peers, places, new Set(["onion"])), [])
    assert.strictEqual(ownAddresses(peers, [ANYWHERE], new Set(["ipv4"])).length, 1)
  })
})
