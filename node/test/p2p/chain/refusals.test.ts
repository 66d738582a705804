import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import { setPaused, setResumed, setSpace } from "../../../src/engine/state/engine-status.ts"
import { pushState } from "../../../src/engine/chainstate/push-state.ts"
import { plantChain, PLANTED_AT, plantedRoot } from "../../engine/planted-blocks.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { assertSameTree } from "./same-tree.ts"
import { settled, testP2pChain } from "./test-p2p-chain.ts"

const [first, second, third] = plantChain(plantedRoot(), 3)

describe("what an engine that refuses means for the network layer", () => {
  it.live("the block is not here, and no peer is to blame; later it may come again", () =>
    Effect.gen(function*() {
      const { chain, engine } = yield* testP2pChain({ directory: yield* temporaryDirectory, mockTime: PLANTED_AT })
      yield* chain.acceptBlock(first!.bytes.slice(), true)
      yield* settled(engine)
      setSpace(engine.chain, { directory: "here", minimumFreeBytes: 1 })
      const refused = yield* chain.acceptBlock(second!.bytes.slice(), true)
      assert.deepStrictEqual(refused, { hash: second!.node.hash, isNew: false, rejection: undefined, isRefused: true })
      assert.deepStrictEqual(yield* chain.acceptHeaders(third!.bytes.slice(0, 80)), {
        accepted: 0,
        rejection: undefined
      })
      setSpace(engine.chain, undefined)
      assert.isTrue((yield* chain.acceptBlock(second!.bytes.slice(), true)).isNew)
      yield* settled(engine)
      assert.strictEqual(chain.tree.tip.height, 2)
      assertSameTree(engine, chain)
    }))

  it.live("the state says why nothing is taken in, for as long as that is so, and for good when the engine ends", () =>
    Effect.gen(function*() {
      const { chain, engine } = yield* testP2pChain({ directory: yield* temporaryDirectory, mockTime: PLANTED_AT })
      const low = { directory: "here", minimumFreeBytes: 50 * 1024 * 1024 }
      const observed = (change: () => void): string | undefined => {
        change()
        pushState(engine.chain)
        return chain.state().halted
      }
      assert.isUndefined(observed(() => {}))
      const text = "Less than 50 MiB are free in here: nothing is written until there is more"
      assert.strictEqual(observed(() => setSpace(engine.chain, low)), text)
      assert.strictEqual(observed(() => setPaused(engine.chain, "no space")), "no space")
      assert.strictEqual(observed(() => setResumed(engine.chain)), text)
      assert.isUndefined(observed(() => setSpace(engine.chain, undefined)))
      engine.chain.notify({ _tag: "Fatal", message: "the store is damaged" })
      assert.strictEqual(chain.state().halted, "the store is damaged")
    }))

  it.live("a defect of ours ends one call, and neither others nor the node", () =>
    Effect.gen(function*() {
      const news: Array<EngineNotification> = []
      let isBroken = false
      const { chain, engine } = yield* testP2pChain({
        directory: yield* temporaryDirectory,
        mockTime: PLANTED_AT,
        news: (item) => news.push(item),
        parts: (parts) => ({
          ...parts,
          files: {
            ...parts.files,
            appendBlock: (bytes, height) =>
              isBroken && height === 2
                ? Effect.die(new Error("a mistake of ours"))
                : parts.files.appendBlock(bytes, height)
          }
        })
      })
      isBroken = true
      const answers = yield* Effect.all(
        [first!, second!].map(({ bytes }) => chain.acceptBlock(bytes.slice(), true)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(answers.map(({ isNew }) => isNew), [true, false])
      assert.isTrue(
        news.some((item) => item._tag === "Log" && item.level === "error" && item.message.includes("defect"))
      )
      isBroken = false
      for (const { bytes } of [second!, third!]) assert.isTrue((yield* chain.acceptBlock(bytes.slice(), true)).isNew)
      yield* settled(engine)
      assert.strictEqual(chain.tree.tip.height, 3)
      assertSameTree(engine, chain)
    }))
})
