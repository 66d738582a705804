import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { PLANTED_AT, plantChain, plantedRoot } from "../planted-blocks.ts"
import { testEngine } from "../test-engine.ts"

const CHAIN = plantChain(plantedRoot(), 6)

/** An engine with memory for so many bytes of coins, and how often it wrote to its store. */
const started = Effect.fnUntraced(function*(dbcacheBytes: number) {
  let writes = 0
  const { call, chain } = yield* testEngine({
    directory: yield* temporaryDirectory,
    mockTime: PLANTED_AT,
    options: { dbcacheBytes },
    store: (store) => ({
      ...store,
      write: (...batch) => Effect.andThen(Effect.sync(() => writes++), store.write(...batch))
    })
  })
  const written = <A, E>(work: Effect.Effect<A, E>) =>
    Effect.suspend(() => {
      const before = writes
      return Effect.map(work, () => writes - before)
    })
  const submit = (at: number) => call("submitBlock", { bytes: CHAIN[at]!.bytes.slice() })
  return { call, chain, submit, written }
})

describe("blocks that are connected or disconnected together", () => {
  it.live("are committed one by one where the memory for coins is full, and otherwise together", () =>
    Effect.gen(function*() {
      const counts: Array<ReadonlyArray<number>> = []
      for (const dbcacheBytes of [0, 32 * 1024 * 1024]) {
        const { call, chain, submit, written } = yield* started(dbcacheBytes)
        for (const at of [0, 1, 2, 3, 4, 5]) {
          yield* call("submitHeader", { bytes: CHAIN[at]!.bytes.slice(0, 80) })
        }
        for (const at of [5, 4, 3, 2, 1]) yield* submit(at)
        assert.strictEqual(chain.tree.tip.height, 0)
        const connecting = yield* written(submit(0))
        assert.strictEqual(chain.tree.tip.height, 6)
        const back = yield* written(call("invalidateBlock", { hash: CHAIN[0]!.node.hash.slice() }))
        assert.strictEqual(chain.tree.tip.height, 0)
        counts.push([connecting, back])
      }
      const [full, roomy] = counts as [ReadonlyArray<number>, ReadonlyArray<number>]
      for (const [i, each] of full.entries()) {
        assert.isAtLeast(each, 6)
        assert.isBelow(roomy[i]!, 6)
      }
    }))
})
