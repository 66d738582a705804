import { assert, describe, it } from "@effect/vitest"
import { CONNECTION_LIMITS } from "../../../src/p2p/connections/connection-limits.ts"
import type { P2pContext } from "../../../src/p2p/peer/p2p-context.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import { endpoint } from "../transport/transport-suite.ts"
import { gateOfSilentPeers } from "./silent-peers.ts"

const MOST = 20
const ALL = CONNECTION_LIMITS.evictionRate.most

const opened = () => {
  const clock = { now: 1_750_000_000_000 }
  const events: Array<string> = []
  const notify = { log: () => undefined, event: (name: string) => void events.push(name) }
  const environment = { now: () => clock.now, random: seededRandom(7) }
  const context = { crypto: testCrypto, environment, notify } as unknown as P2pContext
  return { clock, events, ...gateOfSilentPeers(context, MOST) }
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
    assert.deepStrictEqual(events.filter((name) => name === "DoSAttackDetected").length, 1, "reported once a minute")
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
