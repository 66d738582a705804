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

  it("fills a chunk to its last byte, and gives an empty one back for a record that it is too small for", () => {
    const arena = byteArena()
    const most = (1 << 20) - 2 * 8
    const first = storeBytes(arena, 1, bytesFor(1, most - 10))
    assert.deepStrictEqual([first, storeBytes(arena, 2, bytesFor(2, 10))].map(({ chunk }) => chunk), [0, 0])
    assert.strictEqual(storeBytes(arena, 3, bytesFor(3, 1)).chunk, 1)
    const other = byteArena()
    freeBytes(other, storeBytes(other, 1, bytesFor(1, 10)))
    const large = storeBytes(other, 2, bytesFor(2, 3_000_000))
    assert.deepStrictEqual([other.allocated, other.chunks.length], [3_000_008, 1])
    assert.deepStrictEqual(storedBytes(other, large), bytesFor(2, 3_000_000))
  })

  it("moves what is in chunks of which less than half lives, and nothing else", () => {
    const arena = byteArena()
    const store = (owner: number, share: number) => storeBytes(arena, owner, bytesFor(owner, (1 << 20) / share - 8))
    const halves = [1, 2].map((owner) => store(owner, 2))
    const quarters = Array.from({ length: 16 }, (_, i) => store(10 + i, 4))
    freeBytes(arena, halves[0]!)
    for (const [i, place] of quarters.entries()) if (i % 4 !== 3) freeBytes(arena, place)
    const moved = new Map<number, ArenaPlace>()
    compactBytes(arena, (owner, place) => moved.set(owner, place))
    assert.deepStrictEqual([...moved.keys()], [13, 17, 21, 25])
    assert.strictEqual(arena.allocated, 2 << 20)
    assert.deepStrictEqual(storedBytes(arena, halves[1]!), bytesFor(2, (1 << 19) - 8))
    for (const [owner, place] of moved) {
      assert.deepStrictEqual(storedBytes(arena, place), bytesFor(owner, (1 << 18) - 8))
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
