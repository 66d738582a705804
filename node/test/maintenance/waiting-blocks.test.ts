import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { type BlockSpot, waitingBlocks } from "../../src/maintenance/waiting-blocks.ts"

const hashOf = (n: number): Uint8Array => Uint8Array.from({ length: 32 }, (_, i) => (n >>> (i % 4) * 8) & 0xff)
const spot = fc.record({ source: fc.nat(3), offset: fc.maxSafeNat(), size: fc.nat(4_000_000) })
const step = fc.oneof(
  fc.record({ add: fc.nat(20), spot }),
  fc.record({ take: fc.nat(20) })
)

describe("blocks that wait for their parents", () => {
  it("come out when their parent does, in the order in which they came", () => {
    fc.assert(fc.property(fc.array(step, { maxLength: 600 }), (steps) => {
      const table = waitingBlocks()
      const model = new Map<number, Array<BlockSpot>>()
      for (const each of steps) {
        if ("take" in each) {
          assert.deepStrictEqual(table.take(hashOf(each.take)), model.get(each.take) ?? [])
          model.delete(each.take)
        } else {
          table.add(hashOf(each.add), each.spot)
          model.set(each.add, [...(model.get(each.add) ?? []), each.spot])
        }
      }
      const left = [...model.values()].flat()
      assert.strictEqual(table.count(), left.length)
      for (const source of [0, 1, 2, 3]) {
        assert.strictEqual(
          table.countOf(source),
          left.filter((one) => one.source === source).length
        )
      }
    }))
  })

  it("take little memory each, however many they are", () => {
    const before = process.memoryUsage()
    const table = waitingBlocks()
    const hash = new Uint8Array(32)
    const view = new DataView(hash.buffer)
    for (let i = 0; i < 200_000; i++) {
      view.setUint32(0, i)
      table.add(hash, { source: 0, offset: i * 1e6, size: 1_000_000 })
    }
    const after = process.memoryUsage()
    assert.strictEqual(table.count(), 200_000)
    const grown = after.heapUsed + after.external - before.heapUsed - before.external
    assert.isBelow(grown / 200_000, 150)
    view.setUint32(0, 123_456)
    assert.deepStrictEqual(table.take(hash), [{ source: 0, offset: 123_456e6, size: 1_000_000 }])
  })
})
