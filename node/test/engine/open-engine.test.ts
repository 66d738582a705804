import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { blocksDirectoryOf } from "../../src/engine/open-engine.ts"
import { KeySpace } from "../../src/storage/key-space.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { testEngine } from "./test-engine.ts"

describe("an engine that is opened", () => {
  it.live("begins its coins anew in the other place only where that is asked for", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const active = (rebuildCoins?: boolean) =>
        Effect.scoped(Effect.map(
          testEngine({ directory, options: rebuildCoins === undefined ? {} : { rebuildCoins } }),
          ({ chain }) => chain.chainstates.active
        ))
      assert.strictEqual(yield* active(), KeySpace.coin)
      assert.strictEqual(yield* active(false), KeySpace.coin)
      assert.strictEqual(yield* active(true), KeySpace.secondCoin)
      assert.strictEqual(yield* active(), KeySpace.secondCoin)
    }).pipe(Effect.scoped))

  it("has its block files in its directory unless they have one of their own", () => {
    assert.strictEqual(blocksDirectoryOf({ directory: "d" }), join("d", "blocks"))
    assert.strictEqual(blocksDirectoryOf({ directory: "d", blocksDirectory: "elsewhere" }), "elsewhere")
  })
})
