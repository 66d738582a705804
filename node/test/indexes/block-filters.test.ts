import { shownError } from "../rpc/shown-error.ts"
import type { OwnCall } from "../../src/engine/api/engine-calls.ts"
import { assert, describe, it } from "@effect/vitest"
import { basicFilter, scriptsOfBlock } from "@lockstep/protocol/filters/basic-filter.ts"
import * as Effect from "effect/Effect"
import type { ChainStep } from "../../src/engine/state/chain-hook.ts"
import { loadBlock } from "../../src/engine/validation/load-block.ts"
import type { RunningEngine } from "../../src/engine/host/engine.ts"
import type { MakeExtension } from "../../src/engine/chainstate/extension.ts"
import { activeAt } from "../../src/engine/header-index/active-chain.ts"
import { nodeOf } from "../../src/engine/header-index/header-index.ts"
import {
  type BlockFilterIndex,
  blockFilterIndex,
  MOST_PENDING_BYTES
} from "../../src/indexes/block-filters/block-filter-index.ts"
import { blockFilters, filterHeaders } from "../../src/indexes/block-filters/filter-calls.ts"
import { type Follower, followChain } from "../../src/indexes/follow-chain.ts"
import { indexes } from "../../src/indexes/indexes.ts"
import { KeySpace, numberedKey } from "../../src/storage/key-space.ts"
import { testCrypto, testEngine } from "../engine/test-engine.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { hasRecordings, recordedChain } from "./recorded-chain.ts"
import { request } from "../engine/generate-request.ts"

const OPTIONS = { blockFilterIndex: true }

type FilterCall = "blockFilters" | "filterHeaders"

interface Watched extends RunningEngine<OwnCall | FilterCall> {
  readonly follower: Follower
}

/** An engine with an index of filters that remembers a few headers only. */
const forgetful = Effect.fnUntraced(function*(directory: string, remembered: number) {
  let follower: Follower | undefined
  const extension: MakeExtension<FilterCall> = (engine, writer) =>
    Effect.gen(function*() {
      const index = blockFilterIndex({ crypto: testCrypto, remembered })
      follower = yield* followChain(engine, writer, index)
      return {
        hooks: [follower.hook],
        background: Effect.andThen(follower.catchUp, follower.keepUp),
        handlers: { blockFilters: blockFilters(engine, index), filterHeaders: filterHeaders(engine, index) }
      }
    })
  const engine = yield* testEngine({ directory, extensions: [extension] })
  return { ...engine, follower: follower! } satisfies Watched
})

const until = (holds: () => boolean): Effect.Effect<void> =>
  Effect.gen(function*() {
    for (let round = 0; round < 1000; round++) {
      if (holds()) return
      yield* Effect.sleep("5 millis")
    }
    assert.fail("waited in vain")
  })

/** All headers of the chain, as an index says that was made anew for it. */
const headersOf = ({ call, chain }: RunningEngine<OwnCall | FilterCall>) =>
  call("filterHeaders", {
    heights: Array.from({ length: chain.tree.tip.height + 1 }, (_, n) => n),
    stop: chain.tree.tip.hash.slice()
  })

