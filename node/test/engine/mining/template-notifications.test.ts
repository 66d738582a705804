import { assert, describe, it } from "vitest"
import type { ChainEngine } from "../../../src/engine/state/chain-engine.ts"
import { templateHook } from "../../../src/engine/mining/template-notifications.ts"
import { displayHash } from "../../../src/hex.ts"
import { plantChain, plantedRoot } from "../planted-blocks.ts"
import { add, coin, emptyMempool, spend } from "../txmempool/mempools.ts"

const [first, second] = plantChain(plantedRoot(), 2).map(({ node }) => node)

describe("the news of a tip to build on", () => {
  it("come once for each, when it is on disk, and not in the initial download", () => {
    const mempool = emptyMempool()
    add(mempool, spend([coin(1)]), 1_000)
    const engine = {
      tree: { tip: first! },
      options: {},
      initialBlockDownload: true,
      pendingNotifications: [] as unknown[]
    }
    const { committed } = templateHook(engine as unknown as ChainEngine, mempool)
    const newsOf = (tip: typeof first): ReadonlyArray<unknown> => {
      engine.tree.tip = tip!
      committed!()
      return engine.pendingNotifications.splice(0)
    }
    assert.deepStrictEqual(newsOf(first), [], "it was there before")
    assert.deepStrictEqual(newsOf(second), [], "the initial download goes on")
    engine.initialBlockDownload = false
    assert.deepStrictEqual(newsOf(second), [], "the tip is the same")
    const [news, ...more] = newsOf(first)
    assert.deepStrictEqual(more, [])
    assert.deepNestedInclude(news, {
      "event.type": "BlockTemplateUpdated",
      "event.payload.previous_hash": displayHash(first!.hash),
      "event.payload.height": first!.height + 1,
      "event.payload.transactions": 1
    })
    assert.deepStrictEqual(newsOf(first), [])
  })
})
