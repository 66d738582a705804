import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { RunningEngine } from "../../src/engine/host/engine.ts"
import { TIP } from "../../src/engine/chainstate/commit.ts"
import { activeAt } from "../../src/engine/header-index/active-chain.ts"
import { nodeOf } from "../../src/engine/header-index/header-index.ts"
import { KeySpace, namedKey } from "../../src/storage/key-space.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { testEngine } from "./test-engine.ts"

const HEIGHT = 24

interface Watched extends RunningEngine {
  /** Heights of the tip in the store after each commit. */
  readonly committed: Array<number>
}

/** An engine whose memory is full when so many blocks were connected or disconnected since the last commit. */
const watched = Effect.fnUntraced(function*(blocksInMemory: number) {
  const committed: Array<number> = []
  let steps = 0
  const engine: RunningEngine = yield* testEngine({
    directory: yield* temporaryDirectory,
    extensions: [() =>
      Effect.succeed({
        hooks: [{
          connected: () => void steps++,
          disconnected: () => void steps++,
          isFull: () => steps >= blocksInMemory,
          committed: () => {
            steps = 0
          }
        }]
      })],
    store: (store) => ({
      ...store,
      write: (fill) =>
        Effect.tap(store.write(fill), () =>
          Effect.gen(function*() {
            const tip = (yield* store.get(namedKey(KeySpace.meta, TIP)))!
            // The first commit is that of a chain that is not there yet.
            committed.push(committed.length === 0 ? 0 : nodeOf(engine.chain.tree, tip)!.height)
          }))
    })
  })
  yield* engine.call("generate", {
    script: Uint8Array.of(0x51),
    blocks: HEIGHT,
    maxTries: 1_000_000,
    transactions: [],
    submit: true
  })
  committed.length = 1
  return { ...engine, committed } satisfies Watched
})

const MANY = 1_000

describe("a long way", () => {
  it.live("down is committed piece by piece when memory is full, and so is the way up again", () =>
    Effect.gen(function*() {
      const { call, chain, committed } = yield* watched(5)
      const { hash } = activeAt(chain.tree, 2)!
      const tip = chain.tree.tip
      yield* call("invalidateBlock", { hash: hash.slice() })
      assert.deepStrictEqual(committed.splice(1), [19, 14, 9, 4, 1])
      yield* call("reconsiderBlock", { hash: hash.slice() })
      assert.strictEqual(chain.tree.tip, tip)
      const up = committed.splice(1)
      assert.strictEqual(up.at(-1), HEIGHT)
      for (const [i, height] of up.entries()) assert.isAtMost(height - (up[i - 1] ?? 1), 5 + 1)
    }))

  it.live("is one commit when memory has room for it", () =>
    Effect.gen(function*() {
      const { call, chain, committed } = yield* watched(MANY)
      const { hash } = activeAt(chain.tree, 2)!
      yield* call("invalidateBlock", { hash: hash.slice() })
      yield* call("reconsiderBlock", { hash: hash.slice() })
      assert.deepStrictEqual(committed.splice(1), [1, HEIGHT])
    }))
})
