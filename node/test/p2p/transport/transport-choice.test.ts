import { assert, describe, it } from "@effect/vitest"
import { takenForCjdns } from "@lockstep/protocol/wire/address/address-kind.ts"
import * as Effect from "effect/Effect"
import type { Endpoint } from "../../../src/net/endpoint.ts"
import { parseNode } from "../../../src/net/endpoint-text.ts"
import {
  chosenTransport,
  transportNamesOf,
  reachableKinds,
  type TransportSet,
  transportTo
} from "../../../src/p2p/transport/transport-choice.ts"
import { DialError, ListenError, type Transport } from "../../../src/p2p/transport/transport.ts"

/** A way that goes nowhere, but says that it was chosen. */
const way = (name: string): Transport => ({
  name,
  dial: () => Effect.fail(new DialError({ message: name, isProxy: true })),
  listen: () => Effect.fail(new ListenError({ message: name }))
})

const NO_PROXIES = { ipv4: undefined, ipv6: undefined, onion: undefined, cjdns: undefined, names: undefined }
const direct = way("direct")
const all: TransportSet = {
  direct,
  proxies: { ipv4: way("four"), ipv6: way("six"), onion: way("tor"), cjdns: way("cj"), names: way("names") },
  i2p: way("i2p"),
  hasCjdns: true,
  quic: way("quic"),
  iroh: way("iroh")
}
const few: TransportSet = { direct, proxies: NO_PROXIES }

const node = (text: string): Endpoint => {
  const found = parseNode(text, 8_333)!
  return { ...found, address: takenForCjdns(found.address) }
}
const NODES = {
  ipv4: node("8.8.8.8:8333"),
  ipv6: node("[2a00::1]:8333"),
  onion: node("pg6mmjiyjmcrsslvykfwnntlaru7p5svn6y2ymmju6nubxndf4pscryd.onion:8333"),
  i2p: node("ukeu3k5oycgaauneqgtnvselmt4yemvoilkln7jpvamvfx7dnkdq.b32.i2p:0"),
  cjdns: node("[fc00::1]:8333"),
  near: node("127.0.0.1:8333"),
  lan: node("192.168.1.2:8333"),
  name: { address: { network: 0, bytes: new Uint8Array(0) }, port: 8_333, name: "node.example" },
  quic: node("quic://8.8.8.8:8333"),
  iroh: node(`iroh://${"ab".repeat(32)}@8.8.8.8:8333`)
}

const ways = (given: TransportSet): ReadonlyArray<string> =>
  Object.entries(NODES).flatMap(([kind, target]) => {
    const chosen = transportTo(given, target)
    return chosen === undefined ? [] : [`${kind} ${chosen.name}`]
  })

describe("the way to a node", () => {
  it("is the proxy for its network, and none for nodes near by", () => {
    assert.deepStrictEqual(ways(all), [
      "ipv4 four",
      "ipv6 six",
      "onion tor",
      "i2p i2p",
      "cjdns cj",
      "near direct",
      "lan direct",
      "name names",
      "quic quic",
      "iroh iroh"
    ])
  })

  it("is direct where there is no proxy, in networks that need none", () => {
    assert.deepStrictEqual(ways(few), ["ipv4 direct", "ipv6 direct", "near direct", "lan direct"])
    assert.include(ways({ ...few, hasCjdns: true }), "cjdns direct")
    assert.notInclude(ways({ ...all, hasCjdns: false }), "cjdns cj")
    assert.isUndefined(transportTo(all, { address: { network: 99, bytes: new Uint8Array(3) } }))
  })

  it("is the only one that is allowed", () => {
    assert.deepStrictEqual(ways({ ...all, only: "quic" }), ["quic quic", "iroh iroh"])
    assert.deepStrictEqual(ways({ ...all, iroh: undefined, only: "quic" }), ["quic quic"])
  })

  it("has a name, which others are told", () => {
    assert.deepStrictEqual([transportNamesOf(all), transportNamesOf(few)], [["tcp", "quic", "iroh"], ["tcp"]])
    assert.deepStrictEqual([transportNamesOf({ ...all, only: "quic" }), transportNamesOf({ ...all, only: "iroh" })], [[
      "quic"
    ], ["iroh"]])
  })
})

describe("the kinds of addresses in which peers are chosen", () => {
  const kinds = (given: TransportSet, only?: Parameters<typeof reachableKinds>[1]) => [...reachableKinds(given, only)]

  it("are those that can be reached", () => {
    assert.deepStrictEqual(kinds(all), ["ipv4", "ipv6", "onion", "i2p", "cjdns"])
    assert.deepStrictEqual(kinds(few), ["ipv4", "ipv6"])
    assert.deepStrictEqual(kinds({ ...few, hasCjdns: true }), ["ipv4", "ipv6", "cjdns"])
  })

  it("are those of them that an operator names, and none beside QUIC or Iroh alone", () => {
    assert.deepStrictEqual(kinds(all, ["onion", "ipv4"]), ["ipv4", "onion"])
    assert.deepStrictEqual(kinds(few, ["onion"]), [])
    assert.deepStrictEqual(kinds({ ...all, only: "iroh" }), [])
  })
})

describe("one transport for all", () => {
  it.effect("dials by the way to the node, or says what to set", () =>
    Effect.gen(function*() {
      const refusal = (given: TransportSet, target: Endpoint) =>
        Effect.map(
          Effect.flip(chosenTransport(given).dial(target, (() => undefined) as never)),
          ({ isProxy, message }) => isProxy ? message : message.replace(/^.* cannot be reached: /, "needs: ")
        )
      assert.strictEqual(yield* refusal(all, NODES.onion), "tor")
      const needs = yield* Effect.forEach(
        [NODES.onion, NODES.i2p, NODES.cjdns, NODES.name, NODES.quic, NODES.iroh],
        (target) => refusal(few, target)
      )
      assert.deepStrictEqual(needs, [
        "needs: name a proxy for onion services as [connections].onion_proxy, or Tor's control port as tor_control",
        "needs: name an I2P router as [connections].i2p_sam",
        "needs: set [connections].cjdns_reachable = true where this machine is in CJDNS",
        "needs: name [connections].proxy",
        "needs: set transport_preference = \"hybrid\" or \"quinnonly\" for nodes that QUIC reaches",
        "needs: set transport_preference = \"all\" or \"irohonly\" for nodes that Iroh reaches"
      ])
      assert.include(yield* refusal({ ...all, only: "quic" }, NODES.ipv4), "\"quinnonly\" leaves QUIC alone")
      assert.include(yield* refusal({ ...all, only: "iroh" }, NODES.ipv4), "\"irohonly\" leaves Iroh alone")
    }))

  it.effect("listens by the way that a place is of, and has the name of the direct one", () =>
    Effect.gen(function*() {
      const listens = (given: TransportSet, bind: Endpoint) =>
        Effect.map(
          Effect.flip(Effect.scoped(chosenTransport(given).listen(bind, (() => undefined) as never))),
          ({ message }) => message
        )
      assert.deepStrictEqual(
        yield* Effect.forEach([NODES.ipv4, NODES.quic, NODES.iroh], (bind) => listens(all, bind)),
        ["direct", "quic", "iroh"]
      )
      assert.strictEqual(yield* listens(few, NODES.quic), "direct")
      assert.strictEqual(chosenTransport(all).name, "direct")
    }))
})
