import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TIP_KEY } from "../../src/engine/chainstate/commit.ts"
import { putChangedEntries } from "../../src/engine/header-index/header-entry.ts"
import { loadTree } from "../../src/engine/chainstate/load-tree.ts"
import type { BatchWriter } from "../../src/storage/key-value/key-value-store.ts"
import { makeMemoryStore } from "../../src/storage/key-value/memory-store.ts"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import { freshTree, grow } from "./header-index/small-tree.ts"

const tree = freshTree()
grow(tree, tree.tip)

/** The tree of a store to which this was written. */
const loaded = (fill: (batch: BatchWriter) => void) =>
  Effect.gen(function*() {
    const store = makeMemoryStore()
    yield* store.write(fill)
    return yield* loadTree({ network: REGTEST, store, base: undefined })
  })

const putTree = (batch: BatchWriter): void => {
  for (const { index } of tree.nodes) tree.changed.add(index)
  putChangedEntries(tree, batch)
}

const DAMAGED = { part: "key-value", operation: "start", reason: "corrupt" } as const

describe("the header index of a store", () => {
  it.effect("is none where the store has no tip, and a damaged one is no chain to start with", () =>
    Effect.gen(function*() {
      assert.isUndefined(yield* loaded(putTree))
      const foreign = yield* Effect.flip(loaded((batch) => {
        putTree(batch)
        batch.put(TIP_KEY, new Uint8Array(32).fill(9))
      }))
      const short = yield* Effect.flip(loaded((batch) => {
        putChangedEntries({ ...tree, changed: new Set(tree.nodes.map(({ index }) => index)) }, {
          put: (key, value) => batch.put(key, value.subarray(1)),
          remove: () => {}
        })
        batch.put(TIP_KEY, tree.tip.hash)
      }))
      for (const error of [foreign, short]) {
        assert.deepInclude(error, DAMAGED)
        assert.match(error.message, /^The database of the chain does not fit together: .+\. Run `.*rebuild`/)
      }
    }))
})
