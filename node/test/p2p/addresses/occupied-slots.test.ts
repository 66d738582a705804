import { assert, describe, it } from "vitest"
import type { KnownNode } from "../../../src/p2p/addresses/table/known-node.ts"
import { occupiedSlots } from "../../../src/p2p/addresses/table/occupied-slots.ts"

describe("the slots of a table", () => {
  it("that are held come in order, 64 to a bucket", () => {
    const slots: Array<KnownNode | undefined> = Array.from({ length: 256 }, () => undefined)
    const node = {} as KnownNode
    for (const at of [0, 63, 64, 200]) slots[at] = node
    assert.deepStrictEqual(occupiedSlots(slots), [
      { bucket: 0, place: 0, node },
      { bucket: 0, place: 63, node },
      { bucket: 1, place: 0, node },
      { bucket: 3, place: 8, node }
    ])
  })
})
