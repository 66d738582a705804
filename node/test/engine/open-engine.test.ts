import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { EngineOptions } from "../../src/engine/options/engine-options.ts"
import { blockPlace } from "../../src/engine/header-index/block-place.ts"
import { nodeOf } from "../../src/engine/header-index/header-index.ts"
import { blocksDirectoryOf } from "../../src/engine/host/open-engine.ts"
import { KeySpace } from "../../src/storage/key-space.ts"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { PLANTED_AT, plantChain, plantedRoot } from "./planted-blocks.ts"
import { testEngine } from "./test-engine.ts"

const CHAIN = plantChain(plantedRoot(), 3)

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

  it.live("has the parts that its options describe", () =>
    Effect.gen(function*() {
      const opened = Effect.fnUntraced(function*(options: Partial<EngineOptions>, mockTime?: number) {
        const directory = yield* temporaryDirectory
        const { call, chain } = yield* testEngine({ directory, options, ...mockTime === undefined ? {} : { mockTime } })
        for (const { bytes } of CHAIN) yield* call("submitBlock", { bytes: bytes.slice() })
        const start = readFileSync(join(blocksDirectoryOf({ directory, ...options }), "blk00000.dat")).subarray(0, 4)
        return {
          directory,
          files: CHAIN.map(({ node }) => blockPlace(chain.tree, nodeOf(chain.tree, node.hash)!)?.file),
          isPlain: Buffer.compare(start, REGTEST.magic) === 0,
          now: chain.clock.mockTime(),
          bip65: chain.parameters.heights.bip65
        }
      })
      const large = yield* opened({})
      assert.deepInclude(large, { files: [0, 0, 0], isPlain: false, now: 0, bip65: REGTEST.parameters.heights.bip65 })
      const options = { blockFileBytes: 600, isXored: false, mockTime: PLANTED_AT, activationHeights: { cltv: 77 } }
      const small = yield* opened(options)
      assert.deepInclude(small, { files: [0, 1, 1], isPlain: true, now: PLANTED_AT, bip65: 77 })
      const elsewhere = yield* temporaryDirectory
      const other = yield* opened(
        { ...options, testHooks: { blockFileBytes: 300 }, blocksDirectory: elsewhere },
        PLANTED_AT + 1
      )
      assert.deepInclude(other, { files: [1, 2, 3], now: PLANTED_AT + 1 })
      assert.isFalse(existsSync(join(other.directory, "blocks")))
    }).pipe(Effect.scoped))
})
