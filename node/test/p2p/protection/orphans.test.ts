import { assert, describe, it } from "@effect/vitest"
import { orphanage } from "../../../src/p2p/relay/orphanage/orphanage.ts"
import { RELAY_LIMITS } from "../../../src/p2p/relay/relay-limits.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { madeOrphan, PARENT } from "../relay/made-orphan.ts"

const NOTHING = { orphans: 0, announcements: 0, latency: 0, weight: 0 }

describe("orphans of hostile peers", () => {
  it("CVE-2024-52914: however many wait for one parent, they are bounded, and forgotten without a trace", () => {
    const waiting = orphanage(seededRandom(1))
    for (let i = 0; i < 20_000; i++) waiting.add(madeOrphan(i, { weight: 1 }), 1)
    assert.strictEqual(waiting.sizes().orphans, RELAY_LIMITS.orphanAnnouncements.most)
    assert.strictEqual(waiting.childrenFrom(PARENT, 1).length, RELAY_LIMITS.orphanAnnouncements.most)
    waiting.gone(1)
    assert.deepStrictEqual([waiting.sizes(), waiting.childrenFrom(PARENT, 1)], [NOTHING, []])
  })

  it("CVE-2012-3789: a peer fills its own share and what others leave, and no other's", () => {
    const waiting = orphanage(seededRandom(1))
    const honest = madeOrphan(1, { weight: 10_000 })
    waiting.add(honest, 1)
    for (let i = 2; i < 500; i++) waiting.add(madeOrphan(i, { weight: 40_000 }), 2)
    assert.isTrue(waiting.has(honest.wtxid))
    assert.isAtMost(waiting.sizes().weight, 2 * RELAY_LIMITS.orphanWeight.most)
    // The honest one may use its share whenever it likes.
    for (let i = 500; i < 509; i++) waiting.add(madeOrphan(i, { weight: 40_000 }), 1)
    assert.strictEqual(waiting.childrenFrom(PARENT, 1).length, 10)
    assert.isAtMost(waiting.sizes().weight, 2 * RELAY_LIMITS.orphanWeight.most)
  })
})
