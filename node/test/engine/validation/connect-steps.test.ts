import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { loadBlock } from "../../../src/engine/validation/load-block.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { PLANTED_AT, plantChain, type Planned, plantedRoot } from "../planted-blocks.ts"
import { testEngine } from "../test-engine.ts"

const CHAIN = plantChain(plantedRoot(), 2)

describe("a block that connects", () => {
  it.live("is written step by step, each of which a test can stop at, and so is its way back", () =>
    Effect.gen(function*() {
      const passed: Array<string> = []
      const sent: Array<string> = []
      const { call } = yield* testEngine({
        directory: yield* temporaryDirectory,
        mockTime: PLANTED_AT,
        options: { testHooks: { earlyChanges: 0 } },
        parts: (parts) => ({
          ...parts,
          crashPoint: (name) => void passed.push(name),
          sendNow: () => void sent.push(passed.at(-1)!)
        })
      })
      const [first, { bytes, node }] = CHAIN as unknown as [Planned, Planned]
      yield* call("submitBlock", { bytes: first.bytes.slice() })
      passed.splice(0)
      yield* call("submitBlock", { bytes: bytes.slice() })
      const committed = ["before-file-sync", "before-batch", "inside-batch", "after-batch", "after-commit"]
      const early = ["before-early-batch", "after-early-batch"]
      assert.deepStrictEqual(passed.splice(0), [
        "block-appended",
        "coins-applied",
        "undo-appended",
        ...early,
        ...committed
      ])
      assert.deepStrictEqual(sent, ["after-early-batch"])
      yield* call("invalidateBlock", { hash: node.hash.slice() })
      assert.deepStrictEqual(passed.splice(0), ["coins-reverted", ...committed])
      yield* call("reconsiderBlock", { hash: node.hash.slice() })
      assert.deepStrictEqual(passed, ["coins-applied", ...early, ...committed], "the undo data are there")
    }).pipe(Effect.scoped))

  it.live("from disk in the initial download gives its memory back, unless a hook may keep it or there is no such haste", () =>
    Effect.gen(function*() {
      const read: Array<Uint8Array> = []
      const { call, chain } = yield* testEngine({
        directory: yield* temporaryDirectory,
        mockTime: PLANTED_AT,
        parts: (parts) => ({
          ...parts,
          files: {
            ...parts.files,
            // In memory of its own, as blocks of peers are.
            readBlock: (place) =>
              Effect.map(parts.files.readBlock(place), (part) => {
                const bytes = part.slice()
                read.push(bytes)
                return bytes
              })
          }
        })
      })
      const [first, second] = CHAIN as unknown as [Planned, Planned]
      for (const { bytes } of [first, second]) yield* call("submitBlock", { bytes: bytes.slice() })
      /** Disconnects the second block, and answers how long its bytes are once it has been connected from disk. */
      const left = Effect.fnUntraced(function*(initialBlockDownload: boolean, isRecent = false) {
        chain.initialBlockDownload = false
        yield* call("invalidateBlock", { hash: second.node.hash.slice() })
        chain.recent.remove(2)
        if (isRecent) yield* Effect.map(loadBlock(chain, chain.tree.nodes[2]!), (found) => chain.recent.put(2, found))
        chain.initialBlockDownload = initialBlockDownload
        read.splice(0)
        yield* call("reconsiderBlock", { hash: second.node.hash.slice() })
        assert.strictEqual(chain.tree.tip.height, 2)
        assert.isUndefined(chain.recent.get(initialBlockDownload ? 2 : 1))
        return read.map(({ length }) => length)
      })
      assert.deepStrictEqual(yield* left(true), [0])
      assert.deepStrictEqual(yield* left(false), [second.bytes.length])
      assert.deepStrictEqual(yield* left(true, true), [])
      const seen: Array<number> = []
      chain.hooks.push({ connected: ({ block }) => void seen.push(block.bytes.length) })
      assert.deepStrictEqual(yield* left(true), [second.bytes.length])
      assert.deepStrictEqual(seen, [second.bytes.length])
    }).pipe(Effect.scoped))
})
