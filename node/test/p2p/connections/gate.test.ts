import { assert, describe, it } from "@effect/vitest"
import { type DisconnectReason, disconnectText } from "../../../src/runtime/disconnect-reason.ts"
import { inbound } from "../../../src/p2p/connections/inbound.ts"
import { reputation } from "../../../src/p2p/connections/reputation.ts"
import type { P2pContext } from "../../../src/p2p/peer/p2p-context.ts"
import type { Peer } from "../../../src/p2p/peer/peer.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { unixMilliseconds, unixSeconds } from "../../../src/quantities.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import { endpoint } from "../transport/transport-suite.ts"

/** At the beginning of a minute. */
const START = 1_700_193_600_000

/** The gate of a node with places for so many inbound peers, and the connections that came through it. */
const place = (most: number, isActive = true) => {
  const clock = { now: START }
  const observed: Array<string> = []
  const peers = new Map<number, Peer>()
  const notify = {
    log: () => undefined,
    event: (type: string, payload: object) => void observed.push([type, ...Object.values(payload)].join(" "))
  }
  const environment = { now: () => unixMilliseconds(clock.now), random: seededRandom(3) }
  const known = reputation(environment, { ...notify, event: () => undefined })
  const gate = inbound({
    context: { crypto: testCrypto, environment, notify, peers } as unknown as P2pContext,
    reputation: known,
    most,
    isActive: () => isActive,
    trusts: ({ remote }) => remote.address.bytes[0] === 99
  })
  let nextId = 0
  /** A connection comes: why it is refused, or nothing. `more`: what becomes known of its peer. */
  const come = (text: string, more: Partial<Peer> = {}) => {
    const remote = endpoint(text)
    const objection = gate.objection({ remote, local: undefined })
    if (objection !== undefined) return objection
    const id = nextId++
    const peer = {
      id,
      name: text,
      inbound: true,
      isReady: true,
      isGone: false,
      isTrusted: remote.address.bytes[0] === 99,
      endpoint: remote,
      connectedAt: clock.now,
      latency: { least: undefined },
      traffic: { lastBlock: 0, lastTransaction: 0 },
      hello: { services: 9n, relay: true, isFiltered: false },
      disconnect: (reason: DisconnectReason) => {
        observed.push(`${text} ${disconnectText(reason)}`)
        peers.delete(id)
      },
      ...more
    } as unknown as Peer
    peers.set(id, peer)
    return undefined
  }
  return { clock, come, gate, known, peers, observed }
}

/** Another address for each number, each of its own group. */
const nth = (i: number): string => `${20 + (i >> 6)}.${i & 63}.1.1:1`

