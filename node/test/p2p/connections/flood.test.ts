import { assert, describe, it } from "@effect/vitest"
import { CONNECTION_LIMITS } from "../../../src/p2p/connections/connection-limits.ts"
import { inbound } from "../../../src/p2p/connections/inbound.ts"
import type { Reputation } from "../../../src/p2p/connections/reputation.ts"
import type { P2pContext } from "../../../src/p2p/p2p-context.ts"
import type { Peer } from "../../../src/p2p/peer/peer.ts"
import { seededRandom } from "../../../src/p2p/seeded-random.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import { endpoint } from "../transport/transport-suite.ts"

const MOST = 20
const ALL = CONNECTION_LIMITS.evictionRate.most

/** A gate with peers that say nothing, which leave when they are told to. */
const opened = () => {
  const clock = { now: 1_750_000_000_000 }
  const peers = new Map<number, Peer>()
  const events: Array<string> = []
  const notify = { log: () => undefined, event: (name: string) => void events.push(name) }
  const environment = { now: () => clock.now, random: seededRandom(7) }
  const context = { crypto: testCrypto, environment, peers, notify } as unknown as P2pContext
  const reputation = { isBanned: () => false, discouraged: { has: () => false } } as unknown as Reputation
  const gate = inbound({ context, reputation, most: MOST, isActive: () => true, trusts: () => false })
  let next = 0
  const come = (): string | undefined => {
    const id = next++
    const at = endpoint(`20.${id >> 8}.${id & 255}.1:1`)
    const objection = gate.objection({ remote: at })
    const silent = {
      id,
      inbound: true,
      isGone: false,
      isReady: false,
      isTrusted: false,
      connectedAt: clock.now,
      endpoint: at,
      name: `${id}`
    }
    if (objection === undefined) {
      peers.set(id, {
        ...silent,
        disconnect: () => void peers.delete(id)
      } as unknown as Peer)
    }
    return objection
  }
  return { clock, peers, events, gate, come }
}

describe("a flood of connections", () => {
  it("is one once so many peers were evicted in a second, and until then each connection is considered", () => {
    const { come, events, gate, peers } = opened()
    for (let i = 0; i < MOST + ALL; i++) {
      assert.isFalse(gate.isFlooded())
      assert.isUndefined(come())
    }
    assert.strictEqual(peers.size, MOST)
    assert.isTrue(gate.isFlooded())
    assert.strictEqual(come(), "full")
    gate.turnedAway(endpoint("20.1.1.1:1"))
    assert.deepStrictEqual(events.filter((name) => name === "DoSAttackDetected").length, 1, "told once a minute")
  })

  it("is over as soon as there is room, and with the second", () => {
    const { clock, come, gate, peers } = opened()
    for (let i = 0; i < MOST + ALL; i++) come()
    assert.isTrue(gate.isFlooded())
    const [first, peer] = [...peers][0]!
    peers.delete(first)
    assert.isFalse(gate.isFlooded(), "there is room")
    peers.set(first, peer)
    assert.isTrue(gate.isFlooded())
    clock.now += 1_000
    assert.isFalse(gate.isFlooded(), "others may make room again")
    assert.isUndefined(come())
  })
})
