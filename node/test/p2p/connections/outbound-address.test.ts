import { assert, describe, it } from "vitest"
import type { AddressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import { AddressNetwork } from "@lockstep/protocol/wire/address/network-address.ts"
import { networkGroup } from "../../../src/net/address-place.ts"
import type { KnownNode } from "../../../src/p2p/addresses/table/known-node.ts"
import type { OutboundOptions } from "../../../src/p2p/connections/outbound.ts"
import type { PeerKind } from "../../../src/p2p/peer/peer.ts"
import { DialError } from "../../../src/p2p/transport/transport.ts"
import { unixSeconds } from "../../../src/quantities.ts"
import {
  FILLED,
  FIRST,
  FULL,
  known,
  LIMITED,
  MINUTE,
  NETWORK,
  place,
  START,
  V2,
  WITNESS,
  type World
} from "./outbound-place.ts"

/** Whether a node is dialed for a kind of connection, at which try. */
const triesFor = (node: KnownNode, kind: PeerKind, more: Partial<World> = {}): number => {
  const counts = kind === "outbound-full-relay" ? {} : kind === "feeler" ? FILLED : { "outbound-full-relay": 8 }
  const { after, asked } = place({ chosen: [node], counts, isDownloading: kind === "feeler", ...more })
  return after(kind === "feeler" ? 2 * MINUTE : 0) === "" ? 0 : asked.length
}

describe("an address that addrman chooses", () => {
  it("is any reachable one, for a feeler the rival of a collision or a new one", () => {
    const reachable = new Set(["ipv4", "ipv6"])
    const full = place()
    full.after(0)
    assert.deepStrictEqual([full.asked, full.collisions()], [[{ kinds: reachable }], 1])
    const feeler = place({ counts: FILLED })
    feeler.after(2 * MINUTE)
    assert.deepStrictEqual(feeler.asked, [{ onlyNew: true, kinds: reachable }])
    const rival = place({ counts: FILLED, rival: known("30.0.0.1:8333") })
    assert.strictEqual(rival.after(2 * MINUTE), "feeler 30.0.0.1:8333")
    assert.lengthOf(rival.asked, 0)
  })

  it.each<readonly [string, KnownNode, Partial<World>]>([
    ["connected to", FIRST, { connected: "20.0.0.1" }],
    ["banned", FIRST, { banned: "20.0.0.1" }],
    ["discouraged", FIRST, { discouraged: "20.0.0.1" }],
    ["this node's own", FIRST, { own: [FIRST] }],
    ["the operator's", FIRST, { listed: [FIRST] }],
    ["in no reachable network", known("[2a00::1]:8333"), {}]
  ])("is passed over when it is %s, a hundred times at most", (name, node, more) => {
    const { after, asked } = place(
      { chosen: [node], ...more },
      name.includes("network")
        ? { reachable: new Set<AddressKind>(["ipv4"]) }
        : {}
    )
    assert.deepStrictEqual([after(0), asked.length], ["", 100])
    const other = place({ chosen: [node, node, known("40.0.0.1:8333")], ...more }, {
      reachable: new Set<AddressKind>(["ipv4"])
    })
    assert.strictEqual(other.after(0), "outbound-full-relay 40.0.0.1:8333")
  })

  it("is of a network group without a connection, but for a feeler", () => {
    const groups = new Set([networkGroup(FIRST.address)])
    assert.strictEqual(triesFor(FIRST, "outbound-full-relay", { groups }), 0)
    assert.strictEqual(triesFor(FIRST, "block-relay-only", { groups }), 0)
    assert.strictEqual(triesFor(FIRST, "feeler", { groups }), 1)
  })

  it("was not tried for ten minutes, unless 29 others were looked at", () => {
    const tried = (seconds: number) => known("20.0.0.1:8333", { lastTry: unixSeconds(START / 1_000 - seconds) })
    assert.strictEqual(triesFor(tried(600), "outbound-full-relay"), 1)
    assert.strictEqual(triesFor(tried(599), "outbound-full-relay"), 30)
  })

  it("has a port of another service only where 49 others were looked at, or in an overlay network", () => {
    assert.strictEqual(triesFor(known("20.0.0.1:22"), "outbound-full-relay"), 50)
    assert.strictEqual(triesFor(known("20.0.0.1:22"), "feeler"), 50)
    const service = { network: AddressNetwork.TORV3, bytes: new Uint8Array(32).fill(7) }
    const reachable = new Set<AddressKind>(["onion"])
    const { after, asked } = place({ chosen: [{ ...known("20.0.0.1:22"), address: service }] }, { reachable })
    assert.match(after(0), /onion:22$/)
    assert.lengthOf(asked, 1)
  })

  it("offers what its connection is for", () => {
    const offering = (services: bigint) => known("20.0.0.1:8333", { services })
    const isDialed = (services: bigint, kind: PeerKind, isDownloading: boolean) =>
      triesFor(offering(services), kind, { isDownloading }) > 0
    for (const kind of ["outbound-full-relay", "block-relay-only"] as const) {
      assert.deepStrictEqual(
        [FULL, LIMITED | WITNESS, NETWORK, LIMITED, WITNESS, NETWORK | LIMITED | WITNESS].map((services) => [
          isDialed(services, kind, false),
          isDialed(services, kind, true)
        ]),
        [[true, true], [true, false], [false, false], [false, false], [false, false], [true, true]],
        kind
      )
    }
    assert.deepStrictEqual(
      [NETWORK, LIMITED, WITNESS, 0n].map((services) => isDialed(services, "feeler", true)),
      [true, true, false, false]
    )
  })
})

describe("an attempt", () => {
  it("begins with v2 where both sides speak it", () => {
    const begins = (hasV2: boolean, offered: bigint) => {
      const { after, dialed } = place({ hasV2, offered })
      after(0)
      return dialed[0]!.isV2
    }
    assert.deepStrictEqual(
      [begins(true, V2), begins(true, FULL), begins(false, V2)],
      [true, false, false]
    )
  })

  it("counts against the address while two others are reached, or all but one of few slots, and the proxy is there", () => {
    const counted = (reached: number, options: Partial<OutboundOptions> = {}, error?: DialError) => {
      const { after, attempted, done } = place({ reached }, options)
      after(0)
      done(error)
      return attempted
    }
    const at = "20.0.0.1:8333"
    const few = { slots: { fullRelay: 1, blockRelay: 1, feelers: 0, inbound: 0 } }
    assert.deepStrictEqual([1, 2, 3].map((reached) => counted(reached)), [[[at, false]], [[at, true]], [[at, true]]])
    assert.deepStrictEqual([0, 1].map((reached) => counted(reached, few)), [[[at, false]], [[at, true]]])
    assert.deepStrictEqual(counted(2, {}, new DialError({ message: "no", isProxy: false })), [[at, true]])
    assert.deepStrictEqual(counted(2, {}, new DialError({ message: "no", isProxy: true })), [])
  })
})