describe("the gate for inbound connections", () => {
  it("takes 60 connections of one address within a minute, and reports once of more", () => {
    const { clock, come, peers, observed } = place(500)
    for (let i = 0; i < 60; i++) {
      assert.isUndefined(come("20.1.1.1:1"))
      peers.clear()
    }
    for (let i = 0; i < 3; i++) assert.strictEqual(come("20.1.1.1:1"), "rate")
    assert.deepStrictEqual(observed, ["RateLimitExceeded 20.1.1.1:1 connections 61 60"])
    assert.isUndefined(come("20.1.1.2:1"), "another address")
    clock.now += 59_999
    assert.strictEqual(come("20.1.1.1:1"), "rate")
    clock.now += 1
    assert.isUndefined(come("20.1.1.1:1"))
  })

  it("takes 32 connections of one address at a time, of this machine more", () => {
    const { come } = place(500)
    for (let i = 0; i < 32; i++) assert.isUndefined(come("20.1.1.1:1"))
    assert.strictEqual(come("20.1.1.1:2"), "address")
    for (let i = 0; i < 70; i++) assert.isUndefined(come("127.0.0.1:1"))
  })

  it("counts no more than 4,096 addresses of a minute: those that come later are bounded by what is open alone", () => {
    const { clock, come, peers } = place(500)
    const open = (text: string): string | undefined => {
      peers.clear()
      return come(text)
    }
    for (let i = 0; i < 4_096; i++) open(`${20 + (i >> 8)}.${i & 255}.1.1:1`)
    for (let i = 0; i < 70; i++) assert.isUndefined(open("77.1.1.1:1"))
    for (let i = 0; i < 59; i++) assert.isUndefined(open("20.0.1.1:1"))
    assert.strictEqual(open("20.0.1.1:1"), "rate", "the first of them is counted on")
    clock.now += 60_000
    for (let i = 0; i < 60; i++) assert.isUndefined(open("77.1.1.1:1"))
    assert.strictEqual(open("77.1.1.1:1"), "rate")
  })

  it("takes nothing while the network is off, not even of trusted addresses", () => {
    assert.strictEqual(place(10, false).come("99.1.1.1:1"), "inactive")
  })

  it("refuses discouraged addresses from the last free place on, and banned ones always, unless they are trusted", () => {
    const { come, known, peers } = place(3)
    for (const text of ["30.1.1.1:1", "99.1.1.1:1"]) {
      known.discourage(endpoint(text).address, { _tag: "HeaderWithoutWork" })
    }
    assert.isUndefined(come("30.1.1.1:1"))
    assert.isUndefined(come(nth(1)))
    assert.strictEqual(come("30.1.1.1:1"), "discouraged")
    assert.isUndefined(come("99.1.1.1:1"))
    peers.clear()
    const ban = (text: string) =>
      known.ban({
        subnet: { address: endpoint(text).address, bits: 32 },
        created: unixSeconds(0),
        until: unixSeconds(2e9)
      })
    for (const text of ["40.1.1.1:1", "99.1.1.2:1"]) ban(text)
    assert.strictEqual(come("40.1.1.1:1"), "banned")
    assert.isUndefined(come("99.1.1.2:1"))
  })

  it("is full when each peer is protected or trusted", () => {
    const { come, peers } = place(20)
    for (let i = 0; i < 20; i++) assert.isUndefined(come(nth(i)))
    assert.strictEqual(come(nth(30)), "full")
    const trusting = place(60)
    for (let i = 0; i < 60; i++) trusting.come(`99.1.${i}.1:1`)
    assert.strictEqual(trusting.come(nth(1)), "full")
    assert.strictEqual(peers.size, 20)
  })

  it("counts connections that were not ended, and inbound ones", () => {
    const { come } = place(2)
    assert.isUndefined(come(nth(1), { isGone: true }))
    assert.isUndefined(come(nth(2), { inbound: false }))
    assert.isUndefined(come(nth(3)))
    assert.isUndefined(come(nth(4)))
    assert.strictEqual(come(nth(5)), "full")
  })

  it("evicts the oldest peer without a handshake after more than 5 seconds, while all places are taken", () => {
    const { clock, come, observed } = place(10)
    const silent = { isReady: false }
    come(nth(0))
    come(nth(1), silent)
    clock.now += 1
    come(nth(2), silent)
    for (let i = 3; i < 10; i++) come(nth(i))
    clock.now += 4_999
    assert.strictEqual(come(nth(20)), "full")
    clock.now += 1
    assert.isUndefined(come(nth(21)))
    assert.deepStrictEqual(observed, [`${nth(1)} evicted before the handshake`])
  })

  it("evicts it at once when more than half of the places hold such peers, and calls that an attack once a minute", () => {
    const { clock, come, observed } = place(10)
    for (let i = 0; i < 5; i++) come(nth(i), { isReady: false })
    for (let i = 5; i < 10; i++) come(nth(i))
    assert.strictEqual(come(nth(20)), "full", "half of them")
    const flooded = place(10)
    for (let i = 0; i < 6; i++) flooded.come(nth(i), { isReady: false })
    for (let i = 6; i < 10; i++) flooded.come(nth(i))
    const silent = { isReady: false }
    assert.isUndefined(flooded.come(nth(20), silent))
    assert.isUndefined(flooded.come(nth(21), silent))
    assert.deepStrictEqual(flooded.observed, [
      `DoSAttackDetected ${nth(0)} connections without a handshake high`,
      `${nth(0)} evicted before the handshake`,
      `${nth(1)} evicted before the handshake`
    ])
    flooded.clock.now += 59_999
    flooded.come(nth(22), silent)
    assert.lengthOf(flooded.observed, 4)
    flooded.clock.now += 1
    flooded.come(nth(23), silent)
    assert.strictEqual(flooded.observed[4], `DoSAttackDetected ${nth(3)} connections without a handshake high`)
    assert.deepStrictEqual([clock.now, observed], [START, []])
  })

  it("evicts a discouraged peer for another one", () => {
    const { come, known, observed } = place(60)
    for (let i = 0; i < 60; i++) come(nth(i))
    known.discourage(endpoint(nth(50)).address, { _tag: "HeaderWithoutWork" })
    assert.isUndefined(come(nth(70)))
    assert.deepStrictEqual(observed, [`${nth(50)} evicted for another peer`])
  })

  it("protects peers that serve blocks and relay none of the transactions, of what they said of themselves", () => {
    // Of the same age, group and ping: eight of those that serve blocks alone stay, however many others there are.
    const { come, peers } = place(100)
    const hello = { services: 9n, relay: false, isFiltered: false } as Peer["hello"]
    for (let i = 0; i < 100; i++) {
      const isServing = i >= 90 && i < 98
      come(nth(i), {
        connectedAt: unixMilliseconds(isServing ? START + 1 : START),
        ...isServing ? { hello } : {},
        traffic: { lastBlock: isServing ? 1 : 2 } as Peer["traffic"]
      })
    }
    for (let i = 0; i < 40; i++) {
      come(nth(200 + i), { connectedAt: unixMilliseconds(START + 2), traffic: { lastBlock: 0 } as Peer["traffic"] })
    }
    assert.strictEqual([...peers.values()].filter(({ hello: said }) => said === hello).length, 8)
  })
})
