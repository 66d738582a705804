import { assert, describe, it } from "@effect/vitest"
import type { AddressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import { takenForCjdns } from "@lockstep/protocol/wire/address/address-kind.ts"
import { addressText } from "../../../src/net/endpoint-text.ts"
import type { OwnAddress } from "../../../src/p2p/addresses/own-address.ts"
import { advertisedAddress } from "../../../src/p2p/addresses/advertised-address.ts"
import { endpoint } from "../transport/transport-suite.ts"

const ONION = "pg6mmjiyjmcrsslvykfwnntlaru7p5svn6y2ymmju6nubxndf4pscryd.onion"
const I2P = `${"a".repeat(51)}a.b32.i2p`

const own = (text: string, score = 4): OwnAddress => {
  const { address, port } = endpoint(text.includes(":") ? `[${text}]:8333` : `${text}:8333`)
  return { address: takenForCjdns(address), port, score }
}

const shownTo = (peer: string, all: ReadonlyArray<OwnAddress>, network?: AddressKind): string => {
  const { address, port, score: _, ...rest } = own(peer)
  const chosen = advertisedAddress(all, { endpoint: { address, port, ...rest }, network })
  return chosen === undefined ? "none" : addressText(chosen.address)
}

const ALL = ["8.8.8.8", "2a01::1", "2001:0:1::1", "2002:0808:0808::1", "fc00::1", ONION, I2P].map((text) => own(text))

describe("the own address that a peer is sent", () => {
  it.each([
    ["9.9.9.9", "8.8.8.8"],
    ["2a02::1", "2a01::1"],
    ["2001:0:2::1", "8.8.8.8"],
    ["127.0.0.1", "8.8.8.8"],
    ["fc00::2", "fc00::1"],
    [ONION, ONION],
    [I2P, I2P]
  ])("%s: the one that it reaches best, %s", (peer, wanted) => assert.strictEqual(shownTo(peer, ALL), wanted))

  it("is one of Tor or I2P for peers in these networks alone, which get no other", () => {
    for (const hidden of [ONION, I2P]) {
      for (const peer of ["9.9.9.9", "2a02::1", "fc00::2", "127.0.0.1"]) {
        assert.strictEqual(shownTo(peer, [own(hidden)]), "none", `${hidden} for ${peer}`)
      }
      for (const other of ["8.8.8.8", "2a01::1", "fc00::1"]) assert.strictEqual(shownTo(hidden, [own(other)]), "none")
    }
    assert.strictEqual(shownTo(I2P, [own(ONION)]), "none")
    // Behind an onion service all peers have an address of this machine.
    assert.strictEqual(shownTo("127.0.0.1", ALL, "onion"), ONION)
    assert.strictEqual(shownTo("127.0.0.1", [own("8.8.8.8")], "onion"), "none")
  })

  it("is a tunnel or an address of IPv4 where there is no better one", () => {
    assert.strictEqual(shownTo("2a02::1", [own("2002:0808:0808::1"), own("8.8.8.8")]), "8.8.8.8")
    assert.strictEqual(shownTo("2a02::1", [own("2001:0:1::1"), own("2002:0808:0808::1")]), "2002:808:808::1")
    assert.strictEqual(shownTo("2001:0:2::1", [own("2001:0:1::1"), own("2a01::1")]), "2a01::1")
    assert.strictEqual(shownTo("9.9.9.9", [own("2a01::1")]), "2a01::1")
    assert.strictEqual(shownTo("2a02::1", [own("fc00::1")]), "fc00::1")
    assert.strictEqual(shownTo("fc00::2", [own("2a01::1")]), "2a01::1")
  })

  it("is the likeliest of those that it reaches equally well, the first of equals, and none that cannot be reached", () => {
    assert.strictEqual(shownTo("9.9.9.9", [own("8.8.8.8", 2), own("8.8.4.4", 3), own("8.8.1.1", 3)]), "8.8.4.4")
    assert.strictEqual(shownTo("9.9.9.9", [own("192.168.1.1"), own("127.0.0.1")]), "none")
    assert.strictEqual(shownTo("9.9.9.9", []), "none")
  })
})
