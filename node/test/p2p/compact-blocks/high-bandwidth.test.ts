import fc from "fast-check"
import { assert, describe, it } from "vitest"
import {
  chooseHighBandwidth,
  type InboundOf,
  MOST_HIGH_BANDWIDTH
} from "../../../src/p2p/sync/compact-blocks/high-bandwidth.ts"

const inbound: InboundOf = () => true
const outboundIs = (...ids: ReadonlyArray<number>): InboundOf => (id) => !ids.includes(id)

describe("the choice of peers for high-bandwidth mode", () => {
  it("keeps the last three that delivered a block", () => {
    assert.deepStrictEqual(chooseHighBandwidth([], 1, inbound), { list: [1], isNew: true, dropped: undefined })
    assert.deepStrictEqual(chooseHighBandwidth([1, 2], 3, inbound), {
      list: [1, 2, 3],
      isNew: true,
      dropped: undefined
    })
    assert.deepStrictEqual(chooseHighBandwidth([1, 2, 3], 4, inbound), { list: [2, 3, 4], isNew: true, dropped: 1 })
  })

  it("moves one that is on the list to its end, without a message", () => {
    assert.deepStrictEqual(chooseHighBandwidth([1, 2, 3], 1, inbound), {
      list: [2, 3, 1],
      isNew: false,
      dropped: undefined
    })
  })

  it("spares the only outbound peer where an inbound one comes", () => {
    assert.deepStrictEqual(chooseHighBandwidth([1, 2, 3], 4, outboundIs(1)), {
      list: [1, 3, 4],
      isNew: true,
      dropped: 2
    })
    assert.deepStrictEqual(chooseHighBandwidth([1, 2, 3], 4, outboundIs(1, 2)).dropped, 1)
    assert.deepStrictEqual(chooseHighBandwidth([1, 2, 3], 4, outboundIs(1, 4)).dropped, 1)
  })

  it("keeps a peer that is gone until others come, and it is no outbound one then", () => {
    const isGone: InboundOf = (id) => id === 1 ? undefined : true
    assert.deepStrictEqual(chooseHighBandwidth([1, 2, 3], 4, isGone), { list: [2, 3, 4], isNew: true, dropped: 1 })
  })

  it("never has more than three, nor one twice, and always the last one", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(9)), fc.array(fc.nat(9)), (deliveries, outbound) => {
        let list: ReadonlyArray<number> = []
        for (const id of deliveries) {
          const chosen = chooseHighBandwidth(list, id, outboundIs(...outbound))
          assert.strictEqual(chosen.isNew, !list.includes(id))
          assert.strictEqual(chosen.list.length, list.length + (chosen.isNew && chosen.dropped === undefined ? 1 : 0))
          list = chosen.list
          assert.isAtMost(list.length, MOST_HIGH_BANDWIDTH)
          assert.strictEqual(new Set(list).size, list.length)
          assert.strictEqual(list.at(-1), id)
        }
      })
    )
  })

  it("never drops the last outbound peer for an inbound one", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(9)), fc.array(fc.nat(9)), (deliveries, outbound) => {
        const isInbound = outboundIs(...outbound)
        const outboundIn = (list: ReadonlyArray<number>): number => list.filter((id) => isInbound(id) === false).length
        let list: ReadonlyArray<number> = []
        for (const id of deliveries) {
          const chosen = chooseHighBandwidth(list, id, isInbound)
          if (isInbound(id) === true && outboundIn(list) > 0) assert.isAbove(outboundIn(chosen.list), 0)
          list = chosen.list
        }
      })
    )
  })
})
