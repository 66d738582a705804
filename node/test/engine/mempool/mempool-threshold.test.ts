import { assert, describe, it } from "@effect/vitest"
import { mempoolThreshold } from "../../../src/engine/mempool/mempool-threshold.ts"

describe("the event of a mempool that is about to be full", () => {
  const LIMIT = 1_000

  const run = (limit: number) => {
    const sent: Array<object> = []
    let usage = 0
    const engine = {
      notify: ({ event }: { readonly event: { readonly payload: object } }) => void sent.push(event.payload)
    }
    const { added, removedTogether } = mempoolThreshold(engine as never, () => usage, limit)
    return {
      grow: (to: number) => {
        usage = to
        ;(added as () => void)()
        return sent.splice(0)
      },
      shrink: (to: number) => {
        usage = to
        removedTogether!([])
      }
    }
  }

  it("comes once beyond 90 % of the limit, and again only after use fell below 85 %", () => {
    const mempool = run(LIMIT)
    assert.deepStrictEqual(mempool.grow(900), [])
    assert.deepStrictEqual(mempool.grow(901), [{ current_size: 901, threshold: 900 }])
    assert.deepStrictEqual(mempool.grow(999), [])
    mempool.shrink(850)
    assert.deepStrictEqual(mempool.grow(950), [])
    mempool.shrink(849)
    assert.deepStrictEqual(mempool.grow(950), [{ current_size: 950, threshold: 900 }])
  })

  it("never comes where the mempool has no room at all", () => {
    assert.deepStrictEqual(run(0).grow(10), [])
  })
})