describe("the index of block filters", () => {
  it.live.runIf(hasRecordings)(
    "has those of blocks that left the chain, and none of blocks that never were in it",
    () =>
      Effect.gen(function*() {
        const { blocks, filters, mockTime, withoutFilter } = recordedChain()
        const stale = filters.filter(({ isOnBestChain }) => !isOnBestChain)
        assert.deepStrictEqual([filters.length, stale.length, withoutFilter.length], [350, 27, 6])
        const { call, chain } = yield* testEngine({
          directory: yield* temporaryDirectory,
          mockTime,
          options: OPTIONS,
          extensions: [indexes]
        })
        for (const bytes of blocks) yield* call("submitBlock", { bytes })
        for (const { block, filter, header, height } of stale) {
          const [found, ...more] = (yield* call("blockFilters", { from: height, stop: block, most: 1 }))!
          assert.deepStrictEqual({ ...found }, { block, filter, header, filterHash: testCrypto.sha256d(filter) })
          assert.lengthOf(more, 0)
          // Down to where its branch leaves the chain, and on below.
          const below = yield* call("filterHeaders", { heights: [height - 1, height], stop: block })
          assert.deepStrictEqual(below?.[0]?.block, nodeOf(chain.tree, block)!.parent!.hash.slice())
        }
        for (const block of withoutFilter) {
          // Of some not even the header was taken in.
          const from = nodeOf(chain.tree, block)?.height ?? 1
          assert.isUndefined(yield* call("blockFilters", { from, stop: block, most: 1 }))
        }
      })
  )

  it.live("reads on after a reorganisation that goes further back than it remembers", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const engine = yield* forgetful(directory, 3)
      const { call, chain, follower } = engine
      const { hashes } = yield* call("generate", request(20))
      assert.isTrue(follower.state().synced)
      yield* call("invalidateBlock", { hash: hashes[9]! })
      yield* call("generate", request(15, 0x52))
      yield* until(() => follower.state().synced)
      assert.strictEqual(chain.tree.tip.height, 24)
      const found = yield* headersOf(engine)
      assert.strictEqual(found?.length, 25)
      // The same chain in an engine whose index remembers all of it.
      const other = yield* forgetful(yield* temporaryDirectory, 1_000)
      for (let height = 1; height <= 24; height++) {
        const facts = (yield* call("blockFacts", { hash: activeAt(chain.tree, height)!.hash }))!
        yield* other.call("submitBlock", { bytes: yield* chain.files.readBlock(facts.block!) })
      }
      assert.isTrue(other.follower.state().synced)
      assert.deepStrictEqual(found, yield* headersOf(other))
    }))

  it.live("answers as many as were asked for, from the chain of the block that was named", () =>
    Effect.gen(function*() {
      const { call, chain } = yield* testEngine({
        directory: yield* temporaryDirectory,
        options: OPTIONS,
        extensions: [indexes]
      })
      const { hashes } = yield* call("generate", request(5))
      const stop = hashes[3]!
      const some = yield* call("blockFilters", { from: 2, stop, most: 2 })
      assert.deepStrictEqual(some?.map(({ block }) => block), hashes.slice(1, 3))
      const all = yield* call("blockFilters", { from: 2, stop, most: 1_000 })
      assert.deepStrictEqual(all?.map(({ block }) => block), hashes.slice(1, 4))
      assert.isUndefined(yield* call("blockFilters", { from: 5, stop, most: 1 }))
      assert.isUndefined(yield* call("blockFilters", { from: 0, stop: new Uint8Array(32), most: 1 }))
      assert.isUndefined(yield* call("filterHeaders", { heights: [1, 5], stop }))
      assert.isDefined(yield* call("filterHeaders", { heights: [1, 5], stop: chain.tree.tip.hash.slice() }))
      assert.deepStrictEqual(yield* call("filterHeaders", { heights: [], stop }), [])
    }))

  it.live("ends an answer with the filter that fills four megabytes", () =>
    Effect.gen(function*() {
      const { call, chain } = yield* testEngine({ directory: yield* temporaryDirectory })
      yield* call("generate", request(9))
      const sized = (bytes: number): BlockFilterIndex => ({
        ...blockFilterIndex({ crypto: testCrypto }),
        findFilter: ({ hash }) =>
          Effect.succeed({ block: hash, header: hash, filterHash: hash, filter: new Uint8Array(bytes) })
      })
      const answered = (bytes: number) =>
        Effect.map(
          blockFilters(chain, sized(bytes))({ from: 1, stop: chain.tree.tip.hash, most: 100 }),
          (found) => found?.map(({ block }) => block)
        )
      const blocks = Array.from({ length: 9 }, (_, i) => activeAt(chain.tree, i + 1)!.hash)
      assert.deepStrictEqual(yield* answered(1 << 20), blocks.slice(0, 4))
      assert.deepStrictEqual(yield* answered((1 << 20) - 1), blocks.slice(0, 5))
      assert.deepStrictEqual(yield* answered(1), blocks)
    }))

  it.live("follows the branch of the block that was named down to the chain, and the chain from there", () =>
    Effect.gen(function*() {
      const { call, chain } = yield* testEngine({
        directory: yield* temporaryDirectory,
        options: OPTIONS,
        extensions: [indexes]
      })
      const { hashes: left } = yield* call("generate", request(6))
      yield* call("invalidateBlock", { hash: left[3]! })
      const { hashes: best } = yield* call("generate", request(4, 0x52))
      const on = (stop: Uint8Array, heights: ReadonlyArray<number>) =>
        Effect.map(call("filterHeaders", { heights, stop }), (found) => found?.map(({ block }) => block))
      assert.deepStrictEqual(yield* on(left[5]!, [6, 5, 4, 3, 1]), [left[5], left[4], left[3], left[2], left[0]])
      assert.deepStrictEqual(yield* on(best[3]!, [7, 4, 3]), [best[3], best[0], left[2]])
      assert.deepStrictEqual(yield* on(left[5]!, [0]), [activeAt(chain.tree, 0)!.hash.slice()])
      assert.isUndefined(yield* on(left[5]!, [-1]))
      assert.isUndefined(yield* on(left[5]!, [7]))
      const filters = (yield* call("blockFilters", { from: 3, stop: left[4]!, most: 10 }))!
      assert.deepStrictEqual(filters.map(({ block }) => block), [left[2], left[3], left[4]])
      // A block that has one is enough to be asked for.
      const [only, ...more] = (yield* call("blockFilters", { from: 5, stop: left[4]!, most: 1 }))!
      assert.deepStrictEqual([only!.block, more.length], [left[4], 0])
      assert.isUndefined(yield* call("blockFilters", { from: 1, stop: left[4]!, most: 0 }))
    }))

  it.live("says what to do about an entry that is damaged", () =>
    Effect.gen(function*() {
      const { call, chain } = yield* testEngine({
        directory: yield* temporaryDirectory,
        options: OPTIONS,
        extensions: [indexes]
      })
      const { hashes } = yield* call("generate", request(3))
      yield* call("flush", undefined)
      const key = (space: number) => numberedKey(space, 2, hashes[1]!)
      yield* chain.store.write((batch) => batch.remove(key(KeySpace.filter)))
      const missing = yield* Effect.flip(call("blockFilters", { from: 2, stop: hashes[2]!, most: 1 }))
      assert.match(
        shownError(missing).message,
        /^The filter of block [0-9a-f]{64} is missing or damaged: run `lockstep rebuild`/
      )
      yield* chain.store.write((batch) => batch.put(key(KeySpace.filterHeader), Uint8Array.of(1)))
      const damaged = yield* Effect.flip(call("filterHeaders", { heights: [2], stop: hashes[2]! }))
      assert.deepStrictEqual(damaged, missing)
    }))

  it.live("is full when the filters that wait have so many bytes, each counted once, and no more after a commit", () =>
    Effect.gen(function*() {
      assert.strictEqual(MOST_PENDING_BYTES, 33_554_432)
      const { call, chain } = yield* testEngine({ directory: yield* temporaryDirectory })
      yield* call("generate", request(5))
      const steps = yield* Effect.forEach(
        [0, 1, 2, 3, 4, 5],
        (height) =>
          Effect.map(loadBlock(chain, activeAt(chain.tree, height)!), ({ block, identity }): ChainStep => ({
            node: activeAt(chain.tree, height)!,
            block,
            transactionIds: identity.transactionIds,
            undo: { spent: [], replaced: [] }
          }))
      )
      const bytes = steps.map(({ block, node }) =>
        basicFilter(node.hash, scriptsOfBlock(block, { spent: [], replaced: [] })).length
      )
      const most = bytes.slice(0, 4).reduce((sum, size) => sum + size, 0)
      const index = blockFilterIndex({ crypto: testCrypto, mostPendingBytes: most })
      for (const step of steps.slice(0, 3)) index.connected(step)
      // It is connected again, as after a reorganisation there and back.
      index.connected(steps[2]!)
      assert.isFalse(index.isFull())
      index.connected(steps[3]!)
      assert.isTrue(index.isFull())
      index.committed()
      assert.isFalse(index.isFull())
      index.connected(steps[4]!)
      assert.isFalse(index.isFull())
    }))
})
