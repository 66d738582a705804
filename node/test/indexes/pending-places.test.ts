import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { pendingPlaces } from "../../src/indexes/transaction-index/pending-places.ts"
import { placeAt, type TransactionPlace, writePlace } from "../../src/indexes/transaction-index/transaction-place.ts"

const uint32 = fc.nat({ max: 0xffff_ffff })
const place: fc.Arbitrary<TransactionPlace> = fc.record(
  { height: uint32, mark: uint32, offset: uint32, size: uint32 },
  { noNullPrototype: true }
)

/** Ids that often begin alike, or are the same. */
const id = fc.tuple(fc.nat({ max: 3 }), fc.nat({ max: 3 })).map(([head, tail]) => {
  const bytes = new Uint8Array(32).fill(head * 85)
  bytes[31] = tail
  return bytes
})

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

const seed = Number(process.env["LOCKSTEP_SEED"] ?? 1)

describe("places that wait for a commit", () => {
  it("come out as a map of ids would, in the order of the keys' beginnings", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(id, place), { maxLength: 60 }), (entries) => {
        const pending = pendingPlaces()
        const model = new Map<string, TransactionPlace>()
        for (const [key, value] of entries) {
          pending.put(key, value)
          key.slice().fill(0)
          model.set(hex(key), value)
        }
        const written: Array<readonly [string, TransactionPlace]> = []
        const write = (): void => {
          written.length = 0
          pending.writeTo({
            put: (key, value) => {
              assert.strictEqual(key[0], 0x74)
              written.push([hex(key.subarray(1)), placeAt(value, 0)])
            },
            remove: () => assert.fail("nothing is removed")
          })
        }
        write()
        // A batch may be tried again after a full disk.
        write()
        assert.deepStrictEqual(new Map(written), model)
        const heads = written.map(([key]) => key.slice(0, 8))
        assert.deepStrictEqual(heads, heads.toSorted())
        for (const [key, value] of model) {
          assert.deepStrictEqual(pending.find(new Uint8Array(Buffer.from(key, "hex"))), value)
        }
        assert.isUndefined(pending.find(new Uint8Array(32).fill(9)))
        pending.clear()
        write()
        assert.deepStrictEqual(written, [])
      }),
      { seed }
    )
  })

  it("are full from a million on, and then empty again", () => {
    const pending = pendingPlaces()
    const key = new Uint8Array(32)
    const view = new DataView(key.buffer)
    for (let n = 0; n < 1 << 20; n++) {
      if (n % 65_536 === 0) assert.isFalse(pending.isFull())
      view.setUint32(0, Math.imul(n, 0x9e3779b1))
      pending.put(key, { height: n, mark: 0, offset: 0, size: 0 })
    }
    assert.isTrue(pending.isFull())
    let [count, last, wrong] = [0, -1, 0]
    pending.writeTo({
      put: (each, value) => {
        const head = new DataView(each.buffer).getUint32(1)
        if (head < last || Math.imul(placeAt(value, 0).height, 0x9e3779b1) >>> 0 !== head) wrong++
        last = head
        count++
      },
      remove: () => {}
    })
    assert.deepStrictEqual([count, wrong], [1 << 20, 0])
    pending.clear()
    assert.isFalse(pending.isFull())
  })

  it("a place is written and read anywhere in an array", () => {
    fc.assert(
      fc.property(place, fc.nat({ max: 20 }), (each, at) => {
        const bytes = new Uint8Array(64)
        writePlace(bytes.subarray(3), at, each)
        assert.deepStrictEqual(placeAt(bytes, at + 3), each)
      }),
      { seed }
    )
  })
})
