import { assert, describe, it } from "@effect/vitest"
import { discouraged } from "../../../src/p2p/connections/discouragement.ts"
import { slotsOf } from "../../../src/p2p/connections/slots.ts"
import { endpoint } from "../transport/transport-suite.ts"

const address = (text: string) => endpoint(`${text}:1`).address

describe("discouraged addresses", () => {
  it("are bounded: the oldest are forgotten first", () => {
    const shunned = discouraged(100)
    const nth = (i: number) => address(`10.0.${i >> 8}.${i & 0xff}`)
    for (let i = 0; i < 1_000; i++) {
      shunned.add(nth(i))
      assert.isAtMost(shunned.size(), 100)
    }
    assert.isTrue(shunned.has(nth(999)) && shunned.has(nth(951)))
    assert.isFalse(shunned.has(nth(0)))
  })
})

describe("slots", () => {
  it("are shared out as Bitcoin Core does", () => {
    assert.deepStrictEqual(slotsOf(125, undefined), { fullRelay: 8, blockRelay: 2, feelers: 1, inbound: 114 })
    assert.deepStrictEqual(slotsOf(100, undefined), { fullRelay: 8, blockRelay: 2, feelers: 1, inbound: 89 })
    assert.deepStrictEqual(slotsOf(9, undefined), { fullRelay: 8, blockRelay: 1, feelers: 0, inbound: 0 })
    assert.deepStrictEqual(slotsOf(0, undefined), { fullRelay: 0, blockRelay: 0, feelers: 0, inbound: 0 })
    assert.deepStrictEqual(slotsOf(100, 20), { fullRelay: 18, blockRelay: 2, feelers: 1, inbound: 79 })
    assert.deepStrictEqual(slotsOf(100, 0), { fullRelay: 0, blockRelay: 0, feelers: 0, inbound: 100 })
  })
})
