import { getHeapStatistics, setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { assert, describe, it } from "vitest"
import { add, coin, emptyMempool, spend } from "./mempools.ts"

setFlagsFromString("--expose-gc")
const collectGarbage = runInNewContext("gc") as () => void

const COUNT = 10_000

describe("the entries of the mempool", () => {
  it("lie outside the heap of the garbage collector, but for less than 400 bytes each", () => {
    const mempool = emptyMempool()
    const fill = (from: number, to: number): void => {
      for (let number = from; number < to; number++) add(mempool, spend([coin(number)]), 1_000)
    }
    const heap = (): number => {
      collectGarbage()
      return getHeapStatistics().used_heap_size
    }
    fill(0, 500)
    const before = heap()
    fill(500, 500 + COUNT)
    assert.isBelow((heap() - before) / COUNT, 400)
    assert.strictEqual(mempool.totals().count, 500 + COUNT)
  })
})
