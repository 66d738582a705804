import { assert, describe, it } from "vitest"
import {
  byteArena,
  compactBytes,
  freeBytes,
  type ArenaPlace,
  storeBytes,
  storedBytes
} from "../../../src/engine/txmempool/byte-arena.ts"

const bytesFor = (owner: number, length: number): Uint8Array => new Uint8Array(length).fill(owner)

describe("the arena of transactions' bytes", () => {
  it("keeps every record through removal and compaction, and gives memory back", () => {
    const arena = byteArena()
    const places = new Map<number, ArenaPlace>()
    for (let owner = 0; owner < 200; owner++) {
      places.set(owner, storeBytes(arena, owner, bytesFor(owner, 50_000 + owner)))
    }
    const most = arena.allocated
    for (let owner = 0; owner < 200; owner++) {
      if (owner % 10 === 3) continue
      freeBytes(arena, places.get(owner)!)
      places.delete(owner)
    }
    compactBytes(arena, (owner, place) => places.set(owner, place))
    assert.isBelow(arena.allocated, most / 4)
    for (const [owner, place] of places) {
      assert.deepStrictEqual(storedBytes(arena, place), bytesFor(owner, 50_000 + owner))
    }
    assert.strictEqual(arena.live, [...places.keys()].reduce((sum, owner) => sum + 8 + 50_000 + owner, 0))
  })

  it("has a chunk of its own for a record larger than a chunk, and none once all is freed", () => {
    const arena = byteArena()
    const small = storeBytes(arena, 1, bytesFor(1, 10))
    const large = storeBytes(arena, 2, bytesFor(2, 3_000_000))
    const next = storeBytes(arena, 3, bytesFor(3, 10))
    assert.deepStrictEqual(storedBytes(arena, large), bytesFor(2, 3_000_000))
    assert.deepStrictEqual(storedBytes(arena, small), bytesFor(1, 10))
    freeBytes(arena, large)
    freeBytes(arena, small)
    freeBytes(arena, next)
    assert.strictEqual(arena.live, 0)
    assert.isAtMost(arena.allocated, 1 << 20)
    for (let again = 0; again < 2; again++) {
      const first = storeBytes(arena, 4, bytesFor(4, 10))
      assert.strictEqual(first.offset, 0)
      freeBytes(arena, first)
    }
  })

  it("numbers a new chunk by the first that is free, and goes on behind the last one", () => {
    const arena = byteArena()
    const LARGE = 1 << 20
    const places = [1, 2, 3].map((owner) => storeBytes(arena, owner, bytesFor(owner, LARGE)))
    assert.deepStrictEqual(places.map(({ chunk }) => chunk), [0, 1, 2])
    freeBytes(arena, places[1]!)
    freeBytes(arena, places[0]!)
    assert.deepStrictEqual([4, 5, 6].map((owner) => storeBytes(arena, owner, bytesFor(owner, LARGE)).chunk), [0, 1, 3])
    assert.lengthOf(arena.chunks, 4)
  })
})
