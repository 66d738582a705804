import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import { setClosing } from "../../../src/engine/state/engine-status.ts"
import { nodeOf } from "../../../src/engine/header-index/header-index.ts"
import { identified, type IdentifiedBlock } from "../../../src/engine/state/identified-block.ts"
import type { ChainStep } from "../../../src/engine/state/chain-hook.ts"
import { acceptBlock } from "../../../src/engine/validation/accept-block.ts"
import { activateBestChain } from "../../../src/engine/validation/activate-best-chain.ts"
import { connectPath } from "../../../src/engine/validation/connect.ts"
import { disconnectWhile } from "../../../src/engine/validation/disconnect.ts"
import { loadBlock } from "../../../src/engine/validation/load-block.ts"
import { blockOf } from "../../../src/engine/validation/read-block.ts"
import { nodeEvent } from "../../../src/events/node-event.ts"
import { displayHash } from "../../../src/hex.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { PLANTED_AT, plantChain, type Planned, plantedRoot } from "../planted-blocks.ts"
import { testCrypto, testEngine } from "../test-engine.ts"

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
      /**
       * Disconnects the second block, and answers how long the bytes of the block are that is remembered, or else read
       * from disk, once it has been connected again.
       */
      const left = Effect.fnUntraced(function*(initialBlockDownload: boolean, recent?: Partial<IdentifiedBlock>) {
        chain.initialBlockDownload = false
        yield* call("invalidateBlock", { hash: second.node.hash.slice() })
        const [parent, found] = yield* Effect.forEach([1, 2], (height) => loadBlock(chain, chain.tree.nodes[height]!))
        chain.recent.put(1, parent!)
        const held = recent && { ...found!, ...recent }
        if (held === undefined) chain.recent.remove(2)
        else chain.recent.put(2, held)
        chain.initialBlockDownload = initialBlockDownload
        read.splice(0)
        yield* call("reconsiderBlock", { hash: second.node.hash.slice() })
        assert.strictEqual(chain.tree.tip.height, 2)
        assert.isUndefined(chain.recent.get(1), "only the newest is likely to be asked for again")
        assert.strictEqual(chain.recent.get(2), initialBlockDownload ? undefined : held)
        assert.lengthOf(read, held === undefined ? 1 : 0)
        return (held?.block.bytes ?? read[0]!).length
      })
      const whole = second.bytes.length
      assert.strictEqual(yield* left(true), 0)
      assert.strictEqual(yield* left(false), whole)
      assert.strictEqual(yield* left(true, {}), 0, "it was read for this")
      assert.strictEqual(yield* left(true, { isOurs: false }), whole)
      assert.strictEqual(yield* left(false, {}), whole)
      const seen: Array<number> = []
      chain.hooks.push({ connected: ({ block }) => void seen.push(block.bytes.length) })
      assert.strictEqual(yield* left(true), whole)
      assert.deepStrictEqual(seen, [whole])
    }).pipe(Effect.scoped))

  it.live("is notified to hooks with its undo data, up and down, and they settle what a reorganization left", () =>
    Effect.gen(function*() {
      const notified: Array<unknown> = []
      const news: Array<EngineNotification> = []
      const { call, chain } = yield* testEngine({
        directory: yield* temporaryDirectory,
        mockTime: PLANTED_AT,
        news: (each) => void news.push(each)
      })
      const [first, second] = CHAIN as unknown as [Planned, Planned]
      const step = (way: string) => ({ block, node, transactionIds, undo, witnessIds }: ChainStep) =>
        void notified.push([way, node.height, block.bytes, transactionIds, witnessIds, undo])
      chain.hooks.push({
        connected: step("on"),
        disconnected: step("off"),
        reorganized: (comesBack) => Effect.sync(() => void notified.push(["settled", comesBack]))
      })
      const facts = (way: string, { bytes, node }: Planned) => {
        const ids = identified(blockOf(bytes)!, testCrypto).identity.transactionIds
        return [way, node.height, bytes, ids, undefined, { spent: [], replaced: [] }]
      }
      yield* call("submitBlock", { bytes: first.bytes.slice() })
      assert.deepStrictEqual(notified.splice(0), [facts("on", first), ["settled", true]])
      yield* call("submitBlock", { bytes: second.bytes.slice() })
      notified.splice(0)
      const [a, b, c] = plantChain(plantedRoot(), 3, 40) as unknown as [Planned, Planned, Planned]
      for (const { bytes } of [a, b]) yield* call("submitBlock", { bytes: bytes.slice() })
      assert.deepStrictEqual(notified, [])
      news.splice(0)
      yield* call("submitBlock", { bytes: c.bytes.slice() })
      assert.deepStrictEqual(notified, [
        facts("off", second),
        facts("off", first),
        ...[a, b, c].map((each) => facts("on", each)),
        ["settled", true]
      ])
      const events = news.flatMap((each) => each._tag === "Event" ? [each.event] : [])
      const about = ({ node }: Planned) => ({ block_hash: displayHash(node.hash), height: node.height })
      assert.deepStrictEqual(
        events.filter(({ type }) => type === "BlockDisconnected" || type === "NewBlock" || type === "ChainReorg"),
        [
          ...[second, first].map((each) => nodeEvent("BlockDisconnected", about(each))),
          ...[a, b, c].map((each) => nodeEvent("NewBlock", { ...about(each), transactions: 1 })),
          nodeEvent("ChainReorg", {
            old_tip: displayHash(second.node.hash),
            new_tip: displayHash(c.node.hash),
            fork_hash: displayHash(plantedRoot().hash),
            fork_height: 0,
            disconnected: 2,
            connected: 3
          })
        ]
      )
      assert.isFalse(events.some(({ type }) => type.startsWith("Script")), "it has no scripts to verify")
      assert.strictEqual(chain.tree.tip.height, 3)
    }).pipe(Effect.scoped))

  it.live("changes nothing once the engine is about to end, and what it has begun is left to the next start", () =>
    Effect.gen(function*() {
      const { call, chain } = yield* testEngine({ directory: yield* temporaryDirectory, mockTime: PLANTED_AT })
      yield* call("submitBlock", { bytes: CHAIN[0]!.bytes.slice() })
      yield* acceptBlock(chain, identified(blockOf(CHAIN[1]!.bytes.slice())!, testCrypto))
      const { status } = chain
      chain.dirty = false
      setClosing(chain)
      yield* activateBestChain(chain)
      assert.isTrue(yield* connectPath(chain, [nodeOf(chain.tree, CHAIN[1]!.node.hash)!], () => assert.fail("judged")))
      assert.deepStrictEqual([chain.tree.tip.height, chain.underWay, chain.dirty], [1, 0, false])
      chain.status = status
      const judged: Array<unknown> = []
      yield* activateBestChain(chain, (node, rejection) => void judged.push([node.height, rejection]))
      assert.deepStrictEqual([chain.tree.tip.height, chain.dirty, judged], [2, true, [[2, undefined]]])
      chain.dirty = false
      yield* disconnectWhile(chain, ({ height }) => height > 1)
      assert.deepStrictEqual([chain.tree.tip.height, chain.dirty], [1, true])
    }).pipe(Effect.scoped))
})
